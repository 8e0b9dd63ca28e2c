"""The walker of chunks: some chunks at once, whose trees several threads walk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from attrs import define

from replicheck.explorer.frontier.chunk import CHUNK, Chunk
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import (
    BLOCK,
    BROKEN_STEP,
    MISSED,
    NOTHING_NOTED,
    TO_ANSWER,
    TO_LEARN,
    WALKS,
    Arrays,
    Level,
    U64Array,
)
from replicheck.explorer.native.library import expand, retry
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.native.packing import Packed, pack
from replicheck.explorer.runtime.thread_pool import ThreadPool

if TYPE_CHECKING:
    from replicheck.explorer.frontier.level_shortcuts import LevelShortcuts
    from replicheck.explorer.learning.plain.plain_functions import PlainFunctions

SMALLEST_CHUNK = BLOCK
RUNS_AT_ONCE = 64
"""Runs of functions after which the limits of the search are looked at."""
MANY_RUNS = 2048
"""Runs of functions after which it is looked which of them run on plain states."""
CHUNKS = 16
"""Chunks of a round."""
STEPS = 1 << 19
"""Steps of a larger chunk at most, if its states have as many as those before."""
MASKS_OUT_OF_DATE = 1.2
"""Growth of the number of leaves after which the masks are worked out anew."""
MASKS_PAY = 4000
"""States that are expanded before the masks are worked out (anew)."""


@define
class Expansion:
    """What the expansion of one level came to.

    ``notes`` as in `arrays.ChunkArrays`; ``generated`` and ``enabled`` per instance;
    ``stuck`` is the least fingerprint of a state without a step, if that was asked.
    """

    notes: U64Array
    generated: npt.NDArray[np.int64]
    enabled: npt.NDArray[np.int64]
    stuck: int | None = None


@define
class SearchEffort:
    """Where the time of all expansions went, in seconds of wall time."""

    walking: float = 0.0
    learning: float = 0.0
    inserting: float = 0.0
    frontier: float = 0.0
    """Writing what was found as the next level."""
    walks: int = 0


class ChunkWalker:
    """Walks the trees of one learner's tables, and lets it learn what they lack.

    Without masks every tree is walked in every state: slower, and after a search of all
    states no tree lacks a path that a reachable state takes.
    """

    def __init__(
        self, learner: Learner, threads: ThreadPool, *, masked: bool = True
    ) -> None:
        self.learner, self.threads, self.masked = learner, threads, masked
        if not masked:
            learner.tables.lay_out()
        self.effort = SearchEffort()
        self.while_learning: Callable[[], None] = lambda: None
        """Is called now and then while functions run or values are asked; may raise."""
        self._allows_plain_runs = False
        self._plain_functions: PlainFunctions | None = None
        """There if functions may run on plain states, once many have run."""
        self._runs = 0
        self._chunks: list[Chunk] = []
        self._steps_per_state = 1
        """Of the last round that had steps, rounded up."""
        self._masked_leaves = self._masked_layouts = self._unmasked = 0

    def allow_plain_runs(self) -> None:
        """Run functions on plain states to which each is new; none if thorough."""
        self._allows_plain_runs = not self.learner.is_thorough

    def nothing(self) -> Expansion:
        """The expansion of no state."""
        instances = len(self.learner.functions)
        kinds = BROKEN_STEP + len(self.learner.step_properties)
        return Expansion(
            np.full((kinds, instances), NOTHING_NOTED, np.uint64),
            np.zeros(instances, np.int64),
            np.zeros(instances, np.int64),
        )

    def gather(self, chunks: Sequence[Chunk], into: Expansion) -> None:
        """Add what a round found."""
        steps = sum(chunk.candidates for chunk in chunks)
        if steps:
            states = sum(len(chunk.states) for chunk in chunks)
            self._steps_per_state = -(-steps // states)
        for chunk in chunks:
            np.minimum(into.notes, chunk.arrays.notes, out=into.notes)
            into.generated += chunk.arrays.generated
            into.enabled += self._enabled(chunk)
            self.effort.walks += int(chunk.arrays.counters[WALKS])

    def _enabled(self, chunk: Chunk) -> npt.NDArray[np.int64]:
        """In how many states of a chunk each instance is enabled."""
        if not self.learner.has_parts:
            return chunk.arrays.enabled
        # Imported only here: few models have actions with parts.
        from replicheck.explorer.learning.parts.enabled_parts import count_enabled

        return count_enabled(self.learner, chunk.arrays, chunk.states)

    def begin(self, start: int, count: int) -> Sequence[Chunk]:
        """The chunks of the next round, their buffers empty.

        Args:
            start: the first state of the round.
            count: how many states the level has; a round may end before the last.
        """
        even_share = -(-(count - start) // self.threads.count)
        most = min(CHUNK, STEPS // self._steps_per_state)
        size = max(SMALLEST_CHUNK, min(most, even_share))
        chunks = []
        for number, low in enumerate(range(start, count, size)):
            if number == CHUNKS:
                break
            if number == len(self._chunks):
                self._chunks.append(Chunk(number, self.learner))
            chunk = self._chunks[number]
            chunk.begin(low, min(count, low + size))
            chunks.append(chunk)
        self._unmasked += chunks[-1].high - start
        return chunks

    def require_masks(self) -> None:
        """Have masks that are out of date worked out anew, whatever that spares."""
        self._unmasked = MASKS_PAY

    def walk(
        self,
        level: Level,
        wanted: U64Array,
        judged: U64Array,
        chunks: Sequence[Chunk],
        shortcuts: LevelShortcuts | None = None,
    ) -> None:
        """Walk the trees of all states of a round, learning until nothing is missed.

        Args:
            level: the states.
            wanted: bit set of the instances to walk.
            judged: the same for states that a constraint cuts.
            chunks: the chunks of the round.
            shortcuts: those of the level; without them no column is fixed.
        """
        done = chunks[0].low
        tables, states = self._packed_tables(shortcuts, done), pack(level)

        def walk(chunk: Chunk) -> None:
            arrays, _, scratch = chunk.packed
            if chunk.arrays.counters[MISSED]:
                chunk.retry_begins()
                retry(tables, states, chunk.low, arrays, scratch)
            elif chunk.at < chunk.high:
                chunk.at = expand(
                    tables,
                    states,
                    wanted,
                    judged,
                    chunk.at,
                    chunk.high,
                    arrays,
                    scratch,
                )

        while True:
            started = time.perf_counter()
            self.threads.map(walk, [chunk for chunk in chunks if not chunk.is_done])
            self.effort.walking += time.perf_counter() - started
            missing = [chunk for chunk in chunks if not chunk.is_done]
            if not missing:
                return
            started = time.perf_counter()
            self._learn_missing(level, missing)
            tables = self._packed_tables(shortcuts, done)
            self.effort.learning += time.perf_counter() - started

    def _learn_missing(self, level: Level, missing: Sequence[Chunk]) -> None:
        """Learn what some chunks ask for, or give them the room that they lack."""
        if self.learn(level, missing):
            return
        for chunk in missing:
            if chunk.arrays.counters[MISSED]:
                chunk.grow()

    def learn(self, level: Level, chunks: Sequence[Chunk]) -> bool:
        """Learn what chunks ask for; tell whether they did, for else they lack room.

        A limit may end it; other chunks can then ask for what was not learned.
        """
        asked = [
            chunk.arrays.answers[: chunk.arrays.counters[TO_ANSWER]] for chunk in chunks
        ]
        places = np.concatenate(asked)
        try:
            self.learner.evaluator.at(places, self.while_learning)
            are_helped = [self._learn_walks(level, chunk) for chunk in chunks]
        except BaseException:
            self.learner.tables.trees.withdraw_requests()
            raise
        return len(places) > 0 or any(are_helped)

    def _learn_walks(self, level: Level, chunk: Chunk) -> bool:
        """Learn what walks of a chunk lack, and see to its room; tell if it did so."""
        if self._allows_plain_runs and self._runs >= MANY_RUNS:
            self._look_for_plain_functions()
        arrays, learner = chunk.arrays, self.learner
        learns = int(arrays.counters[TO_LEARN])
        rows = RowView(level.rows)[arrays.learn_states[:learns]].tolist()
        instances = arrays.learn_instances[:learns].tolist()
        for instance, row in zip(instances, rows, strict=True):
            if self._plain_functions and self._plain_functions.have[instance]:
                continue
            self._begin_run()
            learner.learn_new(instance, row)
        if self._plain_functions:
            learns += self._plain_functions.run(level.rows, arrays, self._begin_run)
        if 2 * chunk.candidates > len(arrays.fingerprints):
            chunk.grow()
            return True
        return learns > 0

    def _look_for_plain_functions(self) -> None:
        """From now on, look which functions are to run on plain states."""
        # Imported only here: in most searches few functions run.
        from replicheck.explorer.learning.plain.plain_functions import PlainFunctions

        self._allows_plain_runs = False
        self._plain_functions = PlainFunctions(self.learner)

    def _begin_run(self) -> None:
        """Look now and then at the limits, before another function runs."""
        if self._runs % RUNS_AT_ONCE == 0:
            self.while_learning()
        self._runs += 1

    def _packed_tables(self, shortcuts: LevelShortcuts | None, done: int) -> Packed:
        arrays = self.tables()
        if shortcuts is not None:
            arrays = shortcuts.applied(self.learner.tables, arrays, done)
        return pack(arrays)

    def tables(self) -> Arrays:
        """The tables for the kernels, with masks that are not out of date."""
        tables, evaluator = self.learner.tables, self.learner.evaluator
        has_opened = evaluator.ask_closed(self.while_learning)
        if self.masked and (has_opened or self._masks_are_out_of_date):
            evaluator.renew_closed(self.while_learning)
            tables.arrays()
            self._masked_leaves = tables.trees.leaf_count
            self._masked_layouts, self._unmasked = tables.layouts, 0
            tables.masks.renew(tables.trees)
        return tables.arrays()

    @property
    def _masks_are_out_of_date(self) -> bool:
        """Tell whether new masks would spare more than working them out takes."""
        if self._unmasked < MASKS_PAY:
            return False
        tables = self.learner.tables
        has_grown = tables.trees.leaf_count > MASKS_OUT_OF_DATE * self._masked_leaves
        return has_grown or tables.layouts != self._masked_layouts
