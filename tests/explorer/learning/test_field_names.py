"""A model may name its fields as it likes, also as a recording view names its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import attrs
import pytest

import toys
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.proxies.cell_proxy import CellProxy, Operation
from replicheck.explorer.proxies.state_proxy import StateProxy
from replicheck.model.state_base import Cells

LIMIT = 3


def _own_names() -> list[str]:
    """Names of the proxies' own attributes, which a model might give a field, too."""
    own = {*dir(StateProxy), *dir(CellProxy), *dir(Operation)} - {"evolve"}
    return sorted({name.strip("_") for name in own if not name.startswith("__")})


NAMES = _own_names()


def counting(name: str, start: Any, up: Callable[[Any], Any]) -> toys.Toy:
    """A model whose only field has this name, and goes up to the limit."""
    kind: Any = attrs.make_class(
        "State", {name: attrs.field()}, bases=(Cells,), frozen=True
    )

    def count(state: Any) -> Iterator[Any]:
        yield from (state.evolve(**{name: new}) for new in up(getattr(state, name)))

    return toys.Toy((count,), (kind(start),))


class Upwards:
    """Has an operation that adds one to the attribute ``counted`` names."""

    counted: str

    def up(self) -> Self:
        """Count."""
        more = getattr(self, self.counted) + 1
        return attrs.evolve(self, **{self.counted: more})  # type: ignore[misc]

    def is_full(self) -> bool:
        """Tell whether the limit is reached."""
        return bool(getattr(self, self.counted) >= LIMIT)


def numbered(name: str) -> Any:
    """A value that has an attribute of this name, and counts with it."""
    kind = attrs.make_class(
        "Number",
        {name: attrs.field(default=0)},
        bases=(Upwards,),
        class_body={"counted": name},
        frozen=True,
    )
    return kind()


def agree(model: toys.Toy) -> bool:
    """Tell whether the engines count the same states and steps."""
    naive = Naive().explore(model, ())
    fast = BreadthFirst(threads=1, sample=1).explore(model, ())
    assert fast.failure is None
    return (naive.levels, naive.actions) == (fast.levels, fast.actions)


def test_views_have_names_of_their_own() -> None:
    """Otherwise the tests below test nothing."""
    assert {"cell", "reader", "writes", "column", "calls", "whole"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_cell(name: str) -> None:
    """A cell that is read as a whole."""
    assert agree(counting(name, 0, lambda n: [n + 1] if n < LIMIT else []))


@pytest.mark.parametrize("name", NAMES)
def test_a_family(name: str) -> None:
    """Two cells of a family."""

    def up(family: Any) -> list[Any]:
        return [{i: family[i] + 1} for i in range(2) if family[i] < LIMIT]

    assert agree(counting(name, (0, 0), up))


@pytest.mark.parametrize("name", NAMES)
def test_an_attribute_of_a_value(name: str) -> None:
    """It is read from the value, and from what an operation makes of it."""

    def up(number: Any) -> list[Any]:
        if number.is_full():
            return []
        above = number.up()
        return [above, above.up()] if getattr(above, name) < LIMIT else [above]

    assert agree(counting("number", numbered(name), up))
