"""Walk round: all walkers are judged, and each takes a step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replicheck.explorer.engines.simulation.strategies import Options
from replicheck.explorer.engines.simulation.walkers import Walkers
from replicheck.explorer.frontier.chunk import Chunk
from replicheck.explorer.frontier.chunk_walker import ChunkWalker, Expansion
from replicheck.explorer.learning.learned_functions import parts_of
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.parts.encoded_functions import can_have_parts
from replicheck.explorer.native.kernels.arrays import NO_STEP, U64Array
from replicheck.explorer.native.library import move, order_by_target, sort_by_source
from replicheck.explorer.native.packing import pack
from replicheck.explorer.runtime.thread_pool import ThreadPool


class WalkRound:
    """Walks the trees of all walkers' states, which must fit into one round."""

    def __init__(self, learner: Learner, threads: ThreadPool) -> None:
        self.learner, self.threads = learner, threads
        self.chunk_walker = ChunkWalker(learner, threads)
        self._by_target = np.array(
            [
                parts_of(learner.functions, number).start if can_have else -1
                for number, can_have in enumerate(can_have_parts(learner))
            ],
            np.int32,
        )
        """Of each function, the first of those that are parts of its action, if it can
        have some. Its steps are in the same order whether it has or not."""

    def judge(
        self, walkers: Walkers, wanted: U64Array, judged: U64Array, find_stuck: bool
    ) -> tuple[Expansion, Sequence[Chunk]]:
        """Judge the states of all walkers; also return the chunks with their steps.

        Args:
            walkers: which.
            wanted: bit set of the instances to walk.
            judged: the same for states that a constraint cuts.
            find_stuck: whether to look for states without a step.
        """
        level = walkers.states
        chunks = self.chunk_walker.begin(0, len(level.fingerprints))
        assert chunks[-1].high == len(level.fingerprints), (
            "the walkers fit into one round"
        )
        self.chunk_walker.walk(level, wanted, judged, chunks)
        found = self.chunk_walker.nothing()
        self.chunk_walker.gather(chunks, found)
        if find_stuck:
            self._find_least_stuck(walkers, chunks, found)
        return found, chunks

    def move(self, walkers: Walkers, chunks: Sequence[Chunk], seed: int) -> None:
        """Let every walker take the step that its strategy chooses."""
        walkers.widen()
        found_tables = self.chunk_walker.tables()
        tables, states, packed = (
            pack(found_tables),
            pack(walkers.states),
            pack(walkers.arrays),
        )
        steps = self.learner.steps
        instances = np.array([instance for instance, _ in steps], np.int32)
        actions = self._by_target[instances]
        are_ordered = actions.max(initial=-1) >= 0
        depths, picked = walkers.arrays.depths, walkers.arrays.picked
        most = walkers.arrays.history.shape[1]

        def take(chunk: Chunk) -> None:
            arrays, sorted_chunk, scratch = chunk.packed
            low, high, count = chunk.low, chunk.high, chunk.candidates
            late, leaves = min(chunk.late, count), found_tables.leaves
            sort_by_source(
                arrays, low, high, late, leaves, instances, sorted_chunk, scratch
            )
            if are_ordered:
                order_by_target(sorted_chunk, count, leaves, actions)
            options = Options(
                sorted_chunk, count, low, high, found_tables.leaves, instances
            )
            walkers.strategy.pick(options, seed, packed)
            picked[low:high][depths[low:high] >= most] = NO_STEP
            move(tables, states, sorted_chunk, low, high, packed)

        self.threads.map(take, chunks)

    def _find_least_stuck(
        self, walkers: Walkers, chunks: Sequence[Chunk], found: Expansion
    ) -> None:
        """Find the least fingerprint of a state without a step."""
        has_step = walkers.states.constrained != 0
        for chunk in chunks:
            has_step[chunk.arrays.sources[: chunk.candidates]] = True
        if not has_step.all():
            found.stuck = int(walkers.states.fingerprints[~has_step].min())
