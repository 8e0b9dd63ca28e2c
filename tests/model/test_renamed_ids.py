"""A renaming of ids replaces them wherever they are in a value."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from replicheck.model.modelling.symmetry import IdRenaming
from replicheck.model.modelling.values import Id, Value


class Peer(Id):
    """One of those that are alike."""


class NamedMessage(NamedTuple):
    """A message as a tuple with names."""

    sender: Peer | None
    term: int


class CopiedMessage(Value):
    """A message as a value."""

    sender: Peer
    copies: tuple[Peer, ...] = ()


class Topic(Id):
    """One of others that are alike."""


TO = IdRenaming(
    {Peer: (1, 2, 0), Topic: (1, 0)},
    {Peer: ("votes", "match", "match[]", "leads[]"), Topic: ("leads",)},
)
ZERO, ONE, TWO = map(Peer, range(3))


@pytest.mark.parametrize(
    ("value", "renamed"),
    [
        (ZERO, ONE),
        (0, 0),
        (None, None),
        ((TWO, 2), (ZERO, 2)),
        (frozenset({ZERO, TWO}), frozenset({ONE, ZERO})),
        (NamedMessage(TWO, 2), NamedMessage(ZERO, 2)),
        (NamedMessage(None, 2), NamedMessage(None, 2)),
        (CopiedMessage(ZERO, (ONE, TWO)), CopiedMessage(ONE, (TWO, ZERO))),
        (frozenset({NamedMessage(ONE, 1)}), frozenset({NamedMessage(TWO, 1)})),
    ],
)
def test_ids_are_replaced_and_nothing_else(value: Any, renamed: Any) -> None:
    """The class of the value stays what it is."""
    found = TO.value(value)
    assert found == renamed
    assert type(found) is type(renamed)
    if isinstance(value, frozenset):
        assert set(map(type, found)) == set(map(type, renamed))


@pytest.mark.parametrize(
    ("field", "index", "renamed"),
    [
        ("term", (), ()),
        ("votes", (0,), (1,)),
        ("votes", (2, 1), (0, 1)),
        ("match", (0, 2), (1, 0)),
        ("leads", (1, 2), (0, 0)),
        ("others", (1, 2), (1, 2)),
    ],
)
def test_ids_index_the_tuples_that_are_named(
    field: str, index: tuple[int, ...], renamed: tuple[int, ...]
) -> None:
    """Those of a field, and those within."""
    assert TO.cell(field, index) == renamed
