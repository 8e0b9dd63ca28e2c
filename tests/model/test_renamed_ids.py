"""A renaming of ids replaces them wherever they are in a value."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from replicheck.model.modelling.symmetry import IdRenaming
from replicheck.model.modelling.values import Id, Value


class Server(Id):
    """One of those that are alike."""


class Letter(NamedTuple):
    """A message as a tuple with names."""

    sender: Server | None
    term: int


class Note(Value):
    """A message as a value."""

    sender: Server
    copies: tuple[Server, ...] = ()


TO = IdRenaming({Server: (1, 2, 0)}, {Server: ("votes",)})
ZERO, ONE, TWO = map(Server, range(3))


@pytest.mark.parametrize(
    ("value", "renamed"),
    [
        (ZERO, ONE),
        (0, 0),
        (None, None),
        ((TWO, 2), (ZERO, 2)),
        (frozenset({ZERO, TWO}), frozenset({ONE, ZERO})),
        (Letter(TWO, 2), Letter(ZERO, 2)),
        (Letter(None, 2), Letter(None, 2)),
        (Note(ZERO, (ONE, TWO)), Note(ONE, (TWO, ZERO))),
        (frozenset({Letter(ONE, 1)}), frozenset({Letter(TWO, 1)})),
    ],
)
def test_ids_are_replaced_and_nothing_else(value: Any, renamed: Any) -> None:
    """The class of the value stays what it is."""
    found = TO.value(value)
    assert found == renamed
    assert type(found) is type(renamed)
    if isinstance(value, frozenset):
        assert set(map(type, found)) == set(map(type, renamed))
