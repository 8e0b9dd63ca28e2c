"""An action that does something with each item that a question gives of a set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest.mock import patch

import pytest
from attrs import frozen

from random_sets.message_systems import Demand, Message, PostOffice, Response
from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    Columns,
    explored,
    put,
    runs_of,
    split_of,
    split_whatever_reads,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.learning.parts import parted_functions
from replicheck.explorer.report import Report
from replicheck.model.modelling.containers import Bag, Set
from replicheck.model.state_base import Cells
from set_loops.parted_actions import FEW
from toys import Toy

ITEMS = tuple(map(Item, range(4)))
DOMAINS: dict[object, tuple[object, ...]] = {Item: ITEMS}
NO_BAG = Bag[Message]()
MOST_RUNS = 400
"""Of an action with a part for each element, in 4,096 states."""
Deliver = Callable[[PostOffice], Iterator[PostOffice]]


def send(s: PostOffice, item: Item) -> Iterator[PostOffice]:
    for message in (Demand(item), Demand(item, 1), Response(item)):
        inboxes = {0: s.inboxes[0].add(message)}
        yield s.evolve(inboxes=inboxes)


def take_demands(s: PostOffice) -> Iterator[PostOffice]:
    for demand in sorted(s.inboxes[0].where(Demand), key=repr):
        yield s.evolve(inboxes={0: s.inboxes[0].remove(demand)})


def take_some_of_a_caller(s: PostOffice) -> Iterator[PostOffice]:
    caller = min(s.count, 1)
    for demand in sorted(s.inboxes[0].where(Demand, caller=caller), key=str):
        if demand.number > 1:
            yield s.evolve(inboxes={0: s.inboxes[0].remove(demand)})


def count_numbers(s: PostOffice) -> Iterator[PostOffice]:
    for number in sorted(s.inboxes[0].numbers(Demand), key=repr):
        yield s.evolve(count=number)


def take_what_others_would_not_answer(s: PostOffice) -> Iterator[PostOffice]:
    if not s.inboxes[0].where(Response):
        for message in sorted(s.inboxes[0].where(caller=1), key=repr):
            yield s.evolve(inboxes={0: s.inboxes[0].remove(message)})


def take_any(s: PostOffice) -> Iterator[PostOffice]:
    for message in sorted(s.inboxes[0], key=repr):
        yield s.evolve(inboxes={0: s.inboxes[0].remove(message)})


PARTED: list[Deliver] = [
    take_any,
    take_demands,
    take_some_of_a_caller,
    take_what_others_would_not_answer,
    count_numbers,
]


def take_where_the_name_begins_a_line(s: PostOffice) -> Iterator[PostOffice]:
    # fmt: off
    for demand in sorted(s.inboxes[0]
                         .where(Demand), key=repr):
        # fmt: on
        yield s.evolve(inboxes={0: s.inboxes[0].remove(demand)})


def take_what_a_list_has_not(s: PostOffice) -> Iterator[PostOffice]:
    seen: list[int] = []
    for demand in sorted(s.inboxes[0].where(Demand), key=repr):
        if demand.number not in seen:
            seen.append(demand.number)
            yield s.evolve(inboxes={0: s.inboxes[0].remove(demand)})


class Odd:
    """What is equal to odd numbers, and has no hash."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int) and other % 2 == 1


def take_what_no_table_can_have(s: PostOffice) -> Iterator[PostOffice]:
    for demand in sorted(s.inboxes[0].where(Demand, number=Odd()), key=repr):
        yield s.evolve(inboxes={0: s.inboxes[0].remove(demand)})


WHOLE: list[Deliver] = [
    take_where_the_name_begins_a_line,
    take_what_a_list_has_not,
    take_what_no_table_can_have,
]


def searched(*actions: Deliver) -> Report[PostOffice]:
    """The report of a search, which the obvious search agrees with."""
    model = Toy((send, *actions), (PostOffice(),), domains=DOMAINS)
    found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    return found


@pytest.mark.parametrize("action", PARTED)
def test_it_is_learned_for_each_element_by_itself(action: Deliver) -> None:
    """Also where several elements give the same."""
    with split_whatever_reads(Columns(5, False)):
        report = searched(action)
    assert report.states >= 1 << 3 * len(ITEMS)
    assert report.actions[action.__name__].generated
    assert runs_of(report, action.__name__) < MOST_RUNS


