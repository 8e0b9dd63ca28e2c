"""Of the two states of a step, equal cells and equal families are one object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.states.shared_cells import shared
from replicheck.model.state_base import Cells


@frozen
class Value:
    """A cell; two of them can be equal without being one object."""

    number: int


@frozen
class Pair(Cells):
    """A cell, and cells in families of families."""

    single: Value
    families: tuple[tuple[Value, ...], ...]


VALUES = st.builds(Value, st.integers(0, 2))
PAIRS = st.builds(
    Pair,
    VALUES,
    st.lists(st.lists(VALUES, max_size=2).map(tuple), max_size=2).map(tuple),
)


def parts(before: Any, after: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what stands in the same place of both: cells, and families of them."""
    yield before, after
    if isinstance(before, tuple) and len(before) == len(after):
        for one, two in zip(before, after, strict=True):
            yield from parts(one, two)


@given(PAIRS, PAIRS)
def test_what_is_equal_is_one_object(before: Pair, after: Pair) -> None:
    """The state after a step stays what it was, made of the objects before it."""
    made = shared(before, after)
    assert made == after
    for name in ("single", "families"):
        for one, two in parts(getattr(before, name), getattr(made, name)):
            assert one is two or one != two


def test_an_equal_cell_of_another_class_is_another_cell() -> None:
    """A function can tell it, so it stays what the step wrote."""
    before: Any = Pair(1, ((1, 2),))  # type: ignore[arg-type]
    after: Any = Pair(True, ((1, 2.0),))  # type: ignore[arg-type]
    made = shared(before, after)
    assert made.single is True
    assert type(made.families[0][1]) is float
