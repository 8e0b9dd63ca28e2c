"""Expansion: from one level to the next, in rounds of chunks, on several threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from replicheck.explorer.frontier.chunk import Chunk
from replicheck.explorer.frontier.chunk_walker import (
    ChunkWalker,
    Expansion,
    SearchEffort,
)
from replicheck.explorer.frontier.deduplication import Deduplicator
from replicheck.explorer.frontier.levels import NextLevel
from replicheck.explorer.frontier.state_keys import KeyPrecision, StateKeys
from replicheck.explorer.frontier.visited_set import VisitedSet
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import DisabledBits, Level, U64Array
from replicheck.explorer.runtime.thread_pool import ThreadPool

if TYPE_CHECKING:
    from replicheck.explorer.frontier.level_shortcuts import LevelShortcuts

FIRST_BITS = 8192
"""States that are expanded before the bits of levels are chosen."""
MORE_BEFORE_BITS = 1.5
"""They are chosen anew when so many times as many states are expanded."""
SAMPLE = 512
"""States at most that are walked for it."""
WORTH_SHORTCUTS = 4096
"""States of a level for which shortcuts are made at least."""


class StepSelector(Protocol):
    """Selects, of the steps that were found, those that are taken."""

    @property
    def walks_every_tree(self) -> bool:
        """Whether it needs every tree walked, of disabled actions, too."""

    def begin_level(self, level: Level, wanted: U64Array) -> None:
        """Take note of a level before it is expanded.

        Args:
            wanted: bit set of the instances that are walked.
        """

    def select(self, level: Level, chunks: Sequence[Chunk]) -> None:
        """Drop the steps of chunks that are not taken."""


class Expander:
    """Expands levels with one learner's tables.

    A ``selector`` gets every step to select from. For ``masked`` see `ChunkWalker`.
    """

    def __init__(
        self,
        learner: Learner,
        threads: ThreadPool,
        fingerprints: KeyPrecision = KeyPrecision.BITS_64,
        *,
        masked: bool = True,
        selector: StepSelector | None = None,
    ) -> None:
        self.threads, self._selector = threads, selector
        masked &= selector is None or not selector.walks_every_tree
        self.chunk_walker = ChunkWalker(learner, threads, masked=masked)
        self.state_keys = StateKeys(fingerprints, learner)
        self._deduplicator = Deduplicator(learner, threads, self.state_keys)
        self._shortcuts: LevelShortcuts | None = None
        self._bits: DisabledBits | None = None
        """Those of the next level, once they are chosen."""
        self._expanded, self._bits_due_at = 0, float(FIRST_BITS)

    @property
    def effort(self) -> SearchEffort:
        """Effort: where the time of all expansions went."""
        return self.chunk_walker.effort

    def expand(
        self,
        level: Level,
        wanted: U64Array,
        judged: U64Array,
        report_progress: Callable[[int], None],
        into: tuple[NextLevel, VisitedSet] | None = None,
        find_stuck: bool = False,
    ) -> Expansion:
        """Walk every state of a level; put what is new into the next one.

        Args:
            wanted: bit set of the instances to walk.
            judged: the same for states that a constraint cuts.
            report_progress: gets the states that are done; may raise to end it.
            into: where new states go, or None to walk predicates only.
        """
        count = len(level.fingerprints)
        walker = self.chunk_walker
        selector = None if into is None else self._selector
        if selector is not None:
            selector.begin_level(level, wanted)
        shortcuts = self._shortcuts_of(level)
        done = walker.nothing()
        at = 0
        while at < count:
            report_progress(at)
            chunks = walker.begin(at, count)
            walker.walk(level, wanted, judged, chunks, shortcuts)
            if find_stuck:
                self._find_stuck(level, chunks, done)
            if selector is not None:
                selector.select(level, chunks)
            if into is not None:
                started = time.perf_counter()
                walker.tables()
                self._deduplicator.place(chunks, walker.learner.tables, level, *into)
                self.effort.inserting += time.perf_counter() - started
            walker.gather(chunks, done)
            at = chunks[-1].high
        return done

    def bits_after(
        self,
        count: int,
        sample: Callable[[], Level],
        wanted: U64Array,
        judged: U64Array,
    ) -> DisabledBits:
        """The bits of what is found from a level, which is about to be expanded.

        Args:
            count: how many states it has.
            sample: makes a level of states such as it has, if they are needed.
            wanted: as for `expand`, and so is ``judged``.
        """
        self._expanded += count
        if self._expanded >= self._bits_due_at:
            # Imported only here, as below: most searches are small.
            from replicheck.explorer.frontier.bit_choice import bits_of_walks

            self._bits_due_at = self._expanded * MORE_BEFORE_BITS
            self._bits = bits_of_walks(self._count_disabled(sample(), wanted, judged))
        return self._bits or self.chunk_walker.learner.tables.bits_of_all

    def _count_disabled(
        self, level: Level, wanted: U64Array, judged: U64Array
    ) -> npt.NDArray[np.float64]:
        """How many walks find each instance disabled in a state, as a few tell."""
        walker, step = self.chunk_walker, -(-len(level.fingerprints) // SAMPLE)
        few = level.with_arrays(array[::step].copy() for array in level.arrays)
        few.disabled[:] = 0
        walker.require_masks()
        chunks = walker.begin(0, len(few.fingerprints))
        walker.walk(few, wanted, judged, chunks, self._shortcuts_of(level))
        counts = np.zeros(len(walker.learner.functions))
        for chunk in chunks:
            counts += chunk.arrays.disabled
        return counts / len(few.fingerprints)

    def _shortcuts_of(self, level: Level) -> LevelShortcuts | None:
        if len(level.fingerprints) < WORTH_SHORTCUTS:
            return None
        if self._shortcuts is None:
            from replicheck.explorer.frontier.level_shortcuts import LevelShortcuts

            self._shortcuts = LevelShortcuts()
        self._shortcuts.begin(level)
        return self._shortcuts

    def _find_stuck(
        self, level: Level, chunks: Sequence[Chunk], done: Expansion
    ) -> None:
        for chunk in chunks:
            steps = np.bincount(
                chunk.arrays.sources[: chunk.candidates] - np.uint32(chunk.low),
                minlength=chunk.high - chunk.low,
            )
            part = slice(chunk.low, chunk.high)
            stuck = level.fingerprints[part][
                (steps == 0) & (level.constrained[part] == 0)
            ]
            if len(stuck):
                least = int(stuck[0])
                done.stuck = least if done.stuck is None else min(done.stuck, least)
