"""A session with the active controller and all brokers in KRaft."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from attrs import asdict, evolve

from replicheck.cli.conformance.harness.compilation import program_for
from replicheck.cli.conformance.harness.process import KRAFT, HarnessProcess
from replicheck.cli.conformance.known_differences import Register
from replicheck.cli.conformance.lockstep import RunOutcome
from replicheck.cli.conformance.quorum.kraft_lockstep import KraftLockstep
from replicheck.cli.conformance.quorum.quorum_session import (
    KNOWN,
    QUORUM_MODEL,
    quorum_campaigns,
)
from replicheck.cli.conformance.recorded_runs import RecordedRun
from replicheck.cli.conformance.session import SteppedSession
from replicheck.cli.conformance.walks import CampaignReport, Extent
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System
from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.protocol import Protocol

KNOWN_OF_BROKERS = Path(__file__).with_name("known_broker_differences.toml")
WITH_RECORDS: Mapping[str, int] = {"records": 3, "late_answers": 2}
"""What the campaigns of the controller have not, and brokers need."""
MOVES = "moves"
"""The bound of moves between log directories, which the harness does not take."""


class KraftSession(SteppedSession[KraftLockstep]):
    """The harness with the active controller and all brokers at work."""

    def __init__(self, version: str, protocol: Protocol) -> None:
        """Start the harness.

        Raises:
            HarnessUnavailable: if there is no Java, no jar, or it does not start.
        """
        process = HarnessProcess(program_for(version), KRAFT)
        super().__init__(version, KraftLockstep(process, known(), protocol))

    def replay(self, run: RecordedRun) -> RunOutcome:
        """Take a run; what differs is made small.

        Raises:
            CannotTake: if the protocol does not take one of its steps, or a replica
                may be moved between directories.
        """
        require_no_moves(run.model.bounds.moves)
        return super().replay(run)

    def walked(
        self, scenario: Scenario, system: System, seed: int, extent: Extent
    ) -> CampaignReport:
        """Take random walks through a scenario.

        Raises:
            CannotTake: if the protocol does not take the steps of its setup, or a
                replica may be moved between directories.
        """
        require_no_moves(scenario.bounds.get(MOVES, 0))
        return super().walked(scenario, system, seed, extent)


def require_no_moves(moves: object) -> None:
    """Refuse bounds in which a replica may be moved between directories.

    Raises:
        CannotTake: if there are any moves.
    """
    if moves:
        raise CannotTake(
            0,
            "the harness with brokers moves no replica between log directories; take"
            " the run without --brokers",
        )


def without_moves(mutants: Iterable[Mutant]) -> tuple[Mutant, ...]:
    """Mutants in whose scenarios no replica is moved between directories."""
    return tuple(m for m in mutants if not m.scenario.bounds.get(MOVES, 0))


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
