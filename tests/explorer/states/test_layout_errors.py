"""A state whose cells have another shape than those of the first initial state."""

from __future__ import annotations

import pytest
from attrs import evolve, field, frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.states.layout import Layout


@frozen
class Families:
    """A cell, a family of cells, and a family of families."""

    single: object = 0
    flat: object = field(default=(0, 0))
    nested: object = field(default=((0, 0), (0, 0)))


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("single", (1, 2), "`single` is no tuple, which has one cell for each element"),
        ("flat", (0, (1, 2)), "`flat[1]` is no tuple"),
        ("flat", 3, "`flat` is a tuple: a family of cells stays one"),
        ("flat", (0, 0, 0), "`flat` has another length: a family keeps its length"),
        ("nested", ((0, 0), 1), "`nested[1]` is a tuple"),
        ("nested", ((0, 0), (0, (1,))), "`nested[1][1]` is no tuple"),
        ("nested", ((0, 0),), "`nested` has another length"),
        ("nested", ((0, 0), (0,)), "`nested[1]` has another length"),
    ],
)
def test_the_message_says_what_the_shape_was(
    name: str, value: object, told: str
) -> None:
    """And where in the field it was so."""
    layout = Layout.of(Families())
    with pytest.raises(ModelError) as error:
        layout.values(evolve(Families(), **{name: value}))
    assert f"in the first initial state {told}" in str(error.value)


@frozen
class Logs:
    """A sequence that grows for each of two replicas, and a constant."""

    logs: tuple[tuple[int, ...], ...] = ((), ())
    size: int = field(default=3, eq=False)


def test_a_state_without_a_cell_is_refused() -> None:
    """Sequences are families, which are empty at first."""
    with pytest.raises(ModelError, match=r"has no cell: .*sequence that grows into a"):
        Layout.of(Logs())
