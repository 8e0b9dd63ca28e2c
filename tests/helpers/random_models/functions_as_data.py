"""Functions as data: a decision tree that reads, guards and writes as a model does."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from typing import Any

from attrs import frozen

from random_models.cells import Amount, Cell, Place, Question

MANY_AMOUNTS = 35
"""So many instances of two actions do not fit into one word of a mask."""


@frozen
class Read:
    """A question to a cell, and the answer for which the test is true."""

    cell: Cell
    question: Question
    answer: Any

    def test(self, state: Any, place: int) -> bool:
        """Ask."""
        return bool(self.question.ask(self.cell.of(state, place)) == self.answer)


@frozen
class OverFamily:
    """A test of all boxes one after the other, ended by the first that decides."""

    question: Question
    answer: Any
    decide: Callable[[Iterator[bool]], bool]

    def test(self, state: Any, place: int) -> bool:
        """Ask."""
        return self.decide(self.question.ask(b) == self.answer for b in state.boxes)


@frozen
class Same:
    """Whether two cells have equal values."""

    one: Cell
    other: Cell

    def test(self, state: Any, place: int) -> bool:
        """Ask."""
        return bool(self.one.of(state, place) == self.other.of(state, place))


@frozen
class OfAmount:
    """Whether the amount is less than a number."""

    number: int

    def test(self, state: Any, place: int) -> bool:
        """Compare the place, which is the amount where a function takes one."""
        return place < self.number


@frozen
class Branch:
    """A node of a decision tree; a leaf is whatever else."""

    test: Read | OverFamily | Same | OfAmount
    then: Any
    otherwise: Any


@frozen
class Raise:
    """A leaf where the function raises."""


@frozen
class Write:
    """A cell's new value: a constant, another cell's value, or operations on it."""

    cell: Cell
    constant: Any = None
    copy: Cell | None = None
    operations: tuple[Question, ...] = ()

    def value(self, state: Any, place: int) -> Any:
        """The value."""
        if self.copy is not None:
            return self.copy.of(state, place)
        if not self.operations:
            return self.constant
        value = self.cell.of(state, place)
        for operation in self.operations:
            value = operation.ask(value)
        return value

    def apply(self, before: Any, so_far: Any, place: int) -> Any:
        """The state with the cell written."""
        value = self.value(before, place)
        path = self.cell.path(place)
        change = {path if len(path) > 1 else path[0]: value} if path else value
        return so_far.evolve(**{self.cell.name: change})


def decide(tree: Any, state: Any, place: int) -> Any:
    """Walk to the leaf for a state; raises where the leaf says so."""
    while isinstance(tree, Branch):
        tree = tree.then if tree.test.test(state, place) else tree.otherwise
    if isinstance(tree, Raise):
        raise ArithmeticError("a random leaf")
    return tree


def steps(tree: Any, state: Any, place: int) -> Iterator[Any]:
    """Yield the next states: a leaf is a list of lists of writes."""
    for writes in decide(tree, state, place):
        after = state
        for write in writes:
            # Some writes read what an earlier one of the same step wrote.
            before = after if len(writes) == 2 else state
            after = write.apply(before, after, place)
        yield after


JUDGE = """\
def judge(before, after, place: Place):
    if predicate.cell.of(after, place) is predicate.cell.of(before, place):
        return True
    return predicate.holds(before, after, place)
"""
JUDGE_FILE = "<a step property>"
linecache.cache[JUDGE_FILE] = len(JUDGE), None, JUDGE.splitlines(True), JUDGE_FILE


@frozen
class StepPredicate:
    """A step property: what must be where a step changes the answer to a question."""

    read: Read
    tree: Any

    @property
    def cell(self) -> Cell:
        """The cell that has to change."""
        return self.read.cell

    def holds(self, before: Any, after: Any, place: int) -> bool:
        """Judge a step that changes the cell."""
        old, new = self.cell.of(before, place), self.cell.of(after, place)
        question = self.read.question
        if question.ask(old) == question.ask(new):
            return True
        return bool(decide(self.tree, before, place) or decide(self.tree, after, place))


@frozen
class KeepsOrder:
    """A step property: items leave a queue at its head, and come at its end."""

    cell: Cell

    def holds(self, before: Any, after: Any, place: int) -> bool:
        """Judge a step that changes the cell."""
        old, new = self.cell.of(before, place), self.cell.of(after, place)
        return bool(old.keeps_order_in(new))


def judge_of(name: str, predicate: StepPredicate | KeepsOrder) -> Callable[..., bool]:
    """A function with a text, and no closure, so that its premise can be told."""
    names: dict[str, Any] = {"Place": Place, "predicate": predicate}
    exec(compile(JUDGE, JUDGE_FILE, "exec"), names)
    function: Callable[..., bool] = names["judge"]
    function.__name__ = name
    return function


def _alone(answer: Callable[..., Any]) -> Callable[..., Any]:
    def function(state: Any) -> Any:
        return answer(state, 0)

    return function


def _with_place(answer: Callable[..., Any]) -> Callable[..., Any]:
    def function(state: Any, place: Place) -> Any:
        return answer(state, place)

    return function


def _with_amount(answer: Callable[..., Any]) -> Callable[..., Any]:
    def function(state: Any, amount: Amount) -> Any:
        return answer(state, amount)

    return function


PARAMETERS = {"nothing": _alone, "a place": _with_place, "an amount": _with_amount}


@frozen
class Function:
    """A function of the model: what it takes besides the state, and its tree."""

    takes: str
    tree: Any

    def made(self, name: str, meaning: Callable[..., Any]) -> Callable[..., Any]:
        """The function as a model has it."""

        def answer(state: Any, place: int) -> Any:
            return meaning(self.tree, state, place)

        function = PARAMETERS[self.takes](answer)
        function.__name__ = name
        return function
