"""A finished run: its results, its exit code, and what it accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.results.assessment import Finding, exit_code, findings
from replicheck.cli.results.mutant_results import Mutants
from replicheck.cli.results.result import Result
from replicheck.explorer.report import Violation


@frozen
class RunSummary:
    """The results of a run, in the order of its tasks."""

    results: Sequence[Result]
    accepted: frozenset[ExitCode] = frozenset()
    mutants: Mutants = ()
    """What was found out about mutants, in a run of their own."""

    @property
    def code(self) -> ExitCode:
        """Return the exit code."""
        return exit_code(self.results, self.accepted)

    @property
    def total(self) -> str:
        """Return in a sentence how many results there are, and of what kind."""
        failing = sum(bool(self.failures(result)) for result in self.results)
        cached = sum(result.is_cached for result in self.results)
        whole = f"{len(self.results)} results, {failing} of them not as they should be"
        if cached:
            whole += f", {cached} from the cache"
        return f"{whole}; exit code {self.code.value}"

    def failures(self, result: Result) -> list[Finding]:
        """Return what makes the run fail, of one result."""
        return [
            finding
            for finding in findings(result)
            if finding.code not in self.accepted or result.was_interrupted
        ]


@frozen
class Group:
    """The violations of a property whose last step is of the same action.

    ``shortest`` is one of the shortest runs to it, ``result`` where that was found.
    """

    property: str
    action: str
    count: int
    result: Result
    shortest: Violation[Any]


def groups(results: Sequence[Result]) -> list[Group]:
    """Return the violations of a run by property and last action."""
    found: dict[tuple[str, str], list[tuple[Result, Violation[Any]]]] = {}
    for result in results:
        for violation in (*result.report.violations, *result.others):
            key = violation.property, last_action(violation)
            found.setdefault(key, []).append((result, violation))
    return [
        Group(name, action, len(same), *min(same, key=_length))
        for (name, action), same in found.items()
    ]


def last_action(violation: Violation[Any]) -> str:
    """Return the action of the last step, or that there is none."""
    steps = violation.trace.steps
    return steps[-1].action if steps else "initial state"


def other_key(violation: Violation[Any]) -> str:
    """Return the key of the file of a violation that is not the first of its kind."""
    return f"{violation.property} by {last_action(violation)}"


def _length(found: tuple[Result, Violation[Any]]) -> int:
    return len(found[1].trace.steps)
