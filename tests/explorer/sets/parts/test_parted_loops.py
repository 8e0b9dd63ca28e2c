"""An action that does something with each item of a set is learned item by item."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from functools import wraps
from itertools import islice
from typing import Any, NewType, cast
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from random_models.systems import slowly
from random_sets.loop_systems import EACH_SYSTEMS, LoopSystem
from random_sets.message_systems import Demand, PostOffice
from random_sets.set_systems import Item, Sets
from random_sets.splits import (
    COLUMNS,
    ITEMS,
    Columns,
    explored,
    is_parted,
    put,
    runs_of,
    split_of,
    split_whatever_reads,
)
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.learning import encoding_watch
from replicheck.explorer.learning.parts import parted_functions
from replicheck.explorer.properties import every_step
from replicheck.explorer.proxies.loops.source_tree import (
    SHARED_NAMES_CRASH,
    has_shared_names,
)
from searches.resumed_searches import Moment, ended_and_resumed
from set_loops.parted_actions import CHANGING, FEW, PARTED, WHOLE, take_any
from toys import Toy

MOST_RUNS = 600
"""Of an action with a part for each of some columns, in 1,024 states."""
Box = NewType("Box", int)
WAITS = tuple(map(Item, range(20, 26)))
Acts = Callable[[Any], Iterator[Sets]]


@pytest.mark.parametrize("action", PARTED)
def test_an_action_is_learned_for_each_item_by_itself(action: Acts) -> None:
    """If all its steps come of a loop that does for each item what it does alone."""
    if SHARED_NAMES_CRASH and has_shared_names(cast(Any, action).__code__):
        pytest.skip("this version of Python may crash then")
    assert is_parted(action)
    report = explored(put, action)
    assert report.states >= 1 << len(ITEMS)
    assert split_of(report) == {"left": len(ITEMS)}
    assert runs_of(report, action.__name__) < MOST_RUNS


@pytest.mark.parametrize("action", WHOLE)
def test_an_action_of_which_the_text_does_not_say_so(action: Acts) -> None:
    """It comes from no such loop, or a name leads from one item to the next."""
    assert not is_parted(action)
    explored(put, action)


@pytest.mark.parametrize("action", CHANGING)
def test_what_a_loop_changes_shows_to_the_next_item(action: Acts) -> None:
    """Such as a list: then one part does all, and the others nothing."""
    with split_whatever_reads(Columns(5, False)):
        report = explored(put, action, crowded=20)
    assert split_of(report) == {"left": len(ITEMS)}


SHADOWED = """
def sorted(items, key):
    return list(items)[:1]

def move(s):
    for _ in sorted(s.left, key=repr):
        yield s.evolve(right=frozenset({0}))
"""
HELPER = """
def least(s):
    for item in sorted(s.left, key=repr):
        return item
"""
HELPED = """
def move(s):
    for item in sorted(s.left, key=repr):
        rest = s.left - {item}
        if least(s) == item:
            yield s.evolve(left=rest)