@pytest.mark.parametrize("action", WHOLE)
def test_it_does_what_it_does_for_all(action: Deliver) -> None:
    """Where one item shows to another, or it is not known which items these are."""
    with split_whatever_reads(Columns(5, False)):
        searched(action)


def test_a_question_may_promise_nothing() -> None:
    """Though its text is that of one which does."""

    def take_of_more(s: Sets) -> Iterator[Sets]:
        for item in sorted(s.left.union(FEW), key=repr):
            yield s.evolve(left=s.left - {item}, right=frozenset({item}))

    with split_whatever_reads(Columns(5, False)):
        assert split_of(explored(put, take_of_more, crowded=20)) == {"left": 10}


@frozen
class AskedSet(Set[Item]):
    """A set that is asked for some of its items."""

    BY_ITEM = Set.BY_ITEM | {"among"}

    def among(self, *wanted: Item) -> frozenset[Item]:
        """The items that are wanted."""
        return frozenset(item for item in self.items if item in wanted)


@frozen
class AskedSets(Cells):
    """A shelf, and the items that are taken from there."""

    shelf: AskedSet = AskedSet()
    wanted: frozenset[Item] = frozenset()


def test_what_a_question_is_about_may_be_a_set_of_the_state() -> None:
    """No part is taken of that, though it is iterated where the question is."""

    def want(s: AskedSets, item: Item) -> Iterator[AskedSets]:
        yield s.evolve(shelf=s.shelf.add(item))
        yield s.evolve(wanted=s.wanted | {item})

    def take(s: AskedSets) -> Iterator[AskedSets]:
        for item in sorted(s.shelf.among(*s.wanted), key=repr):
            yield s.evolve(shelf=s.shelf.remove(item))

    model = Toy((want, take), (AskedSets(),), domains=DOMAINS)
    with split_whatever_reads(Columns(5, False)):
        found = BreadthFirst(crowded=4).explore(model, ())
    assert found == Naive().explore(model, ())


def test_an_element_of_which_a_question_is_an_error() -> None:
    """The part of that element raises it."""

    def take_of_a_caller(s: PostOffice) -> Iterator[PostOffice]:
        for message in sorted(s.inboxes[0].where(caller=1), key=repr):
            yield s.evolve(inboxes={0: s.inboxes[0].remove(message)})

    def answer(s: PostOffice) -> Iterator[PostOffice]:
        if len(s.inboxes[0].where(Demand)) > 4:
            yield s.evolve(inboxes={0: s.inboxes[0].add(Response(3))})

    def demand(s: PostOffice, item: Item) -> Iterator[PostOffice]:
        for caller in (0, 1, 2):
            yield s.evolve(inboxes={0: s.inboxes[0].add(Demand(item, caller))})

    model = Toy((demand, answer, take_of_a_caller), (PostOffice(),), domains=DOMAINS)
    with split_whatever_reads(Columns(5, False)):
        found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    assert found.failure is not None
    assert "has no attribute 'caller'" in found.failure.message


def test_few_functions_are_learned_for_many_elements() -> None:
    """Then several of a part may give the same."""
    with patch.object(parted_functions, "MOST", 4):
        report = searched(count_numbers)
    assert 4 < runs_of(report, "count_numbers") < 1 << 3 * len(ITEMS)


@frozen
class LossyPipe(Cells):
    """Messages on their way, of which there may be copies."""

    sent: Bag[Message] = NO_BAG


def test_a_bag_is_split_into_its_copies() -> None:
    """And an action that does something with each item is learned copy by copy."""

    def send_again(s: LossyPipe, item: Item) -> Iterator[LossyPipe]:
        if s.sent.count(Demand(item)) < 3:
            yield s.evolve(sent=s.sent.add(Demand(item)))

    def lose(s: LossyPipe) -> Iterator[LossyPipe]:
        for message in sorted(s.sent.where(Demand), key=repr):
            yield s.evolve(sent=s.sent.remove(message))

    model = Toy((send_again, lose), (LossyPipe(),), domains=DOMAINS)
    found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    assert found.statistics.breadth_first is not None
    assert dict(found.statistics.breadth_first.split) == {"sent": 12}
    assert found.states == 4 ** len(ITEMS)
    assert found.statistics.breadth_first.functions["lose"].runs < found.states / 2
