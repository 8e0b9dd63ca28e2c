"""Random systems whose queues grow, so that these have many values."""

from __future__ import annotations

from typing import Any

from attrs import evolve
from hypothesis import strategies as st

from random_models.cells import Cell, method
from random_models.functions_as_data import Function, Write
from random_models.systems import MOST_STATES, System, pick, systems
from replicheck.explorer.engine import Limits


@st.composite
def systems_with_long_queues(draw: Any) -> System:
    """Draw a system with actions that append to the queues of a place."""
    system: System = draw(systems())
    inner = range(len(system.starts[0].queues[0]))
    cell = Cell("queues", (None, pick(draw, *inner)))
    items = pick(draw, (0, 1), (1, 2), (0, 1, 2))
    growth = tuple(
        Function("a place", ((Write(cell, operations=(method("append", item),)),),))
        for item in items
    )
    most = pick(draw, MOST_STATES, MOST_STATES, 3 * MOST_STATES)
    return evolve(
        system,
        actions=(*growth, *system.actions),
        search=evolve(system.search, limits=Limits(states=most)),
    )
