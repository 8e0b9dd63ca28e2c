"""What a session does, told as it goes, and as one JSON document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from replicheck.cli.conformance.elections.comparison import (
    compare,
    election_lines,
    elections_document,
)
from replicheck.cli.conformance.findings import FindingRun, Harm, execute
from replicheck.cli.conformance.lockstep import FAILED, RunOutcome
from replicheck.cli.conformance.mutant_walks import MutantWalks, walk_mutants
from replicheck.cli.conformance.recorded_runs import RecordedRun, model_at_its_beginning
from replicheck.cli.conformance.report import (
    campaign_document,
    campaign_lines,
    coverage_document,
    coverage_lines,
    failure_lines,
    harm_document,
    harm_lines,
    kill_rate_line,
    known_difference_lines,
    mutant_line,
    mutants_document,
    outcome_lines,
    run_document,
)
from replicheck.cli.conformance.session import NotTaken, Session, save, scenario_of
from replicheck.cli.conformance.walks import Extent
from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.console.output import STANDARD_OUTPUT
from replicheck.explorer.runtime.atomic_files import write_atomically
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System
from replicheck.model.protocol import Protocol
from replicheck.traces.printable_text import printable_line


class SessionReport:
    """A session at work: what it found so far, as text, document and exit code."""

    def __init__(self, session: Session, traces: Path, is_quiet: bool) -> None:
        self.session = session
        self.traces = traces
        self.is_quiet = is_quiet
        self.codes = [ExitCode.AS_EXPECTED]
        self.document: dict[str, Any] = {
            "kafka": session.version,
            "protocol": session.protocol.name,
            "runs": [],
            "not_taken": {},
            "campaigns": {},
            "findings": {},
        }

    def replay(self, runs: list[RecordedRun]) -> None:
        """Take runs that are written down."""
        for run, outcome in self.session.replayed(runs):
            if isinstance(outcome, NotTaken):
                self._say(f"{'is not taken':28}             {run.name}")
                self._say(f"      {outcome.reason}")
                self.document["not_taken"][run.name] = outcome.reason
                continue
            for line in outcome_lines(run.name, outcome, self.session.protocol):
                self._say(line)
            self.document["runs"].append(run_document(run.name, outcome))
            self._judge(outcome)
        if runs:
            for line in known_difference_lines(
                self.session.lockstep.met, self.session.register
            ):
                self._say(line)

    def walk(
        self, scenario: Scenario, system: System, seed: int, extent: Extent
    ) -> None:
        """Take random walks through a scenario."""
        bounds = ",".join(f"{k}={v}" for k, v in scenario.bounds.items() if v)
        name = f"{scenario.name}, {scenario.protocol}, {bounds}"
        self._say("")
        self._say(f"{name}, on Kafka {self.session.version}, seed {seed}:")
        found = self.session.walked(scenario, system, seed, extent)
        for line in campaign_lines(found, self.session.register):
            self._say(line)
        self.document["campaigns"][scenario.name] = campaign_document(found)
        if found.failure is not None:
            count = len(found.failure.steps)
            self._say("")
            self._say(f"DIFFERS after {count} steps (the walk had {found.length}):")
            for line in failure_lines(found.failure, self.session.protocol):
                self._say(line)
            self._judge(found.failure)
            file = save(self.traces, scenario, self.session.version, found.failure)
            self._say(f"Saved: {file}")

    def show(self, chosen: Iterable[FindingRun], system: System) -> None:
        """Execute findings, each of which must come to its harm."""
        for finding in chosen:
            if self.session.version not in finding.versions:
                continue
            scenario = scenario_of(finding.name, finding.bounds, self.session.protocol)
            model = model_at_its_beginning(scenario, system)
            harm: Harm = execute(self.session.lockstep, model, finding)
            for line in harm_lines(finding, harm):
                self._say(line)
            self.document["findings"][finding.name] = harm_document(harm)
            if harm.differences:
                self.codes.append(ExitCode.NOT_CONFORMING)
            elif not harm.is_done:
                self._say("      no harm is done: not a finding of this version")
                self.codes.append(ExitCode.EXPECTATION)

    def walk_mutants(
        self, mutants: Sequence[Mutant], system: System, seed: int, extent: Extent
    ) -> None:
        """Walk through mutants of the protocol, and tell which were told apart."""
        found: list[MutantWalks] = []
        for walked in walk_mutants(
            self.session.lockstep, mutants, system, seed, extent
        ):
            self._say(mutant_line(walked))
            found.append(walked)
        self._say(kill_rate_line(found))
        self.document["mutants"] = mutants_document(found)

    def elect(self, protocol: Protocol, brokers: int) -> None:
        """Compare every election of the controller among some brokers.

        Raises:
            HarnessError: if Kafka does not take a question.
        """
        found = compare(self.session.process, protocol, brokers)
        for line in election_lines(found, protocol.name, self.session.version):
            self._say(line)
        self.document["elections"] = elections_document(found)
        if not found.is_same:
            self.codes.append(ExitCode.NOT_CONFORMING)

    def tell_coverage(self) -> None:
        """Tell what of the protocol was met by all runs so far."""
        met = self.session.coverage.summary()
        self.document["coverage"] = coverage_document(met)
        for line in coverage_lines(met):
            self._say(line)

    def require_all_met(self) -> None:
        """Tell which actions and rules were never met; there should be none."""
        met = self.session.coverage.summary()
        if met.actions_not_met or met.rules_not_met:
            self._say("not all actions and rules were met")
            self.codes.append(ExitCode.EXPECTATION)

    def require_all_known(self) -> None:
        """Tell which known differences were never met; there should be none."""
        met, version = self.session.lockstep.met, self.session.version
        for known in self.session.register.entries:
            if known.is_of(version) and not met[known.name]:
                self._say(f"never met: {known.name}; it may be none any more")
                self.codes.append(ExitCode.EXPECTATION)

    def end(self, json_path: str | None) -> None:
        """Write the report, and end with the most severe exit code."""
        text = json.dumps(self.document, indent=2) + "\n"
        if json_path == STANDARD_OUTPUT:
            click.echo(text, nl=False)
        elif json_path is not None:
            write_atomically(Path(json_path), text)
        sys.exit(most_severe(self.codes))

    def _judge(self, outcome: RunOutcome) -> None:
        if outcome.ending in FAILED:
            self.codes.append(ExitCode.NOT_CONFORMING)

    def _say(self, line: str) -> None:
        click.echo(printable_line(line), err=self.is_quiet)
