"""Reordered states: only what a function reads can tell it how sets are iterated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import frozen

from random_sets.set_systems import Item, Sets
from random_sets.splits import ITEMS, Columns, put, split_whatever_reads
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning.checks.set_order import ReorderedStates
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.states.layout import Layout
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.state_encoder import StateEncoder
from replicheck.model.state_base import Cells
from toys import Toy

NUMBER, MEMBERS = 0, 1


@frozen
class Group(Cells):
    """A number, and members."""

    number: int = 0
    members: frozenset[int] = frozenset()


@pytest.fixture
def encoder() -> StateEncoder:
    """The encoder of groups."""
    hasher = Hasher()
    dictionaries = tuple(Dictionary(name, hasher) for name in ("number", "members"))
    return StateEncoder(Layout.of(Group()), dictionaries, Group())


def reordered(encoder: StateEncoder, members: frozenset[int], read: set[int]) -> Any:
    """The state of a group with its members reordered, if some were."""
    return ReorderedStates(encoder).of(encoder.row(Group(1, members)), read)


def test_a_set_that_is_read_is_iterated_the_other_way_round(
    encoder: StateEncoder,
) -> None:
    """The state is the same."""
    members = frozenset({1, 2, 3})
    state = reordered(encoder, members, {MEMBERS})
    assert state == Group(1, members)
    assert list(state.members) == list(reversed(list(members)))


@pytest.mark.parametrize(
    ("members", "read"),
    [
        (frozenset({1, 2}), {NUMBER}),
        (frozenset({1, 2}), set()),
        (frozenset({1}), {MEMBERS}),
        (frozenset(), {MEMBERS, NUMBER}),
    ],
)
def test_nothing_is_reordered_that_is_not_read_or_has_one_order(
    encoder: StateEncoder, members: frozenset[int], read: set[int]
) -> None:
    """There is no other state to compare with."""
    assert reordered(encoder, members, read) is None


def test_a_function_that_depends_on_the_order_of_a_split_set() -> None:
    """It is refused, as where the set is one value."""

    def take_first(state: Sets) -> Iterator[Sets]:
        for item in state.left:
            yield state.evolve(right=frozenset({item}))
            break

    model = Toy((put, take_first), (Sets(),), domains={Item: ITEMS})
    told = "`take_first` depends on the order in which it iterates a set"
    with split_whatever_reads(Columns(5, False)), pytest.raises(ModelError, match=told):
        BreadthFirst(crowded=4).explore(model, ())
