"""Saved runs for the tests of what is made of them."""

from __future__ import annotations

from functools import cache

from attrs import asdict

from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import model_of
from replicheck.invariants.replication.properties import SAFETY
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.protocols import KIP_279, replication_model
from replicheck.traces.json_lines import Header, SavedTrace
from shipped import CATALOGUE

LOSS = (
    "elect_leader(leader=1)",
    "elect_leader(leader=0)",
    "elect_leader(leader=1)",
    "become_leader(leader=1) [2]",
    "become_follower_and_truncate_by_kip_279(leader=1, follower=2) [1]",
    "append_to_leader(leader=1)",
    "shrink_isr(leader=1, follower=0)",
    "fetch(leader=1, follower=2)",
    "increment_high_watermark(leader=1)",
    "become_follower_and_truncate_by_kip_279(leader=0, follower=2)",
)


@cache
def loss() -> SavedTrace:
    """A shortest run by which KIP-279 loses a committed record of a follower."""
    bounds = ReplicationBounds()
    header = Header(
        scenario="replication",
        model="replication",
        protocol="kip-279",
        bounds=asdict(bounds),
        property=SAFETY[0].__name__,
        kind="always",
        instance=f"{SAFETY[0].__name__}(leader=1, member=2)",
    )
    return SavedTrace(header, Stepper(replication_model(KIP_279, bounds)).take(LOSS))


@cache
def of_scenario(name: str) -> SavedTrace:
    """The run that a shipped scenario takes."""
    scenario = CATALOGUE.scenarios[name]
    system = CATALOGUE.systems[scenario.model]
    model = model_of(scenario, system, Place(name))
    header = Header(
        scenario=name,
        model=scenario.model,
        protocol=scenario.protocol,
        bounds=dict(scenario.bounds),
        initial=scenario.initial,
        setup=scenario.setup,
    )
    return SavedTrace(header, Stepper(model).take(scenario.sequence))
