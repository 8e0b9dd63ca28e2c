"""Sets, tuples and records within a record: an engine asks them as it asks a cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import attrs
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from random_models.records import (
    ITEMS,
    LONGEST,
    Item,
    OuterRecord,
    RecordState,
    longer,
)
from random_models.systems import slowly
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import always
from toys import Toy

PLACES = ("one", "first", "second")


def at(state: RecordState, place: str) -> OuterRecord:
    """The record at a place."""
    return state.one if place == "one" else state.family[place == "second"]


def writing(state: RecordState, place: str, node: OuterRecord) -> RecordState:
    """The state with another record at a place."""
    if place == "one":
        return state.evolve(one=node)
    return state.evolve(family={int(place == "second"): node})


Question = Callable[[OuterRecord, OuterRecord, Item], Any]
QUESTIONS: dict[str, Question] = {
    "in": lambda node, _, item: item in node.votes,
    "in within": lambda node, _, item: item in node.box.chosen,
    "in a log": lambda node, _, item: item in node.log,
    "len": lambda node, _, item: len(node.votes) > item,
    "len of a log": lambda node, _, item: len(node.box.log) == item,
    "empty": lambda node, _, item: not node.votes and not node.log,
    "last": lambda node, _, item: bool(node.log) and node.log[-1] == item,
    "slice": lambda node, _, item: node.log[:1] == (item,),
    "comparison": lambda node, second, _: node.votes <= second.votes,
    "equality": lambda node, second, _: node.log == second.box.log,
    "prefix": lambda node, second, _: node.log <= second.log,
    "after": lambda node, _, item: len(node.votes | {item}) == 1,
    "longer": lambda node, _, item: longer(node.log, item).count(item) > 1,
    "loop": lambda node, _, item: all(vote != item for vote in node.votes),
    "order": lambda node, _, item: list(reversed(node.log)) == [item],
    "class": lambda node, _, item: isinstance(node.votes, frozenset),
    "match": lambda node, _, item: _is_single(node.log),
    "records": lambda node, second, _: node.box == second.box,
    "key": lambda node, second, _: node.votes in {second.votes, second.box.chosen},
}


def _evolved(node: OuterRecord, votes: frozenset[Item]) -> OuterRecord:
    evolved: Any = attrs.evolve(cast(Any, node), votes=votes)
    return cast(OuterRecord, evolved)


def _is_single(log: tuple[Item, ...]) -> bool:
    match log:
        case (_,):
            return True
    return False


def _short(log: tuple[Item, ...], item: Item) -> tuple[Item, ...]:
    return log if len(log) >= LONGEST else (*log, item)


CHANGES: dict[str, Callable[[OuterRecord, OuterRecord, Item], OuterRecord]] = {
    "made anew": lambda n, _, i: OuterRecord(n.votes | {i}, n.log, n.term, n.box),
    "by evolve": lambda n, _, i: n.evolve(votes=n.votes - {i}),
    "by attrs": lambda n, _, i: _evolved(n, n.votes ^ {i}),
    "twice": lambda n, _, i: n.evolve(votes=n.votes | {i}).evolve(log=n.log[:1]),
    "log": lambda n, _, i: n.evolve(log=_short(n.log, i)),
    "added": lambda n, _, i: n.evolve(log=longer(n.log, i)),
    "head taken": lambda n, _, __: n.evolve(log=n.log[1:]),
    "reversed": lambda n, _, __: OuterRecord(n.votes, n.log[::-1], n.term, n.box),
    "within": lambda n, _, i: n.evolve(box=n.box.evolve(chosen=n.box.chosen | {i})),
    "operation within": lambda n, _, i: (
        n.evolve(box=n.box.append(i)) if len(n.box.log) < LONGEST else n
    ),
    "given its own": lambda n, _, __: n.evolve(box=n.box.choose_all(n.log)),
    "crossed": lambda n, _, __: n.evolve(log=n.box.log, votes=n.box.chosen),
    "of another": lambda n, second, _: n.evolve(votes=n.votes & second.votes),
    "the other": lambda _, second, __: second,
    "cleared": lambda n, _, __: n.clear(),
    "number": lambda n, _, __: n.evolve(term=min(n.term + 1, len(n.votes))),
}


@frozen
class RecordRule:
    """An action: where it is enabled, and what it writes after another write."""

    item: Item
    node: str
    other: str
    guards: tuple[str, ...]
    changes: tuple[str, ...]

    def action(self, number: int) -> Callable[..., Iterator[RecordState]]:
        """The rule as a function of a name of its own."""

        def act(state: RecordState) -> Iterator[RecordState]:
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


def holds(state: RecordState, rule: RecordRule, question: str) -> bool:
    """The answer to a question about the records of a rule."""
    node, other = at(state, rule.node), at(state, rule.other)
    return bool(QUESTIONS[question](node, other, rule.item))


RULES = st.builds(
    RecordRule,
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
    rules: list[RecordRule], claim: tuple[RecordRule, str], sample: int
) -> None:
    """They find as many states, and the same shortest run to a violation."""
    actions = tuple(rule.action(number) for number, rule in enumerate(rules))
    model = Toy(actions, (RecordState(),))

    def claimed(state: RecordState) -> bool:
        return not holds(state, *claim)

    expected = Naive().explore(model, [always(claimed)])
    assert BreadthFirst(sample=sample).explore(model, [always(claimed)]) == expected
