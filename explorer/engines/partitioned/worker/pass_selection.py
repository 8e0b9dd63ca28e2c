"""Pass selection: which steps one process leaves out of a reduced pass."""

from __future__ import annotations

from collections.abc import Sequence

from replicheck.explorer.engines.partitioned.store.store import Piece, Store
from replicheck.explorer.engines.partitioned.worker.visited_runs import VisitedRuns
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.reduction.knowledge import KnowledgeSource
from replicheck.explorer.reduction.step_selection import (
    SelectionCounts,
    StepSelection,
)


class PassSelection:
    """Selects steps by what a process knows at its first level of a pass.

    A process that comes later may know more than others did. If so, the pass has
    learned something, and is thrown away.

    Args:
        optional: the names of the claims that the pass may miss.
    """

    def __init__(
        self, learner: Learner, store: Store, optional: frozenset[str]
    ) -> None:
        self._visited = VisitedRuns(store)
        knowledge = KnowledgeSource(learner).knowledge(optional)
        self.steps = StepSelection(learner, knowledge, self._visited)

    def begin(self, visited: Sequence[Sequence[Piece]]) -> SelectionCounts:
        """Begin a task; return what counts its steps alone.

        Args:
            visited: for each bucket the runs of all levels up to that at work.

        Raises:
            CheckpointError: if a file is not as it was written.
        """
        self._visited.read(visited)
        self.steps.counts = SelectionCounts()
        return self.steps.counts
