"""Step selection: of the steps of a chunk, those that a reduced search takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define

from replicheck.explorer.frontier.chunk import Chunk
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import CANDIDATES, Level, U64Array
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    CHOICES,
    UNKNOWN_STATES,
    UNKNOWN_STEPS,
    Knowledge,
    Reached,
    StepGroups,
    Waits,
)
from replicheck.explorer.native.library import choose
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.native.packing import pack
from replicheck.explorer.reduction.visited_levels import VisitedFingerprints


@define
class SelectionCounts:
    """Selection counts: how many steps there were, and how many were taken.

    ``unknown`` counts the states of which something was not known when the selection
    began, ``unknown_steps`` their steps, all of which are taken; ``enabled`` counts the
    steps of all states, ``taken`` those that are not left out.
    """

    unknown: int = 0
    unknown_steps: int = 0
    enabled: int = 0
    taken: int = 0

    def add(self, counts: SelectionCounts) -> None:
        """Add what was counted of other states."""
        self.unknown += counts.unknown
        self.unknown_steps += counts.unknown_steps
        self.enabled += counts.enabled
        self.taken += counts.taken


class StepSelection:
    """Selects steps by the knowledge of one moment; what is learned later is not used.

    Args:
        visited: the fingerprints of all levels up to that at work.
    """

    def __init__(
        self, learner: Learner, knowledge: Knowledge, visited: VisitedFingerprints
    ) -> None:
        self._learner, self._knowledge = learner, knowledge
        self._visited = visited
        self.counts = SelectionCounts()
        self._reached = _room_for(knowledge)

    @property
    def walks_every_tree(self) -> bool:
        """Every tree is walked: a step may depend on one that is disabled."""
        return True

    def begin_level(self, level: Level, wanted: U64Array) -> None:
        """Take note of a level before it is expanded.

        Args:
            wanted: bit set of the instances of which something may yet be noted.
        """
        self._visited.begin_level(level.fingerprints)
        instances = self._knowledge.goals.instances
        words = wanted[np.maximum(instances, 0) >> 6]
        bits = words >> (np.maximum(instances, 0) & 63).astype(np.uint64)
        self._knowledge.is_goal[:] = (bits & np.uint64(1)) != 0

    def select(self, level: Level, chunks: Sequence[Chunk]) -> None:
        """Drop the steps of chunks that can be left out."""
        for chunk in chunks:
            if chunk.candidates:
                self._select(level, chunk)

    def _select(self, level: Level, chunk: Chunk) -> None:
        arrays, count = chunk.arrays, chunk.candidates
        leaves = self._learner.tables.trees.leaves.array
        of_step = np.array([instance for instance, _ in self._learner.steps], np.int32)
        instances = of_step[leaves[arrays.indices[:count]]]
        sources = arrays.sources[:count]
        order = np.lexsort((instances, sources))
        steps = StepGroups(
            sources=sources[order] - np.uint32(chunk.low),
            instances=instances[order],
            is_fresh=self._visited.lack(arrays.fingerprints[:count][order]),
            kept=np.ones(count, np.uint8),
            counters=np.zeros(CHOICES, np.int64),
        )
        rows = RowView(level.rows)[chunk.low : chunk.high]
        choose(pack(self._knowledge), rows, pack(steps), pack(self._reached))
        self.counts.unknown += int(steps.counters[UNKNOWN_STATES])
        self.counts.unknown_steps += int(steps.counters[UNKNOWN_STEPS])
        kept = np.zeros(count, np.bool_)
        kept[order] = steps.kept != 0
        chosen = np.flatnonzero(kept)
        self.counts.enabled += count
        self.counts.taken += len(chosen)
        for column in (arrays.fingerprints, arrays.sources, arrays.indices):
            column[: len(chosen)] = column[chosen]
        chunk.late = min(chunk.late, int(kept[: chunk.late].sum()))
        arrays.counters[CANDIDATES] = len(chosen)


def _room_for(knowledge: Knowledge) -> Reached:
    """Room for what can come to be."""
    columns, writes = len(knowledge.sizes), len(knowledge.writes.columns)
    leaves = len(knowledge.writes.starts) - 1
    words = int(knowledge.first_words[-1])
    return Reached(
        values=np.zeros(int(knowledge.first_values[-1]), np.int32),
        counts=np.zeros(columns, np.int64),
        words=np.zeros(words, np.uint64),
        allowed=np.zeros(words, np.uint64),
        present=_no_waits(columns, leaves),
        enabled=np.zeros(leaves + 1, np.int32),
        leaf_of=np.zeros(len(knowledge.first_leaves), np.int32),
        waits=_no_waits(columns, leaves),
        acting=np.zeros(leaves + 1, np.int32),
        first_writes=np.zeros(columns, np.int32),
        following_writes=np.zeros(writes, np.int32),
        done=np.zeros(writes, np.int64),
        changed=np.zeros(columns, np.int32),
        is_changed=np.zeros(columns, np.uint8),
    )


def _no_waits(columns: int, leaves: int) -> Waits:
    """Room for leaves that wait."""
    return Waits(
        first=np.zeros(columns, np.int32),
        following=np.zeros(max(1, leaves), np.int32),
        at=np.zeros(max(1, leaves), np.int64),
    )
