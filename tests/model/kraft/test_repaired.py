"""KRaft: what is left of the findings if each correction is made."""

from __future__ import annotations

import pytest

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from shipped import CATALOGUE

UNREPAIRED = {
    "kraft-last-replica-crashes-without-elr",
    "kraft-unassigned-replica-is-lost",
    "kraft-replica-is-made-anew",
    "kraft-unclean-election-ends-no-reassignment",
    "kraft-cancelled-reassignment-trusts-replica",
    "kraft-moved-replica-is-lost",
    "kraft-assignment-elects-on-dead-disk",
    "kraft-refreshed-registration-is-not-applied",
    "kraft-min-isr-is-raised",
}
"""The findings that no correction ends, and the bounds in which one of them happens."""
LONG = {"kraft-leader-skips-epoch", "kraft-min-isr-changes"}
FINDINGS = sorted(
    {
        entry.name
        for entry in CATALOGUE.suites["kraft"].scenarios
        if entry.model == "kraft" and entry.expect and entry.expect.violations
    }
    - LONG
)


@pytest.mark.slow
@pytest.mark.parametrize("name", FINDINGS)
def test_all_corrections_together_end_a_finding(name: str) -> None:
    """Its properties hold in all states of its bounds, unless it is named."""
    (task,) = tasks(CATALOGUE, [name], Overrides("breadth-first", protocol="repaired"))
    search = Search(stop=Stop.FIRST_VIOLATION)
    report = BreadthFirst().explore(task.model, task.properties, search)
    assert report.failure is None
    assert bool(report.violations) == (name in UNREPAIRED)
