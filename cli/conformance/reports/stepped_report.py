"""A session that takes a model step by step: its mutants, told as it goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from replicheck.cli.conformance.findings import FindingRun, Harm
from replicheck.cli.conformance.mutant_walks import MutantWalks, walk_mutants
from replicheck.cli.conformance.reports.run_lines import (
    harm_document,
    harm_lines,
    kill_rate_line,
    mutant_line,
    mutants_document,
)
from replicheck.cli.conformance.reports.session_report import SessionReport
from replicheck.cli.conformance.session import SteppedSession
from replicheck.cli.conformance.walks import Extent
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.invariants.catalogue.systems import System


class SteppedReport(SessionReport):
    """A session at work that walks through mutants as well, and tells findings."""

    def __init__(
        self, session: SteppedSession[Any], traces: Path, is_quiet: bool
    ) -> None:
        super().__init__(session, traces, is_quiet)
        self.stepped = session

    def walk_mutants(
        self, mutants: Sequence[Mutant], system: System, seed: int, extent: Extent
    ) -> None:
        """Walk through mutants of the protocol, and tell which were told apart."""
        found: list[MutantWalks] = []
        for walked in walk_mutants(
            self.stepped.lockstep, mutants, system, seed, extent
        ):
            self.say(mutant_line(walked))
            found.append(walked)
        self.say(kill_rate_line(found))
        self.document["mutants"] = mutants_document(found)

    def tell_harm(self, finding: FindingRun, harm: Harm) -> None:
        """Tell what came of a finding, which must come to its harm."""
        for line in harm_lines(finding, harm):
            self.say(line)
        self.document["findings"][finding.name] = harm_document(harm)
        if harm.differences:
            self.codes.append(ExitCode.NOT_CONFORMING)
        elif not harm.is_done:
            self.say("      no harm is done: not a finding of this version")
            self.codes.append(ExitCode.EXPECTATION)
