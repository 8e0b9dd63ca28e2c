"""Boxes: what was learned as sets of states, each a set of values for some columns.

A path of a tree becomes a box. A path that ends in a step is a *leaf*; what lacks a
path, or ends in a note or an exception, is a *goal*: a reduced search must not miss it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.kernels.arrays import DISABLED, REQUESTED, Numbers
from replicheck.explorer.reduction.value_space import ValueSpace
from replicheck.explorer.tables.leaves import LeafStep, steps_of
from replicheck.explorer.tables.lookups import Lookup

Marks = npt.NDArray[np.bool_]


@frozen(eq=False)
class Bound:
    """The values that a box has in a column; ``of_head`` asks for their head alone."""

    values: Marks
    of_head: Marks
    is_of_head: bool = True

    def also(self, values: Marks, *, of_head: Marks | None) -> Bound:
        """The bound with one question more; ``of_head`` if that asks for the head."""
        if of_head is None:
            return Bound(self.values & values, self.of_head, False)
        return Bound(self.values & values, self.of_head & of_head, self.is_of_head)


@frozen(eq=False)
class Box:
    """A set of states of an instance, by the columns that it bounds."""

    instance: int
    bounds: Mapping[int, Bound]

    def within(self, column: int, bound: Bound) -> Box:
        """The box with a bound of a column."""
        return Box(self.instance, {**self.bounds, column: bound})


@frozen(eq=False)
class Leaf:
    """A box in which an action has certain steps."""

    box: Box
    steps: tuple[LeafStep, ...]

    @property
    def writes(self) -> tuple[tuple[int, int], ...]:
        """The writes of all its steps, each once."""
        return tuple(dict.fromkeys(w for step in self.steps for w in step.writes))


class BoxReader:
    """Reads the boxes of all functions off the trees of a learner.

    Args:
        optional: the names of the claims that have no goals.
    """

    def __init__(
        self,
        learner: Learner,
        spaces: Sequence[ValueSpace],
        optional: frozenset[str],
    ) -> None:
        self._learner, self._trees = learner, learner.tables.trees
        self._spaces, self._optional = spaces, optional
        self._answers: dict[tuple[Lookup, int], Numbers] = {}
        self.leaves: list[Leaf] = []
        self.goals: list[Box] = []

    def read(self) -> None:
        """Read the boxes of every function but those of optional claims."""
        for instance, root in enumerate(self._trees.roots.tolist()):
            claim = self._learner.functions[instance].property
            if claim is None or claim.name not in self._optional:
                self._visit(root, Box(instance, {}))
        self.leaves.sort(key=lambda leaf: leaf.box.instance)

    def _visit(self, at: int, box: Box) -> None:
        if at in (0, REQUESTED):
            self.goals.append(box)
        elif at < 0:
            self._end(at, box)
        else:
            self._branch(at, box)

    def _end(self, code: int, box: Box) -> None:
        if code == DISABLED:
            return
        leaf = self._trees.leaf(code)
        is_action = self._learner.functions[box.instance].role is Role.ACTION
        if leaf[0] < 0 or not is_action:
            self.goals.append(box)
            return
        self.leaves.append(Leaf(box, tuple(steps_of(leaf))))

    def _branch(self, at: int, box: Box) -> None:
        column, query, children = self._trees.node(at)
        space = self._spaces[column]
        lookup = self._learner.tables.queries[query][1]
        answered = np.flatnonzero((children != 0) & (children != REQUESTED)).tolist()
        is_true = space.laws.is_true(lookup.calls[0])
        if is_true and answered == [lookup.known_answer(True)]:
            self._visit(int(children[answered[0]]), box)
            return
        reads = self._learner.premise_reads[box.instance]
        if len(answered) == 1 and reads.are_settled(query, self._learner.premises):
            self._visit(int(children[answered[0]]), box)
            return
        answers = self._answers_of(lookup, column)
        is_of_head = space.laws.is_of_head(lookup.calls[0])
        bound = box.bounds.get(column)
        if bound is None:
            everything = np.ones(len(space), np.bool_)
            bound = Bound(everything, everything)
        is_open = np.ones(len(space), np.bool_)
        for answer in answered:
            values = answers == answer
            is_open &= ~values
            inside = bound.also(values, of_head=values if is_of_head else None)
            self._visit(int(children[answer]), box.within(column, inside))
        gap = bound.also(is_open, of_head=is_open if is_of_head else None)
        self.goals.append(box.within(column, gap))

    def _answers_of(self, lookup: Lookup, column: int) -> Numbers:
        key = lookup, column
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = self._spaces[column].answers(lookup)
        return found
