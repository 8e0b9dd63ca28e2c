"""Placing: the candidates of a round, put into the visited set and the next level."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from replicheck.explorer.frontier.chunk import Chunk
from replicheck.explorer.frontier.levels import NextLevel
from replicheck.explorer.frontier.state_keys import StateKeys
from replicheck.explorer.frontier.table_shapes import parts_at_once
from replicheck.explorer.frontier.visited_set import VisitedSet
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.native.kernels.arrays import PARTS, Candidates, Level
from replicheck.explorer.native.library import (
    count_parts,
    insert,
    scatter,
    sort_by_source,
)
from replicheck.explorer.native.packing import Packed, pack
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.tables.tables import Tables

GROWTH = 2


class Deduplicator:
    """Places candidates, round by round, in buffers of its own."""

    def __init__(
        self, learner: LearnedModel, threads: ThreadPool, state_keys: StateKeys
    ) -> None:
        self._learner, self._parallel_map = learner, threads.map
        self._state_keys = state_keys
        self._threads = threads
        self._candidates = _room_for(0)

    def place(
        self,
        chunks: Sequence[Chunk],
        tables: Tables,
        level: Level,
        found: NextLevel,
        visited: VisitedSet,
    ) -> None:
        """Put the candidates into the visited set, and those it lacks into ``found``.

        In the order of parts, states, instances and steps, so that each new state gets
        the least of its predecessors.
        """
        learned = tables.arrays()
        counts = self._sort(chunks, learned.leaves)
        ends = counts.T.cumsum().reshape(PARTS, len(chunks))
        candidates = self._scatter(chunks, ends - counts.T, int(ends[-1, -1]))
        more = counts.sum(axis=0)
        visited.make_room(more, self._parallel_map)
        last = ends[:, -1].copy()
        rest = candidates._replace(begins=last - more, ends=last)
        at_once = parts_at_once(int(ends[-1, -1]))
        packed = pack(visited.slots), pack(rest), pack(learned), pack(level)
        self._insert(packed, at_once, found, visited)
        while (rest.begins < rest.ends).any() or visited.homeless.any():
            if visited.homeless.any():
                visited.house_all(self._parallel_map)
            if found.is_full:
                found.make_room()
            self._insert(packed, at_once, found, visited)

    def _sort(
        self, chunks: Sequence[Chunk], leaves: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.int64]:
        """Sort the candidates of each chunk; return how many each has of each part."""
        steps = self._learner.steps
        instances = np.array([instance for instance, _ in steps] or [0], np.int32)
        counts = np.zeros((len(chunks), PARTS), np.int64)

        def sort(chunk: Chunk) -> None:
            arrays, spare, scratch = chunk.packed
            stretch = chunk.low, chunk.high, min(chunk.late, chunk.candidates)
            sort_by_source(arrays, *stretch, leaves, instances, spare, scratch)
            count_parts(spare, chunk.candidates, counts[chunk.number])

        self._threads.map(sort, chunks)
        return counts

    def _scatter(
        self, chunks: Sequence[Chunk], starts: npt.NDArray[np.int64], count: int
    ) -> Candidates:
        """Bring the candidates of all chunks together, part by part."""
        if len(self._candidates.fingerprints) < count:
            self._candidates = _room_for(GROWTH * count)
        candidates = pack(self._candidates)
        starts_of_chunks = starts.T.copy()

        def move(chunk: Chunk) -> None:
            _, spare, _ = chunk.packed
            scatter(spare, chunk.candidates, starts_of_chunks[chunk.number], candidates)

        self._threads.map(move, chunks)
        return self._candidates

    def _insert(
        self,
        packed: Sequence[Packed],
        at_once: int,
        found: NextLevel,
        visited: VisitedSet,
    ) -> None:
        into = pack(found.found)
        permutations = self._learner.tables.permutations

        def insert_parts(part: int) -> None:
            known = self._state_keys.known(visited.addresses[1])
            insert(part, part + at_once, *packed, into, known, permutations)

        self._parallel_map(insert_parts, range(0, PARTS, at_once))


def _room_for(count: int) -> Candidates:
    return Candidates(
        fingerprints=np.empty(count, np.uint64),
        sources=np.empty(count, np.uint32),
        indices=np.empty(count, np.int32),
        begins=np.empty(0, np.int64),
        ends=np.empty(0, np.int64),
    )
