"""What is read for a premise alone keeps no steps apart once the premise has held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any, ClassVar, Self

import pytest
from attrs import evolve, frozen

from random_models.random_processes import EVERYTHING
from reduced.comparison import summary
from reduced.reduced_engines import in_one_process, in_tasks
from replicheck.explorer.engine import Engine
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.properties import every_step
from replicheck.explorer.reduction.boxes import BoxReader
from replicheck.explorer.reduction.value_space import ValueSpace
from replicheck.explorer.report import Report
from replicheck.model.state_base import Cells
from toys import Toy


@frozen
class Marks:
    """Marks in no order, each once."""

    COMMUTING: ClassVar[frozenset[str]] = frozenset({"add"})

    marks: frozenset[int] = frozenset()

    def add(self, mark: int) -> Self:
        """Put a mark in, unless it is there."""
        return evolve(self, marks=self.marks | {mark})


@frozen
class MarkingProcesses(Cells):
    """Two processes that mark the same place, and a third one beside them."""

    first: int = 0
    second: int = 0
    third: int = 0
    marks: Marks = Marks()


def mark_first(s: MarkingProcesses) -> Iterator[MarkingProcesses]:
    """The first process marks the place."""
    if s.first == 0:
        yield s.evolve(first=1, marks=s.marks.add(1))


def prepare_second(s: MarkingProcesses) -> Iterator[MarkingProcesses]:
    """The second process goes on."""
    if s.second == 0:
        yield s.evolve(second=1)


def mark_second(s: MarkingProcesses) -> Iterator[MarkingProcesses]:
    """The second process marks the place."""
    if s.second == 1:
        yield s.evolve(second=2, marks=s.marks.add(1))


def count_up(s: MarkingProcesses) -> Iterator[MarkingProcesses]:
    """The third process counts."""
    if s.third < 5:
        yield s.evolve(third=s.third + 1)


def first_marks(before: MarkingProcesses, after: MarkingProcesses) -> bool:
    """Claim something of each step by which the first process changes the marks."""
    if after.marks is before.marks or after.first is before.first:
        return True
    return after.first == 1


def second_marks(before: MarkingProcesses, after: MarkingProcesses) -> bool:
    """Claim the same of the second process."""
    if after.marks is before.marks or after.second is before.second:
        return True
    return after.second == 2


def any_marks(before: MarkingProcesses, after: MarkingProcesses) -> bool:
    """Claim something of each step that changes the marks."""
    if after.marks is before.marks:
        return True
    return after.first == 1 or after.second == 2


def second_is_first(before: MarkingProcesses, after: MarkingProcesses) -> bool:
    """Claim that the second process changes the marks: it need not."""
    if after.second is before.second or after.second < 2:
        return True
    return after.marks is not before.marks


def second_is_first_late(before: MarkingProcesses, after: MarkingProcesses) -> bool:
    """Claim the same once the third process has counted."""
    return after.third == 0 or second_is_first(before, after)


MARKS = (first_marks, second_marks)
ALL = (*MARKS, second_is_first)
ORDERS = [
    order + end
    for order in permutations((mark_first, prepare_second, mark_second))
    for end in ((), (count_up,))
]
ENGINES = [in_one_process(0), in_tasks(0)]


def explored(engine: Engine, actions: Any, claims: Any) -> Report[Any]:
    """The report on some step properties."""
    properties = [every_step(claim) for claim in claims]
    return engine.explore(Toy(actions, (MarkingProcesses(),)), properties, EVERYTHING)


@pytest.mark.parametrize("actions", ORDERS)
@pytest.mark.parametrize("claims", [MARKS, ALL, (second_is_first,)])
@pytest.mark.parametrize("engine", ENGINES, ids=["in one process", "in tasks"])
def test_premises_hold_as_in_a_whole_search(
    engine: Engine, claims: Any, actions: Any
) -> None:
    """Each of the two may come first, and then the other one changes nothing."""
    expected = explored(Naive(), actions, claims)
    coverage = expected.statistics.coverage
    assert coverage is not None
    assert all(coverage.premises.values())
    assert summary(explored(engine, actions, claims)) == summary(expected)


SAME = MarkingProcesses(first=1, second=1, marks=Marks(frozenset({1})))
"""Where the second process changes nothing."""
OTHER = MarkingProcesses(first=1, second=1)
"""Where it does."""


def is_about_marks(claims: Any, *states: MarkingProcesses) -> tuple[bool, ...]:
    """Tell of the step of the second process whether its leaves and its goals ask.

    Args:
        claims: step properties.
        states: where the actions were learned, one after the other.
    """
    properties = [every_step(claim) for claim in claims]
    model = Toy((mark_first, mark_second), (MarkingProcesses(),))
    learner = Learner(model, properties)
    for state in states:
        for action in range(2):
            learner.learn(action, learner.row(state))
    spaces = []
    for dictionary in learner.tables.dictionaries:
        space = ValueSpace(dictionary)
        mine = [q for _, q in learner.tables.queries if q.dictionary is dictionary]
        done = [o for o in learner.tables.operations if o.dictionary is dictionary]
        space.update(done, mine)
        spaces.append(space)
    reader = BoxReader(learner, spaces, frozenset())
    reader.read()
    marks = [cell.field for cell in learner.layout.cells].index("marks")
    leaves, goals = (
        [box for box in boxes if box.instance == 1]
        for boxes in ([leaf.box for leaf in reader.leaves], reader.goals)
    )
    return tuple(any(marks in box.bounds for box in boxes) for boxes in (leaves, goals))


@pytest.mark.parametrize(
    ("claims", "states", "expected"),
    [
        ((), [SAME], (False, False)),
        ((second_marks,), [SAME], (True, True)),
        ((second_marks,), [OTHER], (False, False)),
        ((second_is_first,), [OTHER], (True, True)),
        ((second_marks, second_is_first), [OTHER], (True, True)),
        ((second_is_first, second_marks), [OTHER], (True, True)),
    ],
    ids=["no claim", "open", "held", "judged", "held and judged", "judged and held"],
)
def test_a_question_for_a_premise_bounds_nothing_once_that_has_held(
    claims: Any, states: Sequence[MarkingProcesses], expected: tuple[bool, bool]
) -> None:
    """Unless whether the step breaks a property depends on it, too."""
    assert is_about_marks(claims, *states) == expected


def test_two_premises_may_ask_the_same() -> None:
    """The question bounds a step until both have held."""
    claims = (any_marks, second_marks)
    assert is_about_marks(claims, MarkingProcesses(), SAME) == (True, True)
    assert is_about_marks(claims, MarkingProcesses(), OTHER) == (False, False)


def test_a_question_that_another_run_asked_for_more_than_a_premise_bounds_steps() -> (
    None
):
    """Where the third process has counted, the answer decides about a property."""
    claims = (second_marks, second_is_first_late)
    assert is_about_marks(claims, OTHER) == (False, False)
    assert is_about_marks(claims, OTHER, evolve(OTHER, third=1)) == (True, True)
