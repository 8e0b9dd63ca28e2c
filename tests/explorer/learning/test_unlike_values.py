"""Values that are equal in Python and yet differ are told apart, or refused by name."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction
from typing import Any, Self

import pytest
from attrs import evolve, field, frozen

from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import always
from replicheck.explorer.report import Report, Verdict
from replicheck.model.state_base import Cells
from toys import Toy

ENGINES = [BreadthFirst(), BreadthFirst(sample=1), NumpyWalk()]
NAMES = ["default", "paranoid", "numpy"]
KEEP_GOING = Search(stop=Stop.DECIDED)
Pair = namedtuple("Pair", ["number", "other"])


class Grade(IntEnum):
    """A number with a name."""

    LOW = 1


class Word(StrEnum):
    """A text with a name."""

    LOW = "low"


@frozen
class Parcel:
    """Anything."""

    content: Any

    def is_truth_value(self) -> bool:
        """Tell whether the content is one; equal contents answer otherwise."""
        return isinstance(self.content, bool)

    def class_name_of(self, value: object) -> str:
        """The name of the class of an argument."""
        return type(value).__name__

    def wrapped(self) -> tuple[Any, ...]:
        """The content within a tuple."""
        return (self.content,)

    def put(self, content: Any) -> Self:
        """Replace the content."""
        return evolve(self, content=content)


@frozen
class ForgetfulValue:
    """A number, and another one that `==` of attrs does not compare."""

    number: int = 0
    hidden: int = field(default=0, eq=False)


@frozen(eq=False)
class Careless:
    """A number, and another one that a `==` of its own does not compare."""

    number: int = 0
    hidden: int = 0

    def __eq__(self, value: object) -> bool:
        return isinstance(value, Careless) and self.number == value.number

    def __hash__(self) -> int:
        return hash(self.number)


@frozen(eq=False)
class Unique:
    """A number that equals no other value."""

    number: int = 0


@frozen
class Shelf(Cells):
    """A cell of any class, and a number that counts steps."""

    cell: Any = Parcel(1)
    steps: int = 0


@frozen
class Shelves(Cells):
    """Two cells that share a dictionary."""

    cells: tuple[Any, ...] = (Parcel(1), Parcel(2))
    steps: int = 0


def putting(*values: Any) -> Any:
    """An action that writes one value after the other into the cell."""

    def put(state: Shelf) -> Iterator[Shelf]:
        if state.steps < len(values):
            yield state.evolve(cell=values[state.steps], steps=state.steps + 1)

    return put


def outcome(engine: Any, model: Toy, *claims: Any) -> Report[Any] | str:
    """The report of an engine, or why it refuses the model."""
    properties = tuple(map(always, claims))
    try:
        found: Report[Any] = engine.explore(model, properties, KEEP_GOING)
    except ModelError as error:
        return str(error)
    return found


UNLIKE = {
    "a truth value in a value": (Parcel(1), Parcel(True)),
    "a float in a value": (Parcel(1), Parcel(1.0)),
    "a decimal in a value": (Parcel(1), Parcel(Decimal(1))),
    "a fraction in a value": (Parcel(1), Parcel(Fraction(1))),
    "an enumerated number in a value": (Parcel(1), Parcel(Grade.LOW)),
    "an enumerated text in a value": (Parcel("low"), Parcel(Word.LOW)),
    "a named tuple in a value": (Parcel((1, 2)), Parcel(Pair(1, 2))),
    "a truth value in a tuple in a value": (Parcel((0, (1,))), Parcel((0, (True,)))),
    "a truth value in a set in a value": (
        Parcel(frozenset({1})),
        Parcel(frozenset({True})),
    ),
    "a truth value in a value in a value": (Parcel(Parcel(1)), Parcel(Parcel(True))),
    "a field that is not compared": (ForgetfulValue(1, 0), ForgetfulValue(1, 1)),
    "a field that is not compared, deep": (
        Parcel((ForgetfulValue(1, 0),)),
        Parcel((ForgetfulValue(1, 1),)),
    ),
    "a comparison that leaves a field out": (Careless(1, 0), Careless(1, 1)),
    "a comparison by identity": (Unique(1), Unique(1)),
    "a truth value": (1, True),
    "an enumerated number": (1, Grade.LOW),
    "an enumerated text": ("low", Word.LOW),
}


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
@pytest.mark.parametrize(("known", "unlike"), UNLIKE.values(), ids=UNLIKE)
def test_a_cell_that_has_both_is_refused(engine: Any, known: Any, unlike: Any) -> None:
    """The message has the cell and, of values alike, the class."""
    model = Toy((putting(unlike),), (Shelf(known),))
    found = outcome(engine, model)
    assert isinstance(found, str)
    assert "`cell`" in found
    assert repr(unlike) in found


@pytest.mark.parametrize("name", sorted(UNLIKE.keys() - {"a comparison by identity"}))
def test_the_naive_engine_takes_no_state_for_another(name: str) -> None:
    """Two states that differ in nothing that Python sees are refused, not merged."""
    known, unlike = UNLIKE[name]

    def put(state: Shelf) -> Iterator[Shelf]:
        yield state.evolve(cell=unlike)

    found = outcome(Naive(), Toy((put,), (Shelf(known),)))
    assert isinstance(found, str)
    assert "`cell`" in found
    assert repr(unlike) in found


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_cells_of_one_family_may_not_differ_either(engine: Any) -> None:
    """The cells of a family share their values."""

    def put(state: Shelves) -> Iterator[Shelves]:
        if state.steps == 0:
            yield state.evolve(cells={1: Parcel(True)}, steps=1)

    assert "`cells`" in str(outcome(engine, Toy((put,), (Shelves(),))))


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
@pytest.mark.parametrize(
    "arguments", [(1, True), (True, 1), ((1,), (True,)), (Parcel(True), Parcel(1))]
)
def test_arguments_are_told_apart(engine: Any, arguments: tuple[Any, Any]) -> None:
    """A question with an equal argument is another question."""

    def ask(state: Shelf) -> Iterator[Shelf]:
        if state.steps < 2:
            content = Parcel(arguments[state.steps]).content
            name = state.cell.class_name_of(content)
            inside = state.cell.class_name_of(getattr(content, "content", content))
            yield state.evolve(cell=Parcel(f"{name} {inside}"), steps=state.steps + 1)

    def is_short(state: Shelf) -> bool:
        return bool(state.cell != Parcel("bool bool"))

    model = Toy((ask,), (Shelf(),))
    assert outcome(engine, model, is_short) == outcome(Naive(), model, is_short)


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_operations_with_equal_arguments_are_told_apart(engine: Any) -> None:
    """To put 1 and to put True into a box are two operations."""

    def put(state: Shelf) -> Iterator[Shelf]:
        if state.steps == 0:
            yield state.evolve(cell=state.cell.put(1), steps=1)
        elif state.steps == 1:
            yield state.evolve(cell=state.cell.put(True), steps=2)

    assert "Parcel(content=True)" in str(outcome(engine, Toy((put,), (Shelf(),))))


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_answers_are_told_apart(engine: Any) -> None:
    """A function sees the answer of the value at hand, not of an equal one."""

    @frozen
    class Two(Cells):
        first: Parcel = Parcel(1)
        second: Parcel = Parcel(True)

    def keeps_numbers(state: Two) -> bool:
        return all(type(part) is int for part in state.first.wrapped())

    def has_a_truth_value(state: Two) -> bool:
        return type(state.second.wrapped()[0]) is bool

    def swap(state: Two) -> Iterator[Two]:
        if state.first.wrapped() == (1,) and state.second.wrapped() == (True,):
            yield state.evolve(first=Parcel(2))

    model = Toy((swap,), (Two(),))
    claims = keeps_numbers, has_a_truth_value
    found = outcome(engine, model, *claims)
    assert found == outcome(Naive(), model, *claims)
    assert isinstance(found, Report)
    assert found.verdict is Verdict.HOLDS


@pytest.mark.parametrize("engine", [*ENGINES, Naive()], ids=[*NAMES, "naive"])
@pytest.mark.parametrize(
    "starts",
    [((), (Parcel(1),)), ((Parcel(1),), ()), ((Parcel(1),), (Parcel(1), Parcel(2)))],
)
def test_a_family_has_one_length(engine: Any, starts: tuple[Any, Any]) -> None:
    """Also where the first initial state has none of its cells."""
    model = Toy((), tuple(map(Shelves, starts)))
    assert "`cells`" in str(outcome(engine, model))


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_families_that_exchange_a_cell_are_refused(engine: Any) -> None:
    """As many cells in all are not the same cells."""

    @frozen
    class Families(Cells):
        left: tuple[int, ...]
        right: tuple[int, ...]

    model = Toy((), (Families((1,), (1, 2)), Families((1, 2), (1,))))
    assert "`left`" in str(outcome(engine, model))


@pytest.mark.parametrize("engine", ENGINES, ids=NAMES)
def test_a_list_in_a_cell_is_refused(engine: Any) -> None:
    """With the cell and the class in place of a traceback."""
    found = str(outcome(engine, Toy((putting([1]),), (Shelf(),))))
    assert "`cell`" in found
    assert "list" in found
