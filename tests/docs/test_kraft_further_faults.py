"""KRaft: the page's table of further faults is what the suite expects."""

from __future__ import annotations

import re
from pathlib import Path

from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.model.kraft.bounds import KraftBounds
from shipped import CATALOGUE

PAGE = (Path(__file__).parents[2] / "docs" / "kraft-coverage.md").read_text("utf-8")
ENTRIES = CATALOGUE.suites["kraft-further-faults"].scenarios
BASE = CATALOGUE.scenarios["kraft-fenced-leader-goes-on"]
ROW = re.compile(r"^\| [^|]+ \| `([\w=,]+)` \| [^|]+ \| ([\d,]*) ?\|$", re.M)


def other_bounds(entry: Scenario) -> dict[str, int]:
    """The bounds in which an entry differs from its scenario."""
    return {
        name: value
        for name, value in entry.bounds.items()
        if value != BASE.bounds[name]
    }


def test_each_row_is_an_entry_with_its_states() -> None:
    """In the order of the suite; a violation ends a search before it has all."""
    rows = [
        (
            {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", bounds)},
            int(states.replace(",", "")) if states else None,
        )
        for bounds, states in ROW.findall(PAGE)
    ]
    assert rows == [
        (other_bounds(entry), entry.expect.states if entry.expect else None)
        for entry in ENTRIES
    ]


def test_each_kind_of_fault_is_opened() -> None:
    """But for those of directories that need two faults before them."""
    bounds = KraftBounds()
    kinds = {name for name in BASE.bounds if getattr(bounds, name) == 0}
    sizes = {"first_leader", "replicas", "first_partition_replicas", "unassigned"}
    opened = {name for entry in ENTRIES for name in other_bounds(entry)}
    rest = {"removed_directories", "failure_timeouts", "unclean_leader_election"}
    assert kinds - sizes - opened == rest
