"""A session: one version of Kafka, its protocol, and the runs that are asked for."""

from __future__ import annotations

import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from attrs import asdict, evolve, frozen

from replicheck.cli.conformance.coverage import Coverage
from replicheck.cli.conformance.harness.compilation import program_for
from replicheck.cli.conformance.harness.process import HarnessProcess
from replicheck.cli.conformance.known_differences import Register
from replicheck.cli.conformance.lockstep import (
    FAILED,
    Ending,
    HarnessLockstep,
    Lockstep,
    RunOutcome,
    SteppedLockstep,
    replay,
)
from replicheck.cli.conformance.recorded_runs import (
    RecordedRun,
    model_at_its_beginning,
    rare_runs,
)
from replicheck.cli.conformance.walks import (
    CampaignReport,
    Extent,
    StepDrawer,
    campaign,
    shrunk,
)
from replicheck.cli.runs.trace_files import write_trace
from replicheck.cli.version import VERSION
from replicheck.explorer.interpreter.stepper import CannotTake, Stepper
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System
from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.protocol import Protocol
from replicheck.traces.json_lines import Header, SavedTrace
from replicheck.traces.observed import Observed, Values
from replicheck.traces.printable_text import printable_line

CAMPAIGNS = Path(__file__).with_name("campaigns.toml")
MODEL = "fetching"
"""The model whose steps the harness can take."""
L = TypeVar("L", bound=HarnessLockstep)
S = TypeVar("S", bound=SteppedLockstep)


@frozen
class NotTaken:
    """A run that the protocol of the version does not take, and why."""

    name: str
    reason: str


class HarnessSession(ABC, Generic[L]):
    """The harness of one version of Kafka at work. It ends with the block."""

    def __init__(self, version: str, lockstep: L) -> None:
        """Take runs in lock-step with a harness."""
        self.version = version
        self.lockstep = lockstep
        self.coverage = Coverage(lockstep.protocol)

    @property
    def protocol(self) -> Protocol:
        """The protocol whose runs are taken."""
        return self.lockstep.protocol

    @property
    def register(self) -> Register:
        """The known differences of the harness."""
        return self.lockstep.register

    @property
    def process(self) -> HarnessProcess:
        """The Java process."""
        return self.lockstep.process

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.close()

    def replayed(
        self, runs: Iterable[RecordedRun]
    ) -> Iterator[tuple[RecordedRun, RunOutcome | NotTaken]]:
        """Take runs, one after the other; what differs is made small."""
        for run in runs:
            outcome: RunOutcome | NotTaken
            try:
                outcome = self.replay(run)
            except CannotTake as error:
                outcome = NotTaken(run.name, str(error))
            yield run, outcome

    @abstractmethod
    def replay(self, run: RecordedRun) -> RunOutcome:
        """Take a run; what differs is made small.

        Raises:
            CannotTake: if the protocol, or the harness, does not take its steps.
        """

    @abstractmethod
    def walked(
        self, scenario: Scenario, system: System, seed: int, extent: Extent
    ) -> CampaignReport:
        """Take random walks through a scenario.

        Raises:
            CannotTake: if the steps of its setup are not taken.
        """


class SteppedSession(HarnessSession[S]):
    """A harness that takes a model step by step."""

    def replay(self, run: RecordedRun) -> RunOutcome:
        """Take a run; what differs is made small.

        Raises:
            CannotTake: if the protocol does not take one of its steps.
        """
        trace = run.trace()
        outcome = replay(self.lockstep, trace.start, trace.steps)
        if outcome.ending is Ending.SAME:
            self.coverage.add_run(trace)
        if outcome.ending in FAILED:
            return shrunk(self.lockstep, run.model, outcome)
        return outcome

    def walked(
        self, scenario: Scenario, system: System, seed: int, extent: Extent
    ) -> CampaignReport:
        """Take random walks through a scenario.

        Raises:
            CannotTake: if the protocol does not take the steps of its setup.
        """
        model = model_at_its_beginning(scenario, system)
        setup = Stepper(model).take(scenario.setup).steps
        drawer = StepDrawer(model, setup, self.coverage)
        return campaign(self.lockstep, drawer, seed, extent)


class Session(SteppedSession[Lockstep]):
    """The harness with brokers at work."""

    def __init__(self, version: str, protocol: Protocol) -> None:
        """Start the harness.

        Raises:
            HarnessUnavailable: if there is no Java, no jar, or it does not start.
        """
        process = HarnessProcess(program_for(version))
        super().__init__(version, Lockstep(process, Register.shipped(), protocol))


def save(folder: Path, scenario: Scenario, version: str, outcome: RunOutcome) -> Path:
    """Write a run in which something differs as a trace that says so.

    Raises:
        OSError: if the folder cannot be written.
    """
    instance = outcome.differences[0] if outcome.differences else outcome.error
    header = Header(
        scenario=scenario.name,
        model=scenario.model,
        protocol=scenario.protocol,
        bounds=dict(scenario.bounds),
        property=f"kafka-{version}-differs",
        instance=str(instance),
        initial=scenario.initial,
        version=VERSION,
        observed=Observed(f"Kafka {version}", _observed(outcome)),
    )
    trace: Trace[Any] = Trace(outcome.start, outcome.steps)
    return write_trace(folder, SavedTrace(header, trace))


def saved_line(
    folder: Path, scenario: Scenario, version: str, outcome: RunOutcome
) -> str:
    """Save a run in which something differs; what a person is told of it."""
    try:
        return f"Saved: {save(folder, scenario, version, outcome)}"
    except OSError as error:
        return printable_line(f"Not saved: {error}")


def _observed(outcome: RunOutcome) -> dict[str, Values]:
    """What Kafka had in each cell that differs, or the error by which it ended."""
    if outcome.error is not None:
        return {"step": Values("is taken", str(outcome.error))}
    return {d.cell: Values(str(d.model), str(d.kafka)) for d in outcome.differences}


def campaigns(protocol: Protocol) -> Iterator[Scenario]:
    """Scenarios of the campaigns that come with the project, under a protocol."""
    listed = tomllib.loads(CAMPAIGNS.read_text("utf-8"))
    for name, bounds in listed.items():
        yield scenario_of(name, bounds, protocol)


def rare_runs_of(
    version: str, protocol: Protocol, system: System
) -> Iterator[RecordedRun]:
    """Runs of a version that walks hardly ever take, under a protocol."""
    for rare in rare_runs():
        if not rare.is_of(version):
            continue
        scenario = scenario_of(rare.name, rare.bounds, protocol)
        model = model_at_its_beginning(scenario, system)
        yield RecordedRun(rare.name, model, rare.labels(protocol))


def scenario_of(name: str, bounds: Mapping[str, int], protocol: Protocol) -> Scenario:
    """Scenario that begins with a leader, within bounds of which some are given."""
    return Scenario(
        name=name,
        summary="",
        model=MODEL,
        protocol=protocol.name,
        bounds={**asdict(FetchingBounds()), **bounds},
        initial="with-leader",
    )


def under(scenario: Scenario, protocol: Protocol) -> Scenario:
    """A scenario under another protocol, whose expectations it then has not."""
    if scenario.protocol == protocol.name:
        return scenario
    return evolve(scenario, protocol=protocol.name, expect=None)
