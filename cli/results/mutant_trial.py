"""A mutant, and what its search found."""

from __future__ import annotations

import shlex

from attrs import frozen

from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.results.result import Result
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue.mutants import Mutant, Status
from replicheck.invariants.catalogue.own.references import is_reference
from replicheck.traces.run_text import states_text


@frozen
class MutantTrial:
    """A mutant, and what its search found."""

    mutant: Mutant
    result: Result

    @property
    def status(self) -> Status:
        """Status of the mutant, independent of the expectation."""
        if self.result.report.violations:
            return "killed"
        if self.mutant.expected == "equivalent" and self.result.exhausted:
            return "equivalent"
        return "alive"

    @property
    def caught_by(self) -> str:
        """The property that caught it, or nothing."""
        return next(
            (violation.property for violation in self.result.report.violations), ""
        )

    @property
    def length(self) -> int | None:
        """The number of states of the shortest run that shows it."""
        violations = self.result.report.violations
        return len(violations[0].trace.states) if violations else None

    @property
    def problem(self) -> str:
        """The difference from what was expected, or nothing."""
        report, mutant = self.result.report, self.mutant
        if report.failure is not None:
            return f"{report.failure.function} raised {report.failure.message}"
        if report.verdict is Verdict.ERROR:
            return self.result.problem
        if mutant.expected == "killed" and not mutant.violates:
            return "" if self.caught_by else "no property is violated"
        if (self.caught_by, self.length) != (mutant.violates, mutant.length):
            return f"{_words(self.caught_by, self.length)}, expected that " + _words(
                mutant.violates, mutant.length
            )
        if report.cut is not None and mutant.expected != "alive":
            return f"the limit on {report.cut} cut the search"
        return ""

    @property
    def command(self) -> str:
        """The command that tells its run."""
        name = self.mutant.scenario.name
        if is_reference(name):
            words = ["replicheck", "check", name, "--protocol", self.mutant.name]
            if self.result.task.judges_runs:
                words.append("--livelocks")
            return shlex.join(words)
        return f"replicheck check {self.mutant.name}"

    @property
    def code(self) -> ExitCode:
        """The exit code that this one alone would give."""
        if self.result.report.verdict is Verdict.ERROR:
            return ExitCode.MODEL_ERROR
        return ExitCode.EXPECTATION if self.problem else ExitCode.AS_EXPECTED


def _words(violated: str, length: int | None) -> str:
    if length is None:
        return "nothing catches it"
    return f"{violated} is violated after {states_text(length)}"
