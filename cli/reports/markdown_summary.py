"""A summary in Markdown, for the page of a job (``GITHUB_STEP_SUMMARY``)."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.cli.reports.markdown_table import folded_text
from replicheck.cli.reports.stories import stories
from replicheck.cli.results.result import Result
from replicheck.cli.results.run_summary import RunSummary, groups
from replicheck.cli.results.sentences import conclusion, coverage, notes
from replicheck.explorer.report import Verdict

MARKS = {
    Verdict.HOLDS: "✅",
    Verdict.VIOLATED: "❌",
    Verdict.INCOMPLETE: "⚠️",
    Verdict.ERROR: "💥",
}
"""A violation that is expected has its own mark, `EXPECTED`."""
EXPECTED = "☑️"


def markdown(finished: RunSummary) -> str:
    """Return a table of the results, the groups of violations, and each failure."""
    return "\n".join(_lines(finished)) + "\n"


def _lines(finished: RunSummary) -> Iterator[str]:
    yield "## replicheck"
    yield ""
    yield f"{finished.total}."
    yield ""
    yield "| scenario | protocol | bounds | verdict | states | depth | outcome |"
    yield "|---|---|---|---|---:|---:|---|"
    yield from (_row(finished, result) for result in finished.results)
    yield from _violations(finished)
    for result in finished.results:
        yield from _details(finished, result)


def _row(finished: RunSummary, result: Result) -> str:
    report, scenario = result.report, result.task.scenario
    mark = MARKS[report.verdict]
    if report.verdict is Verdict.VIOLATED and not finished.failures(result):
        mark = EXPECTED
    cells = (
        scenario.name,
        scenario.protocol,
        result.task.bounds_in_short,
        f"{mark} {report.verdict.value}",
        f"{report.states:,}",
        str(report.depth),
        conclusion(result) + (", cached" if result.is_cached else ""),
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _violations(finished: RunSummary) -> Iterator[str]:
    found = groups(finished.results)
    if not found:
        return
    yield ""
    yield "### Violations by property and last action"
    yield ""
    yield "| property | last action | times | states of the shortest | in |"
    yield "|---|---|---:|---:|---|"
    for group in found:
        states = len(group.shortest.trace.states)
        scenario = group.result.task.scenario
        yield (
            f"| `{group.property}` | `{group.action}` | {group.count} | {states}"
            f" | {scenario.name}, {scenario.protocol} |"
        )


def _details(finished: RunSummary, result: Result) -> Iterator[str]:
    failures = finished.failures(result)
    if not failures:
        return
    yield ""
    yield f"### {result.task.title}"
    yield ""
    yield f"{result.report.verdict.value}: {coverage(result)}"
    yield ""
    for finding in failures:
        yield f"- exit {finding.code.value}: {finding.text}"
    for note in notes(result):
        yield f"- {note}"
    yield f"- repeat: `{result.task.command}`"
    for name, story in stories(result):
        yield from folded_text(f"the run to {name}", story)
