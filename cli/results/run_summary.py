"""The summary of a run: its results, each assessed once, and its exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any

from attrs import frozen

from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.results.assessment import Finding, findings
from replicheck.cli.results.result import INTERRUPTED, NOT_STARTED, Result
from replicheck.cli.results.result_text import conclusion, coverage, notes
from replicheck.explorer.report import Verdict, Violation
from replicheck.traces.printable_text import printable_line

if TYPE_CHECKING:
    from replicheck.cli.results.mutant_results import Mutants


@frozen
class Assessment:
    """A result with its findings and the text that every report has of it.

    ``failures`` are the findings that make the run fail: those that are not accepted.
    """

    result: Result
    findings: tuple[Finding, ...]
    failures: tuple[Finding, ...]
    coverage: str
    notes: tuple[str, ...]
    conclusion: str

    @property
    def code(self) -> ExitCode:
        """The exit code of a run with this result alone."""
        return most_severe([finding.code for finding in self.failures])


def assess(result: Result, accepted: Set[ExitCode] = frozenset()) -> Assessment:
    """Assessment of a result; what was interrupted is never accepted."""
    found = tuple(findings(result))
    failures = tuple(
        finding
        for finding in found
        if finding.code not in accepted or result.was_interrupted
    )
    return Assessment(
        result,
        found,
        failures,
        coverage(result),
        tuple(map(printable_line, notes(result))),
        conclusion(result, found, failures),
    )


@frozen
class RunSummary:
    """The assessed results of a run, in the order of its tasks."""

    assessments: Sequence[Assessment]
    mutants: Mutants = ()
    """What was found out about mutants, in a run of their own."""

    @property
    def results(self) -> list[Result]:
        """The results alone."""
        return [assessment.result for assessment in self.assessments]

    @property
    def code(self) -> ExitCode:
        """The exit code of the run."""
        return most_severe([assessment.code for assessment in self.assessments])

    @property
    def vacuous(self) -> int:
        """Number of properties whose premise no state of a result fulfils."""
        return sum(len(result.vacuous) for result in self.results)

    @property
    def total(self) -> str:
        """Number of results of each kind, and the exit code.

        Each result is failed, interrupted, not started or passed.
        """
        failed = [
            assessment.result for assessment in self.assessments if assessment.failures
        ]
        passed = [
            assessment.result
            for assessment in self.assessments
            if not assessment.failures
        ]
        cuts = Counter(
            assessment.result.report.cut
            for assessment in self.assessments
            if assessment.code is ExitCode.INCOMPLETE
        )
        verdicts = Counter(result.report.verdict for result in passed)
        counts = {
            "failed": len(failed) - cuts[INTERRUPTED] - cuts[NOT_STARTED],
            "interrupted": cuts[INTERRUPTED],
            "not started": cuts[NOT_STARTED],
            f"passed{_in_detail(verdicts)}": len(passed),
            "with the expectation skipped": sum(
                bool(result.task.void) for result in self.results
            ),
            "from the cache": sum(result.is_cached for result in self.results),
        }
        kinds = [f"{count} {kind}" for kind, count in counts.items() if count]
        return f"{', '.join(kinds)}; exit code {self.code.value}"


def _in_detail(passed: Counter[Verdict]) -> str:
    """How many of the results that passed do not hold, in parentheses."""
    kinds = {
        "with an expected violation": passed[Verdict.VIOLATED],
        "incomplete, as accepted": passed[Verdict.INCOMPLETE],
    }
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)
    return f" ({told})" if told else ""


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
    """The violations of a run by property and last action."""
    found: dict[tuple[str, str], list[tuple[Result, Violation[Any]]]] = {}
    for result in results:
        for violation in (*result.report.violations, *result.report.others):
            key = violation.property, last_action(violation)
            found.setdefault(key, []).append((result, violation))
    return [
        Group(name, action, len(same), *min(same, key=_length))
        for (name, action), same in found.items()
    ]


def last_action(violation: Violation[Any]) -> str:
    """Name of the last step's action, or ``initial state``."""
    steps = violation.trace.steps
    return steps[-1].action if steps else "initial state"


def other_key(violation: Violation[Any]) -> str:
    """Key of the file of a further violation of a property."""
    return f"{violation.property} by {last_action(violation)}"


def _length(found: tuple[Result, Violation[Any]]) -> int:
    return len(found[1].trace.steps)
