"""A session with controllers: one version of Kafka, its protocol, runs and walks."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from attrs import asdict

from replicheck.cli.conformance.controllers.controller_lockstep import (
    ControllerLockstep,
    ControllerRun,
)
from replicheck.cli.conformance.controllers.controller_walks import ControllerWalks
from replicheck.cli.conformance.controllers.event_steps import WholeSteps
from replicheck.cli.conformance.harness.compilation import WITH_CONTROLLER, program_for
from replicheck.cli.conformance.harness.errors import HarnessUnavailable
from replicheck.cli.conformance.harness.process import CONTROLLERS, HarnessProcess
from replicheck.cli.conformance.known_differences import Register
from replicheck.cli.conformance.lockstep import FAILED, RunOutcome
from replicheck.cli.conformance.recorded_runs import (
    RecordedRun,
    model_at_its_beginning,
    rare_runs,
)
from replicheck.cli.conformance.session import HarnessSession
from replicheck.cli.conformance.walks import CampaignReport, Extent
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.report import Step
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.protocol import Protocol

KNOWN = Path(__file__).with_name("known_controller_differences.toml")
CAMPAIGNS = Path(__file__).with_name("controller_campaigns.toml")
RARE = Path(__file__).with_name("rare_controller_runs.toml")
CONTROLLER_MODEL = "cluster"
"""The model whose controllers the harness can take."""


class ControllerSession(HarnessSession[ControllerLockstep]):
    """The harness with controllers at work."""

    def __init__(self, version: str, protocol: Protocol) -> None:
        """Start the harness.

        Raises:
            HarnessUnavailable: if there is no Java, no jar, or no such harness.
        """
        if version not in WITH_CONTROLLER:
            raise HarnessUnavailable(
                f"the harness has no controllers of Kafka {version}; give --kafka"
                f" {' or '.join(WITH_CONTROLLER)}"
            )
        process = HarnessProcess(program_for(version), CONTROLLERS)
        register = Register.shipped(KNOWN)
        lockstep = ControllerLockstep(process, register, protocol)
        super().__init__(version, lockstep)

    def replay(self, run: RecordedRun) -> RunOutcome:
        """Take a run; what differs is made small.

        Raises:
            CannotTake: if the protocol does not take one of its steps, or something
                happens in the midst of an event.
        """
        walks = self._walks(run.model, run.trace().steps)
        taken = walks.walk(Random("0"), 0)
        return outcome_of(walks.shrunk(taken) if taken.ending in FAILED else taken)

    def walked(
        self, scenario: Scenario, system: System, seed: int, extent: Extent
    ) -> CampaignReport:
        """Take random walks through a scenario, in which events are whole.

        Raises:
            CannotTake: if the protocol does not take the steps of its setup, or they
                end in the midst of an event.
        """
        model = model_at_its_beginning(scenario, system)
        setup = Stepper(model).take(scenario.setup).steps
        met = Counter(self.lockstep.met)
        found = self._walks(model, setup).campaign(seed, extent)
        return CampaignReport(
            found.endings,
            found.steps,
            found.seconds,
            self.lockstep.met - met,
            None if found.failure is None else outcome_of(found.failure),
            found.length,
        )

    def _walks(self, model: Any, steps: Iterable[Step[Any]]) -> ControllerWalks:
        whole = WholeSteps.of(model, self.lockstep.called)
        setup = whole.paths(steps)
        return ControllerWalks(self.lockstep, whole, setup, self.coverage)


def outcome_of(run: ControllerRun) -> RunOutcome:
    """The outcome of a run in the form of all models."""
    found = run.differences
    return RunOutcome(run.ending, run.start, run.steps, found, error=run.error)


def controller_campaigns(protocol: Protocol) -> Iterator[Scenario]:
    """Scenarios of the campaigns of controllers, under a protocol."""
    listed = tomllib.loads(CAMPAIGNS.read_text("utf-8"))
    for name, table in listed.items():
        bounds = dict(table)
        initial = bounds.pop("initial", "with-topic")
        yield controller_scenario(name, bounds, protocol, initial)


def rare_controller_runs(protocol: Protocol, system: System) -> Iterator[RecordedRun]:
    """Runs that walks of controllers hardly ever take, under a protocol."""
    for rare in rare_runs(RARE):
        scenario = controller_scenario(rare.name, rare.bounds, protocol)
        model = model_at_its_beginning(scenario, system)
        yield RecordedRun(rare.name, model, rare.labels(protocol))


def controller_scenario(
    name: str,
    bounds: Mapping[str, int],
    protocol: Protocol,
    initial: str = "with-topic",
) -> Scenario:
    """Scenario of `cluster` within bounds of which some are given."""
    return Scenario(
        name=name,
        summary="",
        model=CONTROLLER_MODEL,
        protocol=protocol.name,
        bounds={**asdict(Bounds()), **bounds},
        initial=initial,
    )
