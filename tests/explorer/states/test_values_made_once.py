"""Values that a class makes otherwise than it is asked to are made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, cast

import pytest
from attrs import evolve, field, frozen

from replicheck.explorer.engine import Engine, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.report import Verdict
from replicheck.model.state_base import Cells
from toys import Toy

NONE = frozenset[int]()


def doubled(number: int) -> int:
    """Twice a number, below ten."""
    return 2 * number % 10


@frozen
class ConvertedRecord:
    """A record with a number that is converted, and a set that is asked by itself."""

    PARTS_ARE_ASKED = True

    items: frozenset[int] = NONE
    number: int = field(default=1, converter=doubled)


@frozen
class CompletedRecord:
    """A record that adds to what it is made of."""

    PARTS_ARE_ASKED = True

    items: frozenset[int] = NONE
    number: int = 1

    def __attrs_post_init__(self) -> None:
        """Count how often it was made of the same."""
        object.__setattr__(self, "number", self.number + 1)


@frozen
class ConvertedMessage:
    """A message with what a record holds, and a number that is converted."""

    items: frozenset[int]
    number: int = field(default=1, converter=doubled)


@frozen(slots=False)
class BothRecords(Cells):
    """Two records and what was sent."""

    converted: ConvertedRecord = ConvertedRecord()
    completed: CompletedRecord = CompletedRecord()
    sent: frozenset[ConvertedMessage] = frozenset()

    @cached_property
    def most(self) -> int:
        """The number of items in the larger set."""
        return max(len(self.converted.items), len(self.completed.items))


def put(s: BothRecords) -> Iterator[BothRecords]:
    """Put an item into both records, made anew."""
    for item in (1, 2, 3):
        items = s.converted.items | {item}
        yield s.evolve(converted=ConvertedRecord(items, s.converted.number))
        yield s.evolve(completed=CompletedRecord(s.completed.items | {item}, item))


def change(s: BothRecords) -> Iterator[BothRecords]:
    """Change the records by `attrs.evolve`."""
    if s.most < 3:
        yield s.evolve(converted=evolve(s.converted, items=NONE))
        yield s.evolve(completed=evolve(s.completed, number=0))


def send(s: BothRecords) -> Iterator[BothRecords]:
    """Send what a record holds."""
    if len(s.sent) < 2:
        yield s.evolve(sent=s.sent | {ConvertedMessage(s.converted.items)})


Act = Callable[[Any], Iterator[BothRecords]]


@pytest.mark.parametrize("actions", [(put,), (put, change), (put, send)])
@pytest.mark.parametrize("engine", [BreadthFirst(), BreadthFirst(sample=1)])
def test_a_value_is_converted_once(engine: Engine, actions: tuple[Act, ...]) -> None:
    """Whatever the class makes of it, and where a value of another cell is in it."""
    model = Toy(actions, (BothRecords(),))
    expected = Naive().explore(model, ())
    assert expected.states > 16
    assert engine.explore(model, (), Search()) == expected


class NamedPlace(NamedTuple):
    """What a state would take for two cells."""

    row: int
    column: int


HERE = NamedPlace(0, 0)


@frozen
class AnyPlace(Cells):
    """A state with a named tuple in a field, or in a family."""

    place: Any


@pytest.mark.parametrize("engine", [BreadthFirst(), Naive()])
@pytest.mark.parametrize(
    "place", [NamedPlace(0, 0), (NamedPlace(0, 0), 1), ((NamedPlace(0, 1),),)]
)
def test_a_named_tuple_is_no_family(engine: Engine, place: Any) -> None:
    """Its class would be lost."""

    def stay(s: AnyPlace) -> Iterator[AnyPlace]:
        yield s

    with pytest.raises(Exception, match="a named tuple: a state has one cell for each"):
        raise_failure(engine, Toy((stay,), (AnyPlace(place),)))


def raise_failure(engine: Engine, model: Toy) -> None:
    """Raise what ends a search, also where the report has it."""
    report = engine.explore(model, (), Search())
    assert report.verdict is Verdict.ERROR
    raise AssertionError(cast(Any, report.failure).message)


def test_a_state_without_a_hash_is_an_error_of_the_model() -> None:
    """Of each engine."""

    def write(s: AnyPlace) -> Iterator[AnyPlace]:
        yield s.evolve(place=CompletedRecord(cast(Any, [1])))

    for engine in (Naive(), BreadthFirst()):
        with pytest.raises(Exception, match="hashed"):
            raise_failure(engine, Toy((write,), (AnyPlace(CompletedRecord()),)))
