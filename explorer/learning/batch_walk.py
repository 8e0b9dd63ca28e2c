"""Batch walk: many decision trees at once with NumPy; what is missed is learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import (
    DISABLED,
    REQUESTED,
    Indices,
    Numbers,
)

Rows = npt.NDArray[np.integer[Any]]


@frozen
class Questions:
    """One question of each of some walks.

    ``walks[i]`` asked ``queries[i]``; ``nexts[i]`` follows, a node or a leaf's code.
    """

    walks: Indices
    queries: Numbers
    nexts: Numbers

    @property
    def are_disabling(self) -> npt.NDArray[np.bool_]:
        """Tell of each question whether its answer ended the walk without a step."""
        return np.equal(self.nexts, DISABLED)

    def of(self, walks: npt.NDArray[np.bool_]) -> Questions:
        """The questions of those walks alone that are marked."""
        chosen = walks[self.walks]
        return Questions(self.walks[chosen], self.queries[chosen], self.nexts[chosen])


def walk(
    learner: Learner,
    instances: npt.NDArray[np.integer[Any]],
    rows: Rows,
    states: Indices,
) -> tuple[Numbers, list[Questions]]:
    """Walk the tree of ``instances[i]`` in the state ``rows[states[i]]``, to its end.

    Returns:
        the leaf's code of each walk, and what was asked: of all walks the first
        question, then the second.
    """
    codes = np.zeros(len(instances), np.int32)
    questions: list[Questions] = []
    lacking = np.arange(len(instances))
    while len(lacking):
        pairs = instances[lacking], states[lacking]
        reached, asked = _walk_as_learned(learner, rows, *pairs)
        is_leaf = (reached < 0) & (reached != REQUESTED)
        codes[lacking[is_leaf]] = reached[is_leaf]
        for question in asked:
            whole = question.of(is_leaf)
            questions.append(
                Questions(lacking[whole.walks], whole.queries, whole.nexts)
            )
        lacking = lacking[~is_leaf]
        for number in lacking.tolist():
            learner.learn(int(instances[number]), rows[states[number]].tolist())
    return codes, questions


def _walk_as_learned(
    learner: Learner,
    rows: Rows,
    instances: npt.NDArray[np.integer[Any]],
    states: Indices,
) -> tuple[Numbers, list[Questions]]:
    """Walk until the tables lack something, which leaves 0 or REQUESTED, not a code.

    What values answer is asked for.
    """
    tables = learner.tables.arrays()
    queries = np.array(learner.tables.trees.node_queries, np.int32)
    at = tables.roots[instances]
    questions, unanswered = [], [np.empty(0, np.int64)]
    while (walks := np.flatnonzero(at > 0)).size:
        nodes = at[walks]
        columns, starts, children, rooms = tables.nodes[nodes].T
        indices = starts + rows[states[walks], columns].astype(np.int64)
        answers = tables.lookups[indices]
        unanswered.append(indices[answers < 0])
        is_known = (answers >= 0) & (answers < rooms)
        nexts = tables.children[children + np.where(is_known, answers, 0)]
        at[walks] = np.where(is_known, nexts, 0)
        questions.append(Questions(walks, queries[nodes], at[walks]))
    learner.evaluator.at(np.concatenate(unanswered))
    return at, questions
