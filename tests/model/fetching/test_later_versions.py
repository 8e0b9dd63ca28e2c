"""Where the protocols of later versions part from that of 2.5.1."""

from __future__ import annotations

import pytest
from attrs import evolve

from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import model_of
from searches.properties import properties_of
from shipped import CATALOGUE


@pytest.mark.parametrize(
    ("protocol", "verdict"),
    [
        ("kafka-2.5.1", Verdict.VIOLATED),
        ("kafka-2.8.1", Verdict.VIOLATED),
        ("kafka-3.5.0", Verdict.HOLDS),
    ],
)
def test_kafka_3_5_takes_a_move_up_where_the_copy_is_committed(
    protocol: str, verdict: Verdict
) -> None:
    """ReplicaManager.becomeLeaderOrFollower asks the copy since KAFKA-9087."""
    scenario = CATALOGUE.scenarios["fetching-move-resumes-too-far"]
    system = CATALOGUE.systems["fetching"]
    changed = evolve(scenario, protocol=protocol)
    model = model_of(changed, system, Place("test"))
    claims = properties_of(system.invariants, system.steps, ())
    claimed = [claims[name] for name in scenario.properties]
    assert Naive().explore(model, claimed).verdict is verdict
