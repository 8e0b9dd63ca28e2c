"""Rounds: so many chunks of states at once, whose trees several threads walk."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import define

from replicheck.explorer.frontier.chunk import CHUNK, Work
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
    Words,
)
from replicheck.explorer.native.library import expand, retry
from replicheck.explorer.native.packing import pack
from replicheck.explorer.runtime.thread_pool import ThreadPool

SMALLEST_CHUNK = BLOCK
CHUNKS = 16
"""Chunks of a round."""
MASKS_OUT_OF_DATE = 1.2
"""Growth of the number of leaves after which the masks are worked out anew."""
MASKS_PAY = 500
"""States that are expanded before the masks are worked out (anew)."""


@define
class Expansion:
    """What the expansion of one level came to.

    ``notes`` as in `arrays.Chunk`; ``generated`` and ``enabled`` per instance;
    ``stuck`` is the least fingerprint of a state without a step, if that was asked.
    """

    notes: Words
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


class Rounds:
    """Walks the trees of one learner's tables, and lets it learn what they lack.

    Without masks every tree is walked in every state: slower, and after a search of all
    states no tree lacks a path that a reachable state takes.
    """

    def __init__(
        self, learner: Learner, threads: ThreadPool, *, masked: bool = True
    ) -> None:
        self.learner, self.threads, self.masked = learner, threads, masked
        self.effort = SearchEffort()
        self._works: list[Work] = []
        self._masked_leaves = self._masked_layouts = self._unmasked = 0

    def nothing(self) -> Expansion:
        """Return what the expansion of no state comes to."""
        instances = len(self.learner.functions)
        kinds = BROKEN_STEP + len(self.learner.step_properties)
        return Expansion(
            np.full((kinds, instances), NOTHING_NOTED, np.uint64),
            np.zeros(instances, np.int64),
            np.zeros(instances, np.int64),
        )

    def gather(self, works: Sequence[Work], into: Expansion) -> None:
        """Add what a round found."""
        for work in works:
            np.minimum(into.notes, work.chunk.notes, out=into.notes)
            into.generated += work.chunk.generated
            into.enabled += work.chunk.enabled
            self.effort.walks += int(work.chunk.counters[WALKS])

    def begin(self, start: int, count: int) -> Sequence[Work]:
        """Return the chunks of the next round, their buffers empty.

        Args:
            start: the first state of the round.
            count: how many states the level has; a round may end before the last.
        """
        size = max(
            SMALLEST_CHUNK, min(CHUNK, -(-(count - start) // self.threads.count))
        )
        works = []
        for number, low in enumerate(range(start, count, size)):
            if number == CHUNKS:
                break
            if number == len(self._works):
                self._works.append(Work(number, self.learner))
            work = self._works[number]
            work.begin(low, min(count, low + size))
            works.append(work)
        self._unmasked += works[-1].high - start
        return works

    def walk(
        self, level: Level, wanted: Words, judged: Words, works: Sequence[Work]
    ) -> None:
        """Walk the trees of all states of a round, learning until nothing is missed.

        Args:
            level: the states.
            wanted: bit set of the instances to walk.
            judged: the same for states that a constraint cuts.
            works: the chunks of the round.
        """
        tables, states = pack(self.tables()), pack(level)

        def walk(work: Work) -> None:
            chunk, _, scratch = work.packed
            if work.chunk.counters[MISSED]:
                work.retry_begins()
                retry(tables, states, chunk, scratch)
            elif work.at < work.high:
                work.at = expand(
                    tables,
                    states,
                    wanted,
                    judged,
                    work.at,
                    work.high,
                    chunk,
                    scratch,
                )

        while True:
            started = time.perf_counter()
            self.threads.map(walk, [work for work in works if not work.is_done])
            self.effort.walking += time.perf_counter() - started
            missing = [work for work in works if not work.is_done]
            if not missing:
                return
            started = time.perf_counter()
            asked = [self.learn(level, work) for work in missing]
            if not any(asked):
                for work in missing:
                    if work.chunk.counters[MISSED]:
                        work.grow()
            tables = pack(self.tables())
            self.effort.learning += time.perf_counter() - started

    def learn(self, level: Level, work: Work) -> bool:
        """Learn what a chunk asks for; where none asks for anything, they lack room."""
        chunk, learner = work.chunk, self.learner
        answers, learns = chunk.counters[TO_ANSWER], chunk.counters[TO_LEARN]
        learner.evaluator.at(chunk.answers[:answers].tolist())
        rows = level.rows[chunk.learn_states[:learns]].tolist()
        instances = chunk.learn_instances[:learns].tolist()
        for instance, row in zip(instances, rows, strict=True):
            learner.learn_new(instance, row)
        if 2 * work.candidates > len(chunk.prints):
            work.grow()
            return True
        return bool(answers or learns)

    def tables(self) -> Arrays:
        """Return the tables, and work out the masks anew if they are out of date."""
        tables, evaluator = self.learner.tables, self.learner.evaluator
        has_opened = evaluator.ask_closed()
        if self.masked and (has_opened or self._masks_are_out_of_date):
            evaluator.renew_closed()
            tables.arrays()
            self._masked_leaves = tables.trees.leaf_count
            self._masked_layouts, self._unmasked = tables.layouts, 0
            tables.renew_masks()
        return tables.arrays()

    @property
    def _masks_are_out_of_date(self) -> bool:
        """Tell whether new masks would spare more than working them out takes."""
        if self._unmasked < MASKS_PAY:
            return False
        tables = self.learner.tables
        has_grown = tables.trees.leaf_count > MASKS_OUT_OF_DATE * self._masked_leaves
        return has_grown or tables.layouts != self._masked_layouts
