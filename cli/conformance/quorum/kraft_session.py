"""A session with the active controller and all brokers in KRaft."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import asdict, evolve

from replicheck.cli.conformance.harness.compilation import program_for
from replicheck.cli.conformance.harness.process import KRAFT, HarnessProcess
from replicheck.cli.conformance.known_differences import Register
from replicheck.cli.conformance.quorum.kraft_lockstep import KraftLockstep
from replicheck.cli.conformance.quorum.quorum_session import (
    KNOWN,
    QUORUM_MODEL,
    quorum_campaigns,
)
from replicheck.cli.conformance.quorum.refused_bounds import LimitedSession
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.protocol import Protocol

KNOWN_OF_BROKERS = Path(__file__).with_name("known_broker_differences.toml")
WITH_RECORDS: Mapping[str, int] = {"records": 3, "late_answers": 2}
"""What the campaigns of the controller have not, and brokers need."""


class KraftSession(LimitedSession):
    """The harness with the active controller and all brokers at work."""

    def __init__(self, version: str, protocol: Protocol) -> None:
        """Start the harness.

        Raises:
            HarnessUnavailable: if there is no Java, no jar, or it does not start.
        """
        process = HarnessProcess(program_for(version), KRAFT)
        lockstep = KraftLockstep(process, known(), protocol)
        super().__init__(version, lockstep)


def known() -> Register:
    """The known differences of brokers, and of the controller."""
    files = (KNOWN_OF_BROKERS, KNOWN)
    return Register([e for file in files for e in Register.shipped(file).entries])


def scenario_of(name: str, bounds: Mapping[str, int], protocol: Protocol) -> Scenario:
    """Scenario in which all are in sync, within bounds of which some are given."""
    return Scenario(
        name=name,
        summary="",
        model=QUORUM_MODEL,
        protocol=protocol.name,
        bounds={**asdict(KraftBounds()), **bounds},
        initial="everyone-in-sync",
    )


def kraft_campaigns(protocol: Protocol) -> Iterator[Scenario]:
    """The campaigns of the controller, with records."""
    for scenario in quorum_campaigns(protocol):
        yield evolve(scenario, bounds={**scenario.bounds, **WITH_RECORDS})
