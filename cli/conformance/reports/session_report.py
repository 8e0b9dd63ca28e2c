"""What a session does, told as it goes, and as one JSON document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from replicheck.cli.conformance.controllers.controller_session import (
    ControllerSession,
)
from replicheck.cli.conformance.lockstep import FAILED, RunOutcome
from replicheck.cli.conformance.recorded_runs import RecordedRun
from replicheck.cli.conformance.reports.run_lines import (
    campaign_document,
    campaign_lines,
    coverage_document,
    coverage_lines,
    departure_line,
    failure_lines,
    known_difference_lines,
    outcome_lines,
    run_document,
)
from replicheck.cli.conformance.session import HarnessSession, NotTaken, saved_line
from replicheck.cli.conformance.walks import Extent
from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.console.output import telling_what_was_found, write_output
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System
from replicheck.traces.printable_text import printable_line

COMPARED = ("runs", "campaigns", "findings", "mutants", "elections")
"""Keys of a document under which there is what was compared."""


class SessionReport:
    """A session at work: what it found so far, as text, document and exit code."""

    def __init__(
        self, session: HarnessSession[Any], traces: Path, is_quiet: bool
    ) -> None:
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
                self.say(f"{'is not taken':28}             {run.name}")
                self.say(f"      {outcome.reason}")
                self.document["not_taken"][run.name] = outcome.reason
                if run.saved is not None:
                    self.codes.append(ExitCode.INCOMPLETE)
                continue
            for line in outcome_lines(run.name, outcome, self.session.protocol):
                self.say(line)
            self.document["runs"].append(run_document(run.name, outcome))
            self._judge(outcome)
            self._tell_departure(run, outcome)
        if runs:
            for line in known_difference_lines(
                self.session.lockstep.met, self.session.register
            ):
                self.say(line)

    def _tell_departure(self, run: RecordedRun, outcome: RunOutcome) -> None:
        """Tell of a saved run that comes to other states than its file has."""
        if run.saved is None or outcome.ending in FAILED:
            return
        number = run.departure(len(outcome.steps))
        if number is not None:
            self.say(departure_line(run.saved.header, self.session.protocol, number))
            self.document["runs"][-1]["departs_at_state"] = number
            self.codes.append(ExitCode.INCOMPLETE)

    def walk(
        self, scenario: Scenario, system: System, seed: int, extent: Extent
    ) -> None:
        """Take random walks through a scenario."""
        bounds = ",".join(f"{k}={v}" for k, v in scenario.bounds.items() if v)
        name = f"{scenario.name}, {scenario.protocol}, {bounds}"
        self.say("")
        self.say(f"{name}, on Kafka {self.session.version}, seed {seed}:")
        found = self.session.walked(scenario, system, seed, extent)
        for line in campaign_lines(found, self.session.register):
            self.say(line)
        self.document["campaigns"][scenario.name] = campaign_document(found)
        if found.failure is not None:
            count = len(found.failure.steps)
            self.say("")
            self.say(f"DIFFERS after {count} steps (the walk had {found.length}):")
            for line in failure_lines(found.failure, self.session.protocol):
                self.say(line)
            self._judge(found.failure)
            version = self.session.version
            self.say(saved_line(self.traces, scenario, version, found.failure))

    def tell_coverage(self) -> None:
        """Tell what of the protocol was met by all runs so far."""
        met = self.session.coverage.summary()
        self.document["coverage"] = coverage_document(met)
        for line in coverage_lines(met):
            self.say(line)

    def walk_all(
        self, scenarios: Iterable[Scenario], system: System, seed: int, extent: Extent
    ) -> None:
        """Take random walks through some scenarios, each to the same extent."""
        for scenario in scenarios:
            self.walk(scenario, system, seed, extent)

    def require_all_met(self) -> None:
        """Tell which actions and rules were never met; there should be none."""
        met = self.session.coverage.summary()
        if met.actions_not_met or met.rules_not_met:
            self.say("not all actions and rules were met")
            self.codes.append(ExitCode.EXPECTATION)

    def require_all_known(self) -> None:
        """Tell which known differences were never met; there should be none."""
        met, version = self.session.lockstep.met, self.session.version
        for known in self.session.register.entries:
            if known.is_of(version) and not met[known.name]:
                self.say(f"never met: {known.name}; it may be none any more")
                self.codes.append(ExitCode.EXPECTATION)

    @property
    def has_compared(self) -> bool:
        """Whether anything was taken on Kafka's classes."""
        return any(self.document.get(kind) for kind in COMPARED)

    def _judge(self, outcome: RunOutcome) -> None:
        if outcome.ending in FAILED:
            self.codes.append(ExitCode.NOT_CONFORMING)

    def say(self, line: str) -> None:
        """Tell a line as the session goes."""
        click.echo(printable_line(line), err=self.is_quiet)


def end(reports: Sequence[SessionReport], json_path: str | None) -> None:
    """Write what sessions found, and end with the most severe exit code.

    A session with controllers comes under a name of its own.
    """
    codes = [ExitCode.AS_EXPECTED]
    document: dict[str, Any] = {}
    for report in reports:
        codes += report.codes
        of_controllers = isinstance(report.session, ControllerSession)
        told: Mapping[str, Any] = report.document
        document |= {"controllers": told} if of_controllers else told
    if not any(report.has_compared for report in reports):
        click.echo("nothing was compared", err=True)
        codes.append(ExitCode.INCOMPLETE)
    text = json.dumps(document, indent=2) + "\n"
    if json_path is not None:
        with telling_what_was_found(most_severe(codes)):
            write_output(json_path, text, "--json")
    sys.exit(most_severe(codes))
