"""What a session with a cluster in KRaft does beyond runs, walks and mutants."""

from __future__ import annotations

from collections.abc import Iterable

from replicheck.cli.conformance.findings import FindingRun
from replicheck.cli.conformance.quorum.kraft_findings import execute
from replicheck.cli.conformance.quorum.kraft_session import scenario_of
from replicheck.cli.conformance.recorded_runs import model_at_its_beginning
from replicheck.cli.conformance.reports.stepped_report import SteppedReport
from replicheck.invariants.catalogue.systems import System


class KraftReport(SteppedReport):
    """A session with KRaft at work: findings as well, if it has brokers."""

    def show(self, chosen: Iterable[FindingRun], system: System) -> None:
        """Execute findings, each of which must come to its harm."""
        for finding in chosen:
            scenario = scenario_of(finding.name, finding.bounds, self.stepped.protocol)
            model = model_at_its_beginning(scenario, system)
            self.tell_harm(finding, execute(self.stepped.lockstep, model, finding))
