"""The graph of all reachable states: compact edges, and what is marked of states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.instances import Instance
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.native.kernels.liveness.graph_arrays import Edges

Marked = npt.NDArray[np.uint8]
"""For each state 1 if it is meant, else 0."""


@frozen(eq=False)
class StateGraph:
    """All reachable states, numbered by levels, and the steps that change a state.

    ``levels`` has the number of the first state of each level, and behind the last one
    the number of states. ``instances`` are what the steps of ``edges`` are steps of;
    ``marks`` holds for each state a bit for each of ``marked``, the instances of
    predicates. ``is_acyclic`` tells that there is known to be no cycle: each edge leads
    to a later level, say.
    """

    edges: Edges
    levels: npt.NDArray[np.int64]
    instances: Sequence[Instance]
    marked: Sequence[Instance]
    marks: U64Array
    is_acyclic: bool

    @property
    def count(self) -> int:
        """The number of states."""
        return int(self.levels[-1])

    def fulfilling(self, instance: Instance) -> Marked:
        """Mark the states that fulfil an instance of a predicate."""
        if instance not in self.marked:
            return np.zeros(self.count, np.uint8)
        number = self.marked.index(instance)
        words = self.marks[:, number >> 6] >> np.uint64(number & 63)
        return (words & np.uint64(1)).astype(np.uint8)

    def source(self, edge: int) -> int:
        """The state from which an edge leads."""
        return int(np.searchsorted(self.edges.offsets, edge, side="right")) - 1

    def place(self, state: int) -> tuple[int, int]:
        """The level of a state and its place there."""
        level = int(np.searchsorted(self.levels, state, side="right")) - 1
        return level, state - int(self.levels[level])
