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


TO = IdRenaming({Peer: (1, 2, 0)}, {Peer: ("votes",)})
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
