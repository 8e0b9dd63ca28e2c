"""A summary in Markdown, for the page of a job (``GITHUB_STEP_SUMMARY``)."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.cli.reports.counterexamples import counterexamples
from replicheck.cli.reports.markdown_table import (
    folded_text,
    markdown_table,
    markdown_text,
)
from replicheck.cli.results.run_summary import Assessment, Group, RunSummary, groups
from replicheck.explorer.report import Verdict

MARKS = {
    Verdict.HOLDS: "✅",
    Verdict.VIOLATED: "❌",
    Verdict.INCOMPLETE: "⚠️",
    Verdict.ERROR: "💥",
}
"""A violation that is expected has its own mark, `EXPECTED`."""
EXPECTED = "☑️"
HEADINGS = ("scenario", "protocol", "bounds", "verdict", "states", "depth", "outcome")
GROUP_HEADINGS = ("property", "last action", "times", "states of the shortest", "in")


def markdown(summary: RunSummary) -> str:
    """A table of the results, the groups of violations, and each failure."""
    return "\n".join(_lines(summary)) + "\n"


def _lines(summary: RunSummary) -> Iterator[str]:
    yield "## replicheck"
    yield ""
    yield f"{summary.total}."
    yield ""
    yield from markdown_table(HEADINGS, map(_row, summary.assessments), numbers=(4, 5))
    yield from _violations(summary)
    for assessment in summary.assessments:
        yield from _details(assessment)


def _row(assessment: Assessment) -> tuple[str, ...]:
    result = assessment.result
    report, scenario = result.report, result.task.scenario
    mark = MARKS[report.verdict]
    if report.verdict is Verdict.VIOLATED and not assessment.failures:
        mark = EXPECTED
    return (
        markdown_text(scenario.name),
        markdown_text(scenario.protocol),
        result.task.bounds_in_short,
        f"{mark} {report.verdict.value}",
        f"{report.states:,}",
        str(report.depth),
        assessment.conclusion + (", cached" if result.is_cached else ""),
    )


def _violations(summary: RunSummary) -> Iterator[str]:
    found = groups(summary.results)
    if not found:
        return
    yield ""
    yield "### Violations by property and last action"
    yield ""
    yield from markdown_table(GROUP_HEADINGS, map(_group_row, found), numbers=(2, 3))


def _group_row(group: Group) -> tuple[str, ...]:
    scenario = group.result.task.scenario
    return (
        f"`{group.property}`",
        f"`{group.action}`",
        str(group.count),
        str(len(group.shortest.trace.states)),
        markdown_text(f"{scenario.name}, {scenario.protocol}"),
    )


def _details(assessment: Assessment) -> Iterator[str]:
    result = assessment.result
    if not assessment.failures:
        return
    yield ""
    yield f"### {markdown_text(result.task.title)}"
    yield ""
    yield f"{result.report.verdict.value}: {markdown_text(assessment.coverage)}"
    yield ""
    for finding in assessment.failures:
        yield f"- exit {finding.code.value}: {markdown_text(finding.text)}"
    for note in assessment.notes:
        yield f"- {markdown_text(note)}"
    yield f"- reproduce: `{result.task.command}`"
    for name, text in counterexamples(result):
        yield from folded_text(f"the run to {name}", text)