"""


def move_in(names: dict[str, Any], *texts: str) -> Acts:
    """The action of some texts, each of which is a file."""
    for number, text in enumerate(texts):
        file, lines = f"<text {number}>", text.splitlines(keepends=True)
        linecache.cache[file] = (len(text), None, lines, file)
        exec(compile(text, file, "exec", dont_inherit=True), names)
    move: Acts = names["move"]
    return move


def test_a_builtin_may_be_another_function() -> None:
    """Then one part does what the loop does."""
    with patch.dict(linecache.cache), split_whatever_reads(Columns(5, False)):
        report = explored(put, move_in({}, SHADOWED), crowded=20)
    assert split_of(report) == {"left": len(ITEMS)}


def test_a_loop_at_the_same_place_of_another_file_is_another_one() -> None:
    """It sees all of the set."""
    with patch.dict(linecache.cache), split_whatever_reads(Columns(5, False)):
        move = move_in({}, HELPER, HELPED)
        assert is_parted(move)
        explored(put, move, crowded=20)


def test_an_action_may_be_wrapped_in_another_function() -> None:
    """Then that is what is done, such as the first step alone."""

    @wraps(take_any)
    def take_first(s: Sets) -> Iterator[Sets]:
        yield from islice(take_any(s), 1)

    explored(put, take_first)


class Mover:
    """What has a set of its own, of the same name."""

    left = FEW

    def move(self, s: Sets) -> Iterator[Sets]:
        """Move one of them."""
        for item in sorted(self.left, key=repr):
            yield s.evolve(right=frozenset({item}))


def test_an_action_may_be_a_method() -> None:
    """Its first argument is no state."""
    with split_whatever_reads(Columns(5, False)):
        report = explored(put, Mover().move, crowded=20)
    assert split_of(report) == {"left": len(ITEMS)}


def test_few_functions_are_learned_for_many_columns() -> None:
    """Then a part has several elements."""
    with patch.object(parted_functions, "MOST", 4):
        report = explored(put, take_any)
    assert split_of(report) == {"left": len(ITEMS)}
    assert 4 < runs_of(report, "take_any") < 1 << len(ITEMS)


def test_several_actions_and_arguments_have_parts() -> None:
    """An instance is enabled where any of its parts is, and counted once."""

    def take_with(s: Sets, right: Item) -> Iterator[Sets]:
        for item in sorted(s.left, key=repr):
            if item >= right:
                yield s.evolve(left=s.left - {item}, right=frozenset({Item(right % 2)}))

    report = explored(put, take_any, take_with)
    assert runs_of(report, "take_any") < MOST_RUNS
    assert runs_of(report, "take_with") < len(ITEMS) * MOST_RUNS
    counts = report.actions["take_any"]
    assert counts.enabled < counts.generated


def test_a_set_may_be_in_a_family_or_in_a_value() -> None:
    """The loop goes over one set, whichever that is."""

    def send(s: PostOffice, item: Item) -> Iterator[PostOffice]:
        yield s.evolve(sent=s.sent.add(Demand(item)))

    def deliver(s: PostOffice) -> Iterator[PostOffice]:
        for message in sorted(s.sent.items, key=repr):
            box = message.number % 2
            yield s.evolve(
                sent=s.sent.remove(message), inboxes={box: s.inboxes[box].add(message)}
            )

    def take_out(s: PostOffice, box: Box) -> Iterator[PostOffice]:
        for message in sorted(s.inboxes[box].items, key=repr):
            yield s.evolve(inboxes={box: s.inboxes[box].remove(message)})

    domains: dict[object, tuple[object, ...]] = {Item: ITEMS[:6], Box: (Box(0), Box(1))}
    model = Toy((send, deliver, take_out), (PostOffice(),), domains=domains)
    found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    assert runs_of(found, "deliver") < MOST_RUNS
    assert runs_of(found, "take_out") < 2 * MOST_RUNS


def test_a_loop_over_a_family_is_none_over_a_set() -> None:
    """Though the sets of the family are split."""

    def fill(s: Sets, item: Item) -> Iterator[Sets]:
        yield s.evolve(family={0: s.family[0] | {item}})

    def count(s: Sets) -> Iterator[Sets]:
        for items in s.family:
            yield s.evolve(right=items & FEW)

    with split_whatever_reads(Columns(5, False)):
        report = explored(fill, count, crowded=20)
    assert split_of(report) == {"family": len(ITEMS)}


def test_a_step_property_sees_the_state_before() -> None:
    """A cell that a step of a part leaves alone is the same object."""

    def keeps_left(before: Sets, after: Sets) -> bool:
        return after.right is before.right or after.left is before.left

    def leaves_items(before: Sets, after: Sets) -> bool:
        return after.left is before.left or len(after.left) != 9

    def move(s: Sets) -> Iterator[Sets]:
        for item in sorted(s.left, key=repr):
            yield s.evolve(left=s.left - {item})
            yield s.evolve(right=FEW)

    model = Toy((put, move), (Sets(),), domains={Item: ITEMS})
    properties = [every_step(keeps_left), every_step(leaves_items)]
    search = Search(stop=Stop.EXHAUSTED)
    found = BreadthFirst(crowded=20).explore(model, properties, search)
    assert found == Naive().explore(model, properties, search)
    assert runs_of(found, "move") < MOST_RUNS
    assert [violation.property for violation in found.violations] == ["leaves_items"]


def test_an_action_that_runs_often_before_there_is_any_item() -> None:
    """It has the parts that the set is known to need all the same."""

    def wait(s: Sets) -> Iterator[Sets]:
        if len(s.right) < len(WAITS):
            yield s.evolve(right=s.right | {WAITS[len(s.right)]})

    def put_late(s: Sets, item: Item) -> Iterator[Sets]:
        if len(s.right) == len(WAITS):
            yield s.evolve(left=s.left | {item})

    def take_late(s: Sets) -> Iterator[Sets]:
        if WAITS[0] in s.right and len(s.right) > 1:
            for item in sorted(s.left, key=repr):
                yield s.evolve(left=s.left - {item})

    model = Toy((wait, put_late, take_late), (Sets(),), domains={Item: ITEMS})
    with patch.object(encoding_watch, "MOST_RUNS", 0):
        found = BreadthFirst(crowded=20).explore(model, ())
    assert found == Naive().explore(model, ())
    assert found.actions["take_late"].generated
    assert runs_of(found, "take_late") < MOST_RUNS


@pytest.mark.parametrize("moment", [1, 7, 30])
def test_a_search_goes_on_with_parts(moment: int) -> None:
    """A checkpoint says of which actions, and a search with few states finds them."""
    model = Toy((put, take_any), (Sets(),), domains={Item: ITEMS})
    moments: list[Moment] = [(moment, KeyboardInterrupt)]
    engine = BreadthFirst(crowded=4)
    ended = ended_and_resumed(engine, model, (), Search(), moments, [None, None])
    assert ended == Naive().explore(model, ())
    assert runs_of(ended, "take_any") < MOST_RUNS


@settings(slowly, max_examples=slowly.max_examples // 2)
@given(EACH_SYSTEMS, COLUMNS)
def test_whatever_a_loop_with_all_steps_does(
    system: LoopSystem, columns: Columns
) -> None:
    """Also where it does not do it for each item alone."""
    model, properties = system.checked
    search = Search(Limits(states=300), Stop.EXHAUSTED)
    expected = Naive().explore(model, properties, search)
    with split_whatever_reads(columns):
        assert BreadthFirst(crowded=2).explore(model, properties, search) == expected
