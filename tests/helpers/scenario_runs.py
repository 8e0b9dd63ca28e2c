"""Runs of the shipped scenarios, as traces."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import model_of, state_after
from replicheck.traces.json_lines import Header, SavedTrace
from shipped import CATALOGUE


def run_of(name: str) -> SavedTrace:
    """A scenario's setup and sequence as one run, from its initial state."""
    scenario = CATALOGUE.scenarios[name]
    system = CATALOGUE.systems[scenario.model]
    model = model_of(evolve(scenario, setup=()), system, Place(name))
    trace = Stepper(model).take([*scenario.setup, *scenario.sequence])
    header = Header(name, scenario.model, scenario.protocol, dict(scenario.bounds))
    return SavedTrace(header, trace)


def final_state(name: str) -> Any:
    """The state at the end of a scenario's sequence."""
    scenario = CATALOGUE.scenarios[name]
    system = CATALOGUE.systems[scenario.model]
    return state_after(scenario, system, scenario.sequence, Place(name))


KIP_101 = (
    "elect_leader(leader=0)",
    "become_leader(leader=0)",
    "append_to_leader(leader=0)",
    "elect_leader(leader=1)",
    "elect_leader(leader=0)",
    "become_follower_and_truncate_by_kip_101(leader=0, follower=1) [1]",
    "fetch(leader=0, follower=1)",
    "increment_high_watermark(leader=0)",
    "become_leader(leader=1)",
    "append_to_leader(leader=1)",
    "become_follower_and_truncate_by_kip_101(leader=0, follower=1)",
)
"""The shortest run that breaks ``BROKEN`` under KIP-101, with two brokers."""

BROKEN = "leader_isr_has_records_below_hw"
