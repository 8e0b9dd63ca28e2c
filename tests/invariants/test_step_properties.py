"""Step properties ask nothing of steps that leave alone what they are about."""

from __future__ import annotations

import pytest

from replicheck.cli.tasks.engines import DEFAULT_ENGINE
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.properties import Kind
from replicheck.explorer.proxies.probes import HasRead, RefusingReader
from replicheck.explorer.proxies.state_proxy import StateProxy, state_proxy_class
from replicheck.explorer.states.layout import Layout
from shipped import CATALOGUE

READING = {
    # Parts of two views of brokers are never the same object.
    "composed": {"leader_log_is_never_truncated", "leader_log_start_never_decreases"},
    # Cells with numbers are read to be compared.
    "fetching": {
        "checkpoint_falls_only_with_high_watermark",
        "deleted_records_stay_deleted",
        "only_complete_copy_replaces_log",
    },
}
"""By system, those that read something of each step."""


def read_something(task: Task) -> set[str]:
    """The step properties that do so of a step that changes nothing."""
    start = next(iter(task.model.initial_states()))
    before = state_proxy_class(Layout.of(start), start, StateProxy)(RefusingReader())
    found = set[str]()
    for claim in task.properties:
        if claim.kind is Kind.STEP:
            for judge in claim.instances(task.model.domains):
                try:
                    assert judge(before, before.evolve())
                except HasRead:
                    found.add(claim.name)
    return found


@pytest.mark.parametrize("system", CATALOGUE.systems)
def test_a_step_that_changes_nothing_is_not_asked(system: str) -> None:
    """An action is not learned anew for what a property reads that is not about it."""
    found = set[str]()
    for name, scenario in CATALOGUE.scenarios.items():
        if scenario.model == system:
            (task,) = tasks(CATALOGUE, (name,), Overrides(DEFAULT_ENGINE))
            found |= read_something(task)
    assert found == READING.get(system, set())
