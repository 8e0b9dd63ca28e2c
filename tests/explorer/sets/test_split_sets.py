"""Sets with many values are split: each element has a column of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from attrs import frozen

from random_sets.message_systems import (
    AskedInbox,
    Demand,
    Messages,
    PostOffice,
)
from random_sets.set_systems import Item, Sets
from random_sets.splits import ITEMS, explored, put, put_next, split_of
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning import crowded_sets
from replicheck.explorer.report import Verdict
from replicheck.explorer.states import set_elements
from replicheck.model.modelling.containers import Set
from replicheck.model.modelling.values import Value
from replicheck.model.state_base import Cells
from searches.resumed_searches import Moment, ended_and_resumed
from toys import Toy

CROWDED_AT_ONCE = 4
"""The set is split before three items are in it."""


def test_a_set_with_many_values_is_known_by_its_elements() -> None:
    """One with few is known by its values."""
    assert split_of(explored(put)) == {"left": 10}
    assert split_of(explored(put, crowded=2_000)) == {}


def test_a_set_that_is_read_as_a_whole_stays_one_value() -> None:
    """To read all columns would cost more."""

    def move(state: Sets) -> Iterator[Sets]:
        if sum(state.left) == 3:
            yield state.evolve(right=state.left)

    assert split_of(explored(put, move)) == {}


@pytest.mark.parametrize(("least", "split"), [(8, {}), (5, {"left": 10})])
def test_a_set_that_is_often_read_as_a_whole_is_one_value_again(
    least: int, split: dict[str, int]
) -> None:
    """A function begins to do so when it has been split, once all great items came."""

    def move(state: Sets) -> Iterator[Sets]:
        if state.left.issuperset(ITEMS[least:]) and sum(state.left) == 20:
            yield state.evolve(right=frozenset({Item(1)}))

    assert split_of(explored(put, move, crowded=20)) == split


def test_a_search_that_goes_on_with_too_few_columns_begins_anew() -> None:
    """The element that has none comes after the checkpoint."""
    model = Toy((put_next,), (Sets(),), domains={Item: ITEMS})
    engine, again = BreadthFirst(crowded=4), BreadthFirst._explore
    explore = patch.object(BreadthFirst, "_explore", autospec=True, side_effect=again)
    with patch.object(crowded_sets, "SPARE", 0), explore as begun:
        moments: list[Moment] = [(9, KeyboardInterrupt)]
        ended = ended_and_resumed(engine, model, (), Search(), moments, [None, None])
    assert begun.call_count == 2
    assert ended == Naive().explore(model, ())
    assert split_of(ended) == {"left": 10}


def test_a_set_that_gets_more_elements_than_it_has_columns() -> None:
    """It gets more columns, up to the most that a set can have."""
    with patch.object(crowded_sets, "SPARE", 0):
        assert split_of(explored(put_next, crowded=4)) == {"left": 10}
        with patch.object(set_elements, "MOST", 8):
            assert split_of(explored(put_next, crowded=4)) == {}


def test_a_question_by_items_reads_no_other_item() -> None:
    """An action that asks for messages of a number runs as often as these differ."""

    def send(post: PostOffice, number: Item, caller: Item) -> Iterator[PostOffice]:
        yield post.evolve(sent=post.sent.add(Demand(number, caller)))

    def count(post: PostOffice, number: Item) -> Iterator[PostOffice]:
        if len(post.sent.where(Demand, number=number)) == 2:
            yield post.evolve(count=1)

    domains: dict[object, tuple[object, ...]] = {Item: ITEMS[:3]}
    model = Toy((send, count), (PostOffice(),), domains=domains)
    report = BreadthFirst(crowded=50).explore(model, ())
    assert report == Naive().explore(model, ())
    assert report.states > 900
    assert report.statistics.breadth_first is not None
    assert report.statistics.breadth_first.functions["count"].runs < 60


def test_a_split_set_stays_a_set_of_its_class() -> None:
    """What else is written to the cell is refused as without a split."""

    def forget(state: Sets) -> Iterator[Sets]:
        if state.left.issuperset(ITEMS[5:8]):
            yield state.evolve(left=None)

    model = Toy((put, forget), (Sets(),), domains={Item: ITEMS})
    for crowded in (CROWDED_AT_ONCE, 2_000):
        with pytest.raises(ModelError, match="`left` was a frozenset and is now None"):
            BreadthFirst(crowded=crowded).explore(model, ())


def test_an_element_that_equals_another_one_is_refused() -> None:
    """True and 1 are equal in Python, and two values."""

    def confuse(state: Sets) -> Iterator[Sets]:
        if state.left.issuperset(ITEMS[5:8]):
            yield state.evolve(left=state.left | {True})

    model = Toy((put, confuse), (Sets(),), domains={Item: ITEMS})
    with pytest.raises(ModelError, match="the cell `left` is both 1 and True"):
        BreadthFirst(crowded=CROWDED_AT_ONCE).explore(model, ())


def test_to_ask_for_what_cannot_be_hashed_raises_as_in_python() -> None:
    """The run that raises is reported as the obvious search does."""
    unhashable: Any = [1]

    def ask(state: Sets) -> Iterator[Sets]:
        if state.left.issuperset(ITEMS[5:8]) and unhashable in state.left:
            yield state

    report = explored(put, ask, crowded=CROWDED_AT_ONCE)
    assert report.verdict is Verdict.ERROR
    assert split_of(report) == {"left": 10}


class LabelledItems(Set[Item]):
    """A set with a field besides."""

    label: int = 0


class CheckedItems(Set[Item]):
    """A set whose items are looked at when one is made."""

    def __attrs_post_init__(self) -> None:
        """Refuse too many."""
        assert len(self.items) < 100


class UnpromisedItems(Value):
    """A value that holds a set among others."""

    items: frozenset[Item] = frozenset()


@frozen
class HeldSet(Cells):
    """A cell with one of these."""

    cell: Any


@pytest.mark.parametrize("kind", [LabelledItems, CheckedItems, UnpromisedItems])
def test_a_class_that_is_more_than_its_items_is_not_split(kind: type) -> None:
    """Nor is one that promises nothing."""

    def put_in(held: HeldSet, item: Item) -> Iterator[HeldSet]:
        cell = held.cell
        if item not in cell.items:
            yield held.evolve(cell=kind(cell.items | {item}))

    model = Toy((put_in,), (HeldSet(kind()),), domains={Item: ITEMS})
    report = BreadthFirst(crowded=50).explore(model, ())
    assert report.states == 2**10
    assert split_of(report) == {}


class UnevenItems(Set[Item]):
    """A set that breaks its promise: what it gives of two is more than of each."""

    BY_ITEM: ClassVar[frozenset[str]] = frozenset({"pairs"})

    def pairs(self) -> frozenset[Item]:
        """All of it, if it has two items or more."""
        return self.items if len(self.items) > 1 else frozenset()


def test_a_promise_that_is_not_kept() -> None:
    """What comes of it differs from that of the plain state."""

    def put_in(held: HeldSet, item: Item) -> Iterator[HeldSet]:
        if len(held.cell.pairs()) < 5:
            yield held.evolve(cell=held.cell.add(item))

    model = Toy((put_in,), (HeldSet(UnevenItems()),), domains={Item: ITEMS})
    with pytest.raises(ModelError, match=r"not a function|differs between"):
        BreadthFirst(crowded=4, sample=1).explore(model, ())


def test_an_inbox_with_questions_of_its_own_is_split() -> None:
    """What they ask by others reads no more than these."""

    def answer(post: PostOffice, number: Item) -> Iterator[PostOffice]:
        inbox = post.inboxes[0]
        for call in sorted(inbox.where(Demand, number=number), key=str):
            assert isinstance(call, Demand)
            if not inbox.is_answered(number):
                yield post.evolve(inboxes={0: inbox.answer(call)})

    calls = frozenset(Demand(number, 0) for number in ITEMS)
    start = PostOffice(Messages(), (AskedInbox(calls), AskedInbox()))
    model = Toy((answer,), (start,), domains={Item: ITEMS})
    report = BreadthFirst(crowded=50).explore(model, ())
    assert report == Naive().explore(model, ())
    assert split_of(report) == {"inboxes": 20}
