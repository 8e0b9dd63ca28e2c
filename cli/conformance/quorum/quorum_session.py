"""A session with the active controller in KRaft: runs and walks of one version."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from attrs import asdict

from replicheck.cli.conformance.harness.compilation import program_for
from replicheck.cli.conformance.harness.process import QUORUM, HarnessProcess
from replicheck.cli.conformance.known_differences import Register
from replicheck.cli.conformance.quorum.quorum_lockstep import QuorumLockstep
from replicheck.cli.conformance.quorum.refused_bounds import LimitedSession
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.protocol import Protocol

KNOWN = Path(__file__).with_name("known_quorum_differences.toml")
CAMPAIGNS = Path(__file__).with_name("quorum_campaigns.toml")
QUORUM_MODEL = "kraft"
"""The model whose controller the harness can take."""


class QuorumSession(LimitedSession):
    """The harness with the active controller at work."""

    def __init__(self, version: str, protocol: Protocol) -> None:
        """Start the harness.

        Raises:
            HarnessUnavailable: if there is no Java, no jar, or it does not start.
        """
        process = HarnessProcess(program_for(version), QUORUM)
        register = Register.shipped(KNOWN)
        lockstep = QuorumLockstep(process, register, protocol)
        super().__init__(version, lockstep)


def quorum_campaigns(protocol: Protocol) -> Iterator[Scenario]:
    """Scenarios of the campaigns that come with the project, under a protocol."""
    for name, bounds in tomllib.loads(CAMPAIGNS.read_text("utf-8")).items():
        yield Scenario(
            name=name,
            summary="",
            model=QUORUM_MODEL,
            protocol=protocol.name,
            bounds={**asdict(KraftBounds()), **bounds},
            initial="everyone-in-sync",
        )
