"""Sets, tuples and records within a record: an engine asks them as it asks a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NewType, Self, cast

import attrs
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from random_models.systems import slowly
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import always
from replicheck.explorer.proxies.part_proxies import SetPart, TuplePart
from replicheck.model.state_base import Cells
from replicheck.modelling import Value
from toys import Toy

Item = NewType("Item", int)
ITEMS = tuple(map(Item, range(3)))
LONGEST = 2


class Box(Value):
    """A record within a record."""

    chosen: frozenset[Item] = frozenset()
    log: tuple[Item, ...] = ()

    def append(self, item: Item) -> Self:
        """Have one more item in the log."""
        return self.evolve(log=(*self.log, item))

    def choose_all(self, items: tuple[Item, ...]) -> Self:
        """Choose some more."""
        return self.evolve(chosen=self.chosen | set(items))


class Node(Value):
    """A record with a set, a tuple, a number, and another record."""

    votes: frozenset[Item] = frozenset()
    log: tuple[Item, ...] = ()
    term: int = 0
    box: Box = Box()

    def clear(self) -> Self:
        """Forget the log."""
        return self.evolve(log=())


EMPTY = Node()


@frozen
class Nodes(Cells):
    """A record of its own, a family of two, and how many steps are left."""

    one: Node = EMPTY
    family: tuple[Node, Node] = (EMPTY, EMPTY)
    steps_left: int = 5


PLACES = ("one", "first", "second")


def at(state: Nodes, place: str) -> Node:
    """The record at a place."""
    return state.one if place == "one" else state.family[place == "second"]


def writing(state: Nodes, place: str, node: Node) -> Nodes:
    """The state with another record at a place."""
    if place == "one":
        return state.evolve(one=node)
    return state.evolve(family={int(place == "second"): node})


Question = Callable[[Node, Node, Item], Any]
QUESTIONS: dict[str, Question] = {
    "in": lambda node, _, item: item in node.votes,
    "in within": lambda node, _, item: item in node.box.chosen,
    "in a log": lambda node, _, item: item in node.log,
    "len": lambda node, _, item: len(node.votes) > item,
    "len of a log": lambda node, _, item: len(node.box.log) == item,
    "empty": lambda node, _, item: not node.votes and not node.log,
    "last": lambda node, _, item: bool(node.log) and node.log[-1] == item,
    "slice": lambda node, _, item: node.log[:1] == (item,),
    "comparison": lambda node, other, _: node.votes <= other.votes,
    "equality": lambda node, other, _: node.log == other.box.log,
    "prefix": lambda node, other, _: node.log <= other.log,
    "after": lambda node, _, item: len(node.votes | {item}) == 1,
    "longer": lambda node, _, item: _longer(node.log, item).count(item) > 1,
    "loop": lambda node, _, item: all(vote != item for vote in node.votes),
    "order": lambda node, _, item: list(reversed(node.log)) == [item],
    "class": lambda node, _, item: isinstance(node.votes, frozenset),
    "match": lambda node, _, item: _is_single(node.log),
    "records": lambda node, other, _: node.box == other.box,
    "key": lambda node, other, _: node.votes in {other.votes, other.box.chosen},
}


def _evolved(node: Node, votes: frozenset[Item]) -> Node:
    evolved: Any = attrs.evolve(cast(Any, node), votes=votes)
    return cast(Node, evolved)


def _is_single(log: tuple[Item, ...]) -> bool:
    match log:
        case (_,):
            return True
    return False


def _longer(log: tuple[Item, ...], item: Item) -> tuple[Item, ...]:
    return log + (item,)  # noqa: RUF005 - the other way of writing it


def _short(log: tuple[Item, ...], item: Item) -> tuple[Item, ...]:
    return log if len(log) >= LONGEST else (*log, item)


CHANGES: dict[str, Callable[[Node, Node, Item], Node]] = {
    "made anew": lambda n, _, i: Node(n.votes | {i}, n.log, n.term, n.box),
    "by evolve": lambda n, _, i: n.evolve(votes=n.votes - {i}),
    "by attrs": lambda n, _, i: _evolved(n, n.votes ^ {i}),
    "twice": lambda n, _, i: n.evolve(votes=n.votes | {i}).evolve(log=n.log[:1]),
    "log": lambda n, _, i: n.evolve(log=_short(n.log, i)),
    "added": lambda n, _, i: n.evolve(log=_longer(n.log, i)),
    "head taken": lambda n, _, __: n.evolve(log=n.log[1:]),
    "reversed": lambda n, _, __: Node(n.votes, n.log[::-1], n.term, n.box),
    "within": lambda n, _, i: n.evolve(box=n.box.evolve(chosen=n.box.chosen | {i})),
    "operation within": lambda n, _, i: (
        n.evolve(box=n.box.append(i)) if len(n.box.log) < LONGEST else n
    ),
    "given its own": lambda n, _, __: n.evolve(box=n.box.choose_all(n.log)),
    "crossed": lambda n, _, __: n.evolve(log=n.box.log, votes=n.box.chosen),
    "of another": lambda n, other, _: n.evolve(votes=n.votes & other.votes),
    "the other": lambda _, other, __: other,
    "cleared": lambda n, _, __: n.clear(),
    "number": lambda n, _, __: n.evolve(term=min(n.term + 1, len(n.votes))),
}


@frozen
class Rule:
    """An action: where it is enabled, and what it writes after another write."""

    item: Item
    node: str
    other: str
    guards: tuple[str, ...]
    changes: tuple[str, ...]

    def action(self, number: int) -> Callable[..., Iterator[Nodes]]:
        """The rule as a function of a name of its own."""

        def act(state: Nodes) -> Iterator[Nodes]:
            is_refused = any(holds(state, self, guard) for guard in self.guards)
            if not state.steps_left or is_refused:
                return
            state = state.evolve(steps_left=state.steps_left - 1)
            for name in self.changes:
                node, other = at(state, self.node), at(state, self.other)
                changed = CHANGES[name](node, other, self.item)
                state = writing(state, self.node, changed)
            yield state

        act.__name__ = f"act_{number}"
        return act


def holds(state: Nodes, rule: Rule, question: str) -> bool:
    """The answer to a question about the records of a rule."""
    node, other = at(state, rule.node), at(state, rule.other)
    return bool(QUESTIONS[question](node, other, rule.item))


RULES = st.builds(
    Rule,
    st.sampled_from(ITEMS),
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
    st.tuples() | st.tuples(st.sampled_from(sorted(QUESTIONS))),
    st.lists(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=2).map(tuple),
)


@slowly
@given(
    st.lists(RULES, min_size=1, max_size=3),
    st.tuples(RULES, st.sampled_from(sorted(QUESTIONS))),
    st.sampled_from([1, 64]),
)
def test_engines_agree_on_random_systems_of_records(
    rules: list[Rule], claim: tuple[Rule, str], sample: int
) -> None:
    """They find as many states, and the same shortest run to a violation."""
    actions = tuple(rule.action(number) for number, rule in enumerate(rules))
    model = Toy(actions, (Nodes(),))

    def claimed(state: Nodes) -> bool:
        return not holds(state, *claim)

    expected = Naive().explore(model, [always(claimed)])
    assert BreadthFirst(sample=sample).explore(model, [always(claimed)]) == expected


def growing(item_into: Callable[[Node, Item], Node]) -> tuple[Toy, list[Item]]:
    """A model that puts each of ten items into a record, and the runs of its action."""
    runs: list[Item] = []

    def add(state: Nodes, item: Item) -> Iterator[Nodes]:
        runs.append(item)
        if item not in state.one.votes and item not in state.one.box.chosen:
            yield state.evolve(one=item_into(state.one, item))

    return Toy((add,), (Nodes(),), domains={Item: tuple(map(Item, range(10)))}), runs


WAYS: dict[str, Callable[[Node, Item], Node]] = {
    "made anew": lambda n, i: Node(n.votes | {i}, n.log, n.term, n.box),
    "evolve": lambda n, i: n.evolve(votes=n.votes | {i}),
    "attrs.evolve": lambda n, i: _evolved(n, n.votes | {i}),
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

    def send(state: Nodes, item: Item) -> Iterator[Nodes]:
        runs.append(item)
        if len(state.one.log) < 7:
            yield state.evolve(one=state.one.evolve(log=_longer(state.one.log, item)))

    def receive(state: Nodes, item: Item) -> Iterator[Nodes]:
        runs.append(item)
        if state.one.log and state.one.log[0] == item:
            yield state.evolve(one=Node(log=state.one.log[1:]))

    model = Toy((send, receive), (Nodes(),), domains={Item: ITEMS})
    report = BreadthFirst().explore(model, ())
    assert report.states == sum(len(ITEMS) ** length for length in range(8))
    assert len(runs) < 500


def test_a_family_and_records_are_added() -> None:
    """What stands for a tuple or a record takes records as they are."""

    def add(state: Nodes) -> Iterator[Nodes]:
        if len((*state.family, EMPTY)) == len(state.family + (EMPTY,)):  # noqa: RUF005
            yield state.evolve(one=Node(term=1))

    model = Toy((add,), (Nodes(),))
    assert BreadthFirst().explore(model, ()) == Naive().explore(model, ())


def test_every_member_of_a_tuple_and_a_set_is_one_of_its_part() -> None:
    """Python's own lists of them say so."""
    for kind, part in ((frozenset, SetPart), (tuple, TuplePart)):
        members = {name for name in dir(kind) if not name.startswith("__")}
        assert all(callable(getattr(part, name, None)) for name in members)


class Wrong(Value):
    """A record that says of its field what is not so."""

    items: frozenset[int] = None  # type: ignore[assignment]


@frozen
class Holder(Cells):
    """A state with such a record."""

    wrong: Wrong


def test_a_field_holds_what_its_annotation_says() -> None:
    """Otherwise a question to it would be another one than on the plain state."""

    def forget(state: Holder) -> Iterator[Holder]:
        yield state.evolve(wrong=Wrong())

    told = "the field Wrong.items is annotated as frozenset and holds None"
    with pytest.raises(ModelError, match=told):
        BreadthFirst().explore(Toy((forget,), (Holder(Wrong(frozenset())),)), ())
