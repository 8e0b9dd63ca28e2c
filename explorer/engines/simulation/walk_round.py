"""Leads a flock: each round, all walkers are judged and take a step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replicheck.explorer.engines.simulation.strategies import Options
from replicheck.explorer.engines.simulation.walkers import Flock
from replicheck.explorer.frontier.chunk import Work
from replicheck.explorer.frontier.chunk_walker import Expansion, Rounds
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import NO_STEP, Words
from replicheck.explorer.native.library import move, sort_by_source
from replicheck.explorer.native.packing import pack
from replicheck.explorer.runtime.thread_pool import Threads


class Shepherd:
    """Walks the trees of all walkers' states, which must fit into one round."""

    def __init__(self, learner: Learner, threads: Threads) -> None:
        self.learner, self.threads = learner, threads
        self.rounds = Rounds(learner, threads)

    def judge(
        self, flock: Flock, wanted: Words, judged: Words, find_stuck: bool
    ) -> tuple[Expansion, Sequence[Work]]:
        """Return what is found where the walkers are, and the steps from there.

        Args:
            flock: the walkers.
            wanted: bit set of the instances to walk.
            judged: the same for states that a constraint cuts.
            find_stuck: whether to look for states without a step.
        """
        level = flock.states
        works = self.rounds.begin(0, len(level.prints))
        assert works[-1].high == len(level.prints), "the flock fits into one round"
        self.rounds.walk(level, wanted, judged, works)
        found = self.rounds.nothing()
        self.rounds.gather(works, found)
        if find_stuck:
            self._find_least_stuck(flock, works, found)
        return found, works

    def move(self, flock: Flock, works: Sequence[Work], seed: int) -> None:
        """Let every walker take the step that its strategy chooses."""
        flock.widen()
        arrays = self.rounds.tables()
        tables, states, walkers = pack(arrays), pack(flock.states), pack(flock.walkers)
        instances = np.array([each for each, _ in self.learner.steps] or [0], np.int32)
        depths, picked = flock.walkers.depths, flock.walkers.picked
        most = flock.walkers.history.shape[1]

        def take(work: Work) -> None:
            chunk, sorted_chunk, scratch = work.packed
            low, high, count = work.low, work.high, work.candidates
            late, leaves = min(work.late, count), arrays.leaves
            sort_by_source(
                chunk, low, high, late, leaves, instances, sorted_chunk, scratch
            )
            options = Options(sorted_chunk, count, low, high, arrays.leaves, instances)
            flock.strategy.pick(options, seed, walkers)
            picked[low:high][depths[low:high] >= most] = NO_STEP
            move(tables, states, sorted_chunk, low, high, walkers)

        self.threads.each(take, works)

    def _find_least_stuck(
        self, flock: Flock, works: Sequence[Work], found: Expansion
    ) -> None:
        """Find the least fingerprint of a state without a step."""
        has_step = flock.states.cut != 0
        for work in works:
            has_step[work.chunk.sources[: work.candidates]] = True
        if not has_step.all():
            found.stuck = int(flock.states.prints[~has_step].min())
