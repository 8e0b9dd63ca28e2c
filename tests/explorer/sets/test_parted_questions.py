"""An action that does something with each item that a question gives of a set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from unittest.mock import patch

import pytest
from attrs import frozen

from random_sets.message_systems import Demand, Message, PostOffice, Response
from random_sets.set_systems import Item
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.learning import parted_functions
from replicheck.explorer.report import Report
from replicheck.model.modelling.containers import Bag
from replicheck.model.state_base import Cells
from toys import Toy

ITEMS = tuple(map(Item, range(4)))
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


PARTED: list[Deliver] = [take_demands, take_some_of_a_caller, count_numbers]


def take_by_a_question_that_promises_nothing(s: PostOffice) -> Iterator[PostOffice]:
    for number in range(s.inboxes[0].least(), 2):
        yield s.evolve(count=max(number, 0))


def take_where_the_name_begins_a_line(s: PostOffice) -> Iterator[PostOffice]:
    # fmt: off
    for demand in sorted(s.inboxes[0]
                         .where(Demand), key=repr):
        # fmt: on
        yield s.evolve(inboxes={0: s.inboxes[0].remove(demand)})


def take_of_a_list(s: PostOffice) -> Iterator[PostOffice]:
    numbers = [1, 2]
    for demand in sorted(s.inboxes[0].where(Demand, number=numbers[0]), key=repr):
        numbers.append(1)
        yield s.evolve(inboxes={0: s.inboxes[0].remove(demand)})


def take_what_no_table_can_have(s: PostOffice) -> Iterator[PostOffice]:
    for demand in sorted(s.inboxes[0].where(Demand, number=[1]), key=repr):
        yield s.evolve(inboxes={0: s.inboxes[0].remove(demand)})


WHOLE: list[Deliver] = [
    take_by_a_question_that_promises_nothing,
    take_where_the_name_begins_a_line,
    take_of_a_list,
    take_what_no_table_can_have,
]


def searched(*actions: Deliver) -> Report[PostOffice]:
    """The report of a search, which the obvious search agrees with."""
    model = Toy((send, *actions), (PostOffice(),), domains={Item: ITEMS})
    found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    return found


def runs_of(report: Report[PostOffice], action: str) -> int:
    """How often the function of an action ran."""
    assert report.statistics.breadth_first is not None
    return report.statistics.breadth_first.functions[action].runs


@pytest.mark.parametrize("action", PARTED)
def test_it_is_learned_for_each_element_by_itself(action: Deliver) -> None:
    """Also where several elements give the same."""
    report = searched(action)
    assert report.states >= 1 << 3 * len(ITEMS)
    assert report.actions[action.__name__].generated
    assert runs_of(report, action.__name__) < MOST_RUNS


@pytest.mark.parametrize("action", WHOLE)
def test_it_does_what_it_does_for_all(action: Deliver) -> None:
    """Where the text does not say which items these are."""
    searched(action)


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
        if s.sent.has_room(6) and s.sent.count(Demand(item)) < 2:
            yield s.evolve(sent=s.sent.add(Demand(item)))

    def lose(s: LossyPipe) -> Iterator[LossyPipe]:
        for message in sorted(s.sent.where(Demand), key=repr):
            yield s.evolve(sent=s.sent.remove(message))

    domains: dict[object, tuple[object, ...]] = {Item: tuple(map(Item, range(5)))}
    model = Toy((send_again, lose), (LossyPipe(),), domains=domains)
    found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    assert found.statistics.breadth_first is not None
    assert dict(found.statistics.breadth_first.split) == {"sent": 10}
    assert found.states > 150
    assert found.statistics.breadth_first.functions["lose"].runs < found.states
