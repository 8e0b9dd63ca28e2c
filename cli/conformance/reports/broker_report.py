"""What a session with brokers does beyond runs, walks and mutants."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from replicheck.cli.conformance.elections.comparison import (
    compare,
    election_lines,
    elections_document,
)
from replicheck.cli.conformance.findings import FindingRun, execute
from replicheck.cli.conformance.recorded_runs import model_at_its_beginning
from replicheck.cli.conformance.reports.stepped_report import SteppedReport
from replicheck.cli.conformance.session import Session, scenario_of
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.invariants.catalogue.systems import System
from replicheck.model.protocol import Protocol


class BrokerReport(SteppedReport):
    """A session with brokers at work: findings and elections as well."""

    def __init__(self, session: Session, traces: Path, is_quiet: bool) -> None:
        super().__init__(session, traces, is_quiet)
        self.brokers = session

    def show(self, chosen: Iterable[FindingRun], system: System) -> None:
        """Execute findings, each of which must come to its harm."""
        for finding in chosen:
            if self.brokers.version not in finding.versions:
                continue
            scenario = scenario_of(finding.name, finding.bounds, self.brokers.protocol)
            model = model_at_its_beginning(scenario, system)
            self.tell_harm(finding, execute(self.brokers.lockstep, model, finding))

    def elect(self, protocol: Protocol, brokers: int) -> None:
        """Compare every election of the controller among some brokers.

        Raises:
            HarnessError: if Kafka does not take a question.
        """
        found = compare(self.brokers.process, protocol, brokers)
        for line in election_lines(found, protocol.name, self.brokers.version):
            self.say(line)
        self.document["elections"] = elections_document(found)
        if not found.is_same:
            self.codes.append(ExitCode.NOT_CONFORMING)
