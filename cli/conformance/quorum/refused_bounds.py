"""Bounds of `kraft` with actions that a harness does not have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import asdict

from replicheck.cli.conformance.lockstep import RunOutcome
from replicheck.cli.conformance.recorded_runs import RecordedRun
from replicheck.cli.conformance.session import SteppedSession
from replicheck.cli.conformance.walks import CampaignReport, Extent
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System

REFUSED_BOUNDS: Mapping[tuple[str, ...], str] = {
    ("topic_creations", "first_partition_replicas"): (
        "creates a topic with one partition"
    ),
}
"""What is not taken, by the bounds that allow it together."""


class LimitedSession(SteppedSession[Any]):
    """A session whose harness does not have all actions of the model."""

    def replay(self, run: RecordedRun) -> RunOutcome:
        """Take a run; what differs is made small.

        Raises:
            CannotTake: if the protocol, or the harness, does not take its steps.
        """
        self._require(asdict(run.model.bounds))
        return super().replay(run)

    def walked(
        self, scenario: Scenario, system: System, seed: int, extent: Extent
    ) -> CampaignReport:
        """Take random walks through a scenario.

        Raises:
            CannotTake: if the steps of its setup, or its bounds, are not taken.
        """
        self._require(scenario.bounds)
        return super().walked(scenario, system, seed, extent)

    def taken(self, mutants: Iterable[Mutant]) -> tuple[Mutant, ...]:
        """Mutants whose scenarios have no refused bound."""
        return tuple(
            mutant
            for mutant in mutants
            if not any(
                allow(mutant.scenario.bounds, bounds) for bounds in REFUSED_BOUNDS
            )
        )

    def _require(self, bounds: Mapping[str, Any]) -> None:
        for names, reason in REFUSED_BOUNDS.items():
            if allow(bounds, names):
                given = ",".join(f"{name}={bounds[name]}" for name in names)
                raise CannotTake(0, f"{given}: the harness {reason}")


def allow(bounds: Mapping[str, Any], names: Iterable[str]) -> bool:
    """Tell whether bounds allow what needs all of some."""
    return all(bounds.get(name) for name in names)
