"""Cells with a frozenset: what Python does with one, an engine learns by questions."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from random_models.systems import slowly
from random_sets.set_systems import (
    ITEMS,
    METHODS,
    OPERATORS,
    RULES,
    TRUTHS,
    Expression,
    Item,
    Items,
    Rule,
    Sets,
    toy,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import always
from replicheck.explorer.proxies.set_proxy import SetMembers
from replicheck.modelling import Bag, Map, Set, State
from toys import Toy


@slowly
@given(st.lists(RULES, min_size=1, max_size=3), TRUTHS, st.sampled_from([1, 64]))
def test_engines_agree_on_random_systems_of_sets(
    rules: list[Rule], claim: Expression, sample: int
) -> None:
    """They find as many states, and the same shortest run to a violation."""
    model = toy(rules)

    def claimed(state: Sets) -> bool:
        return bool(claim.value(state))

    expected = Naive().explore(model, [always(claimed)])
    assert BreadthFirst(sample=sample).explore(model, [always(claimed)]) == expected


SUBSETS = tuple(
    Items(item for item in ITEMS if bits >> item & 1) for bits in range(1 << len(ITEMS))
)
WAYS = [
    *(("operator", how, reflected) for how in OPERATORS for reflected in (False, True)),
    *(("method", how, False) for how in METHODS),
]


@pytest.mark.parametrize(("kind", "how", "is_reflected"), WAYS)
def test_each_operation_is_as_in_python(
    kind: str, how: Any, is_reflected: bool
) -> None:
    """It is written, and asked for an item, of every set with every other."""

    def made(state: Sets, items: Items) -> Items:
        whole: Items = Expression(kind, how, "left", items, is_reflected).value(state)
        return whole

    def write(state: Sets, items: Items) -> Iterator[Sets]:
        yield state.evolve(left=made(state, items))

    def ask(state: Sets, items: Items, item: Item) -> Iterator[Sets]:
        if item in made(state, items) and made(state, items) != items:
            yield state.evolve(right=state.right.union([item]))

    for start in SUBSETS:
        domains: dict[object, tuple[object, ...]] = {Items: SUBSETS, Item: ITEMS}
        model = Toy((write, ask), (Sets(left=start),), domains=domains)
        expected = Naive().explore(model, ())
        assert BreadthFirst().explore(model, ()) == expected


def test_every_member_of_a_frozenset_is_one_of_its_proxy() -> None:
    """Python's own list of them says so."""
    members = {name for name in dir(frozenset) if not name.startswith("__")}
    assert all(callable(getattr(SetMembers, name, None)) for name in members)


def test_a_message_is_asked_for_and_not_the_whole_set() -> None:
    """An action that adds an item runs as often as it has answers, not sets."""
    runs: list[Item] = []

    def add(state: Sets, item: Item) -> Iterator[Sets]:
        runs.append(item)
        if item not in state.left:
            yield state.evolve(left=state.left | {item})

    items = tuple(map(Item, range(10)))
    model = Toy((add,), (Sets(),), domains={Item: items})
    report = BreadthFirst().explore(model, ())
    assert report.states == 2**10
    assert len(runs) < 400


def test_what_is_no_set_raises_as_in_python() -> None:
    """The run that raises is reported by both engines alike."""

    def unite(state: Sets) -> Iterator[Sets]:
        yield state.evolve(left=state.left | [1])  # type: ignore[operator]

    def ask(state: Sets) -> Iterator[Sets]:
        yield state.evolve(left=state.left.pop())  # type: ignore[attr-defined]

    for action in (unite, ask):
        model = Toy((action,), (Sets(),))
        told = set()
        for engine in (Naive(), BreadthFirst()):
            told.add(str(engine.explore(model, ()).verdict))
        assert len(told) == 1


def test_a_cell_with_a_set_stays_one() -> None:
    """None in its place is refused with the name of the cell."""

    def forget(state: Sets) -> Iterator[Sets]:
        yield state.evolve(left=None)

    with pytest.raises(ModelError, match="`left` was a frozenset and is now None"):
        BreadthFirst().explore(Toy((forget,), (Sets(),)), ())


class Drawers(State):
    """Values of each class that holds several."""

    things: Set[Item] = Set()
    more: Bag[Item] = Bag()
    last: Map[Item, Item] = Map()


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "within a list": lambda value: copy.deepcopy([value])[0],
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "vars": lambda value: value.__class__(**vars(value)),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("crowded", [2, 128], ids=["split", "whole"])
def test_a_value_is_copied_as_in_python(way: str, crowded: int) -> None:
    """What an action does with the copy, it does with the value."""
    copied = COPIES[way]

    def put(drawers: Drawers, item: Item) -> Iterator[Drawers]:
        yield drawers.evolve(things=copied(drawers.things).add(item))
        yield drawers.evolve(last=copied(drawers.last).put(item, item))

    def put_more(drawers: Drawers, item: Item) -> Iterator[Drawers]:
        if copied(drawers.more).count(item) < 1:
            yield drawers.evolve(more=copied(drawers.more).add(item))

    for actions in ((put,), (put_more,)):
        model = Toy(actions, (Drawers(),), domains={Item: ITEMS[:3]})
        expected = Naive().explore(model, ())
        fast = BreadthFirst(threads=1, crowded=crowded).explore(model, ())
        assert expected.failure is fast.failure is None
        assert fast == expected


OF_STATES = sorted(COPIES.keys() - {"vars"})


@pytest.mark.parametrize("way", OF_STATES)
def test_a_state_and_a_set_are_copied_as_in_python(way: str) -> None:
    """The copy of a state is asked as the state is."""
    copied = COPIES[way]

    def move(sets: Sets, item: Item) -> Iterator[Sets]:
        if item not in copied(sets).left:
            yield sets.evolve(left=copied(sets.left) | {item})

    model = Toy((move,), (Sets(),), domains={Item: ITEMS[:3]})
    expected = Naive().explore(model, ())
    assert expected.failure is None
    assert BreadthFirst(threads=1).explore(model, ()) == expected


def test_what_a_state_keeps_is_asked_by_name() -> None:
    """That is more than its cells, and not the same in every engine."""

    def list_all(drawers: Drawers, item: Item) -> Iterator[Drawers]:
        if len(vars(drawers)) < 9:
            yield drawers.evolve(things=drawers.things.add(item))

    model = Toy((list_all,), (Drawers(),), domains={Item: ITEMS[:3]})
    with pytest.raises(ModelError, match="differs between a plain state"):
        BreadthFirst(threads=1).explore(model, ())
