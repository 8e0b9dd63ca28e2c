"""Initial states that are not those of one model are refused by every engine."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import frozen

import toys
from replicheck.explorer.engine import Engine, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.model.state_base import Cells


@frozen
class Numbers(Cells):
    """A family of cells."""

    numbers: tuple[int, ...]


FIRST = toys.Counter(limit=3)
WRONG: dict[str, tuple[tuple[Any, ...], str]] = {
    "none": ((), "has no initial state"),
    "another constant": (
        (FIRST, toys.Counter(limit=4)),
        "constant `limit` is 3 in the first initial state and 4 in another: a constant",
    ),
    "another class": ((FIRST, toys.Walk(((),))), "expected a state of class Counter"),
    "another length": (
        (Numbers((0, 0)), Numbers((0,))),
        "`numbers` has another length",
    ),
}


@pytest.mark.parametrize("engine", [BreadthFirst(), Naive()], ids=["fast", "naive"])
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_with_initial_states(wrong: str, engine: Engine) -> None:
    """They would be one state where they are two, or have no cells in common."""
    starts, message = WRONG[wrong]
    with pytest.raises(ModelError, match=message):
        engine.explore(toys.Toy((), starts), (), Search())
