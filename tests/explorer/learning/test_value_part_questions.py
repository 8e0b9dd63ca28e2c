"""What is asked of a part of a value is learned once, whatever else the value holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import attrs
import pytest
from attrs import frozen

from random_models.records import (
    EMPTY,
    ITEMS,
    Item,
    OuterRecord,
    RecordState,
    longer,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.proxies.part_proxies import SetPart, TuplePart
from replicheck.model.state_base import Cells
from replicheck.modelling import Value
from toys import Toy


def growing(
    item_into: Callable[[OuterRecord, Item], OuterRecord],
) -> tuple[Toy, list[Item]]:
    """A model that puts each of ten items into a record, and the runs of its action."""
    runs: list[Item] = []

    def add(state: RecordState, item: Item) -> Iterator[RecordState]:
        runs.append(item)
        if item not in state.one.votes and item not in state.one.box.chosen:
            yield state.evolve(one=item_into(state.one, item))

    return Toy(
        (add,), (RecordState(),), domains={Item: tuple(map(Item, range(10)))}
    ), runs


WAYS: dict[str, Callable[[OuterRecord, Item], OuterRecord]] = {
    "made anew": lambda n, i: OuterRecord(n.votes | {i}, n.log, n.term, n.box),
    "evolve": lambda n, i: n.evolve(votes=n.votes | {i}),
    "attrs.evolve": lambda n, i: cast(
        OuterRecord, attrs.evolve(cast(Any, n), votes=n.votes | {i})
    ),
    "an operation of a part": lambda n, i: n.evolve(box=n.box.choose_all((i,))),
    "a part of a part": lambda n, i: n.evolve(
        box=n.box.evolve(chosen=n.box.chosen | {i})
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_part_is_asked_and_not_read(way: str) -> None:
    """An action that adds an item runs as often as it has answers, not sets."""
    model, runs = growing(WAYS[way])
    report = BreadthFirst().explore(model, ())
    assert report.states == 2**10
    assert len(runs) < 300


@pytest.mark.parametrize("way", WAYS)
def test_workers_tell_one_another_of_parts(way: str) -> None:
    """What one has learned the next need not ask again, and all find the same."""
    model, _ = growing(WAYS[way])
    expected = BreadthFirst().explore(model, ())
    found = Partitioned(buckets=3, small=8).explore(model, ())
    assert (found.states, found.levels) == (expected.states, expected.levels)


def test_a_tuple_is_asked_for_its_ends() -> None:
    """An action that appends and takes runs as often as there are items."""
    runs: list[Item] = []

    def send(state: RecordState, item: Item) -> Iterator[RecordState]:
        runs.append(item)
        if len(state.one.log) < 7:
            yield state.evolve(one=state.one.evolve(log=longer(state.one.log, item)))

    def receive(state: RecordState, item: Item) -> Iterator[RecordState]:
        runs.append(item)
        if state.one.log and state.one.log[0] == item:
            yield state.evolve(one=OuterRecord(log=state.one.log[1:]))

    model = Toy((send, receive), (RecordState(),), domains={Item: ITEMS})
    report = BreadthFirst().explore(model, ())
    assert report.states == sum(len(ITEMS) ** length for length in range(8))
    assert len(runs) < 500


def test_a_family_and_records_are_added() -> None:
    """What stands for a tuple or a record takes records as they are."""

    def add(state: RecordState) -> Iterator[RecordState]:
        if len((*state.family, EMPTY)) == len(state.family + (EMPTY,)):  # noqa: RUF005
            yield state.evolve(one=OuterRecord(term=1))

    model = Toy((add,), (RecordState(),))
    assert BreadthFirst().explore(model, ()) == Naive().explore(model, ())


def test_every_member_of_a_tuple_and_a_set_is_one_of_its_part() -> None:
    """Python's own lists of them say so."""
    for kind, part in ((frozenset, SetPart), (tuple, TuplePart)):
        members = {name for name in dir(kind) if not name.startswith("__")}
        assert all(callable(getattr(part, name, None)) for name in members)


class WrongRecord(Value):
    """A record that says of its field what is not so."""

    items: frozenset[int] = None  # type: ignore[assignment]


@frozen
class WrongState(Cells):
    """A state with such a record."""

    wrong: WrongRecord


def test_a_field_holds_what_its_annotation_says() -> None:
    """Otherwise a question to it would be another one than on the plain state."""

    def forget(state: WrongState) -> Iterator[WrongState]:
        yield state.evolve(wrong=WrongRecord())

    told = "the field WrongRecord.items is annotated as frozenset and holds None"
    with pytest.raises(ModelError, match=told):
        BreadthFirst().explore(
            Toy((forget,), (WrongState(WrongRecord(frozenset())),)), ()
        )
