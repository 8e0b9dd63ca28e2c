"""Where a run begins, in words, for models that begin in several states."""

from __future__ import annotations

from itertools import islice
from typing import Any

from replicheck.explorer.states.layout import Layout
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.setup_steps import name_of, states_beside
from replicheck.invariants.catalogue.systems import System
from replicheck.traces.state_diff import changes
from replicheck.traces.value_text import note_cell

MOST_OTHERS = 1_000
"""A state is compared with no more of them."""


def beginning_text(start: Any, scenario: Scenario, system: System) -> str:
    """Name of the initial state of a run, and the cells that tell it from others.

    It is empty where runs begin in one state only.
    """
    states = states_beside(scenario, system)
    if len(states) == 1 or start not in states:
        return ""
    layout = Layout.of(start)
    others = islice((state for state in states if state != start), MOST_OTHERS)
    found = [change for other in others for change in changes(layout, other, start)]
    different = {str(change.cell): note_cell(change.new) for change in found}
    shown = [name for name in map(str, layout.cells) if name in different]
    cells = "; ".join(f"{name} {different[name]}" for name in shown)
    return f"in {name_of(start, scenario, system)}: {cells}"
