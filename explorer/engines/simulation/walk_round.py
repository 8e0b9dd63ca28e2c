"""Walk round: all walkers are judged, and each takes a step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replicheck.explorer.engines.simulation.strategies import Options
from replicheck.explorer.engines.simulation.walkers import Walkers
from replicheck.explorer.frontier.chunk import Work
from replicheck.explorer.frontier.chunk_walker import Expansion, Rounds
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import NO_STEP, Words
from replicheck.explorer.native.library import move, sort_by_source
from replicheck.explorer.native.packing import pack
from replicheck.explorer.runtime.thread_pool import ThreadPool


class WalkRound:
    """Walks the trees of all walkers' states, which must fit into one round."""

    def __init__(self, learner: Learner, threads: ThreadPool) -> None:
        self.learner, self.threads = learner, threads
        self.rounds = Rounds(learner, threads)

    def judge(
        self, walkers: Walkers, wanted: Words, judged: Words, find_stuck: bool
    ) -> tuple[Expansion, Sequence[Work]]:
        """Judge the states of all walkers; also return the chunks with their steps.

        Args:
            walkers: which.
            wanted: bit set of the instances to walk.
            judged: the same for states that a constraint cuts.
            find_stuck: whether to look for states without a step.
        """
        level = walkers.states
        works = self.rounds.begin(0, len(level.prints))
        assert works[-1].high == len(level.prints), "the walkers fit into one round"
        self.rounds.walk(level, wanted, judged, works)
        found = self.rounds.nothing()
        self.rounds.gather(works, found)
        if find_stuck:
            self._find_least_stuck(walkers, works, found)
        return found, works

    def move(self, walkers: Walkers, works: Sequence[Work], seed: int) -> None:
        """Let every walker take the step that its strategy chooses."""
        walkers.widen()
        found_tables = self.rounds.tables()
        tables, states, packed = (
            pack(found_tables),
            pack(walkers.states),
            pack(walkers.arrays),
        )
        instances = np.array([each for each, _ in self.learner.steps] or [0], np.int32)
        depths, picked = walkers.arrays.depths, walkers.arrays.picked
        most = walkers.arrays.history.shape[1]

        def take(work: Work) -> None:
            chunk, sorted_chunk, scratch = work.packed
            low, high, count = work.low, work.high, work.candidates
            late, leaves = min(work.late, count), found_tables.leaves
            sort_by_source(
                chunk, low, high, late, leaves, instances, sorted_chunk, scratch
            )
            options = Options(
                sorted_chunk, count, low, high, found_tables.leaves, instances
            )
            walkers.strategy.pick(options, seed, packed)
            picked[low:high][depths[low:high] >= most] = NO_STEP
            move(tables, states, sorted_chunk, low, high, packed)

        self.threads.map(take, works)

    def _find_least_stuck(
        self, walkers: Walkers, works: Sequence[Work], found: Expansion
    ) -> None:
        """Find the least fingerprint of a state without a step."""
        has_step = walkers.states.cut != 0
        for work in works:
            has_step[work.chunk.sources[: work.candidates]] = True
        if not has_step.all():
            found.stuck = int(walkers.states.prints[~has_step].min())
