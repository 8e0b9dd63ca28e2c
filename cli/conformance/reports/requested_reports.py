"""The reports that a command line asks for: of brokers, of controllers, of KRaft."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from replicheck.cli.conformance.controllers.controller_session import (
    CONTROLLER_MODEL,
    ControllerSession,
    controller_campaigns,
    rare_controller_runs,
)
from replicheck.cli.conformance.findings import FindingRun
from replicheck.cli.conformance.harness.artifacts import kraft_versions
from replicheck.cli.conformance.mutant_walks import comparable
from replicheck.cli.conformance.quorum.kraft_session import (
    KraftSession,
    kraft_campaigns,
)
from replicheck.cli.conformance.quorum.quorum_session import (
    QUORUM_MODEL,
    QuorumSession,
    quorum_campaigns,
)
from replicheck.cli.conformance.recorded_runs import RecordedRun
from replicheck.cli.conformance.reports.broker_report import BrokerReport
from replicheck.cli.conformance.reports.kraft_report import KraftReport
from replicheck.cli.conformance.reports.session_report import SessionReport
from replicheck.cli.conformance.requests import Requests, runs_of_suite
from replicheck.cli.conformance.session import (
    MODEL,
    Session,
    campaigns,
    rare_runs_of,
)
from replicheck.cli.conformance.walks import Extent
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.model.protocol import Protocol


@frozen
class Requested:
    """What a command line asks of one version of Kafka.

    ``elections`` is among how many brokers; ``must_meet`` says whether all actions and
    rules must be met, ``must_meet_known`` whether all known differences. With
    ``brokers`` those of KRaft are taken beside its controller.
    """

    requests: Requests
    version: str
    of_brokers: Protocol
    of_controllers: Protocol
    of_quorum: Protocol
    traces: Path
    is_quiet: bool
    extent: Extent
    seed: int
    suite: str | None = None
    campaigns: bool = False
    mutants: bool = False
    elections: int | None = None
    controllers: bool = False
    brokers: bool = False
    findings: tuple[FindingRun, ...] = ()
    must_meet: bool = False
    must_meet_known: bool = False

    def reports(self) -> list[SessionReport]:
        """Do what is asked for, each kind of harness in a session of its own.

        Raises:
            HarnessUnavailable: if there is no Java, no jar, or no such harness.
            CannotTake: if the steps of a scenario's setup are not taken.
        """
        if self.version in kraft_versions():
            return [self._of_quorum()]
        found: list[SessionReport] = []
        more = self.suite, self.campaigns, self.mutants, self.elections, self.findings
        if self.requests.asks_for(MODEL) or any(more):
            found.append(self._of_brokers())
        if self.requests.asks_for(CONTROLLER_MODEL) or self.controllers:
            found.append(self._of_controllers())
        return found

    def _of_brokers(self) -> SessionReport:
        system = self.requests.catalogue.systems[MODEL]
        runs, walked = self._runs_of_brokers()
        with Session(self.version, self.of_brokers) as session:
            report = BrokerReport(session, self.traces, self.is_quiet)
            if self.elections:
                report.elect(self.of_controllers, self.elections)
            report.replay(runs)
            report.walk_all(walked, system, self.seed, self.extent)
            report.show(self.findings, system)
            if self.mutants:
                every = self.requests.catalogue.mutants.values()
                own = comparable(every, system, self.of_brokers.name)
                report.walk_mutants(own, system, self.seed, self.extent)
            if self.suite or walked:
                report.tell_coverage()
            self._require(report)
        return report

    def _runs_of_brokers(self) -> tuple[list[RecordedRun], list[Scenario]]:
        catalogue = self.requests.catalogue
        system, protocol = catalogue.systems[MODEL], self.of_brokers
        runs = list(self.requests.runs(system, protocol))
        walked = self.requests.scenarios(system, protocol)
        if self.suite:
            runs += runs_of_suite(catalogue, self.suite, system, protocol)
        if self.campaigns:
            runs += rare_runs_of(self.version, protocol, system)
            walked += campaigns(protocol)
        return runs, walked

    def _of_controllers(self) -> SessionReport:
        system = self.requests.catalogue.systems[CONTROLLER_MODEL]
        protocol = self.of_controllers
        runs = list(self.requests.runs(system, protocol))
        walked = self.requests.scenarios(system, protocol)
        if self.controllers:
            runs += rare_controller_runs(protocol, system)
            walked += controller_campaigns(protocol)
        with ControllerSession(self.version, protocol) as session:
            report = SessionReport(session, self.traces, self.is_quiet)
            report.replay(runs)
            report.walk_all(walked, system, self.seed, self.extent)
            report.tell_coverage()
            self._require(report)
        return report

    def _of_quorum(self) -> SessionReport:
        catalogue, protocol = self.requests.catalogue, self.of_quorum
        system = catalogue.systems[QUORUM_MODEL]
        runs = list(self.requests.runs(system, protocol))
        walked = self.requests.scenarios(system, protocol)
        if self.suite:
            runs += runs_of_suite(catalogue, self.suite, system, protocol)
        if self.campaigns:
            found = kraft_campaigns if self.brokers else quorum_campaigns
            walked += found(protocol)
        with_brokers = self.brokers or bool(self.findings)
        opened = KraftSession if with_brokers else QuorumSession
        with opened(self.version, protocol) as session:
            report = KraftReport(session, self.traces, self.is_quiet)
            report.show(self.findings, system)
            report.replay(runs)
            report.walk_all(walked, system, self.seed, self.extent)
            if self.mutants:
                own = comparable(catalogue.mutants.values(), system, protocol.name)
                taken = session.taken(own)
                report.walk_mutants(taken, system, self.seed, self.extent)
            if self.suite or walked:
                report.tell_coverage()
            self._require(report)
        return report

    def _require(self, report: SessionReport) -> None:
        if self.must_meet:
            report.require_all_met()
        if self.must_meet_known:
            report.require_all_known()
