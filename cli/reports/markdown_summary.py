"""A summary in Markdown, for the page of a job (``GITHUB_STEP_SUMMARY``)."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.cli.reports.markdown_table import folded
from replicheck.cli.reports.stories import stories
from replicheck.cli.results.result import Result
from replicheck.cli.results.run_summary import Finished, groups
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


def markdown(finished: Finished) -> str:
    """Return a table of the results, the groups of violations, and each failure."""
    return "\n".join(_lines(finished)) + "\n"


def _lines(finished: Finished) -> Iterator[str]:
    yield "## replicheck"
    yield ""
    yield f"{finished.total}."
    yield ""
    yield "| scenario | protocol | bounds | verdict | states | depth | outcome |"
    yield "|---|---|---|---|---:|---:|---|"
    yield from (_row(finished, each) for each in finished.results)
    yield from _violations(finished)
    for result in finished.results:
        yield from _details(finished, result)


def _row(finished: Finished, result: Result) -> str:
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
    return f"| {' | '.join(each.replace('|', chr(92) + '|') for each in cells)} |"


def _violations(finished: Finished) -> Iterator[str]:
    found = groups(finished.results)
    if not found:
        return
    yield ""
    yield "### Violations by property and last action"
    yield ""
    yield "| property | last action | times | states of the shortest | in |"
    yield "|---|---|---:|---:|---|"
    for each in found:
        states = len(each.shortest.trace.states)
        yield (
            f"| `{each.property}` | `{each.action}` | {each.count} | {states}"
            f" | {each.result.task.scenario.name}, {each.result.task.scenario.protocol}"
            " |"
        )


def _details(finished: Finished, result: Result) -> Iterator[str]:
    failures = finished.failures(result)
    if not failures:
        return
    yield ""
    yield f"### {result.task.title}"
    yield ""
    yield f"{result.report.verdict.value}: {coverage(result)}"
    yield ""
    for each in failures:
        yield f"- exit {each.code.value}: {each.text}"
    for note in notes(result):
        yield f"- {note}"
    yield f"- repeat: `{result.task.command}`"
    for name, story in stories(result):
        yield from folded(f"the run to {name}", story)
