"""The harness with the controller and all brokers of KRaft, as tests use it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from attrs import evolve

from command_line.harnesses import needs
from replicheck.cli.conformance.harness.artifacts import kraft_versions
from replicheck.cli.conformance.lockstep import RunOutcome
from replicheck.cli.conformance.quorum.kraft_session import (
    KraftSession,
    kraft_campaigns,
)
from replicheck.cli.conformance.quorum.quorum_session import QUORUM_MODEL
from replicheck.cli.conformance.recorded_runs import (
    RecordedRun,
    model_at_its_beginning,
)
from shipped import CATALOGUE

(VERSION,) = kraft_versions()
KRAFT = CATALOGUE.systems[QUORUM_MODEL]
PROTOCOL = KRAFT.protocols_by_name[f"kafka-{VERSION}"]
CAMPAIGNS = {scenario.name: scenario for scenario in kraft_campaigns(PROTOCOL)}


@cache
def kraft_session() -> KraftSession:
    """The harness of Kafka 4.1.1, started once for all tests of a process."""
    needs(VERSION)
    return KraftSession(VERSION, PROTOCOL)


def taken(
    steps: str, bounds: Mapping[str, int], protocol: str = PROTOCOL.name
) -> RunOutcome:
    """What comes of a run in the model of a protocol and in Kafka."""
    campaign = CAMPAIGNS["faults-of-brokers"]
    given = {**campaign.bounds, **bounds}
    scenario = evolve(campaign, protocol=protocol, bounds=given)
    model: Any = model_at_its_beginning(scenario, KRAFT)
    labels = tuple(line.strip() for line in steps.strip().splitlines())
    used = kraft_session()
    own = used.lockstep
    used.lockstep = own.of(KRAFT.protocols_by_name[protocol])
    try:
        return used.replay(RecordedRun("run", model, labels))
    finally:
        used.lockstep = own


def cells(outcome: RunOutcome) -> set[str]:
    """The cells in which a run differs."""
    return {difference.cell for difference in outcome.differences}
