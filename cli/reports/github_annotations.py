"""Annotations of GitHub Actions: workflow commands that it shows beside the files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from replicheck.cli.results.run_summary import Assessment, RunSummary
from replicheck.cli.tasks.suite_entry import Entry
from replicheck.explorer.report import Verdict
from replicheck.traces.printable_text import printable

HEADING = re.compile(r"^\s*\[\[\s*check\s*\]\]")


def workflow_commands(summary: RunSummary) -> str:
    """An error for each failure, a warning for each accepted cut, and a notice.

    The notice sums the run up.
    """
    lines = [
        line for assessment in summary.assessments for line in _of_result(assessment)
    ]
    lines.append(_command("notice", {"title": "replicheck"}, summary.total))
    return "\n".join(lines) + "\n"


def _of_result(assessment: Assessment) -> Iterator[str]:
    result, task = assessment.result, assessment.result.task
    where = _place(task.entry) if task.entry else {}
    reproduce = f"reproduce: {task.command}"
    for finding in assessment.failures:
        title = f"{task.scenario.name}, {task.scenario.protocol}: {finding.code.name}"
        text = f"{finding.text}\n{reproduce}"
        yield _command("error", {**where, "title": title}, text)
    if not assessment.failures and result.report.verdict is Verdict.INCOMPLETE:
        title = f"{task.scenario.name}: incomplete, {assessment.conclusion}"
        text = f"{assessment.coverage}\n{reproduce}"
        yield _command("warning", {**where, "title": title}, text)


def _place(entry: Entry) -> dict[str, str]:
    """File and line of an entry, if it is of a file."""
    path = Path(entry.suite)
    if not path.is_file():
        return {}
    lines = path.read_text("utf-8", "replace").splitlines()
    headings = [n for n, line in enumerate(lines, start=1) if HEADING.match(line)]
    if len(headings) < entry.number:
        return {"file": entry.suite}
    return {"file": entry.suite, "line": str(headings[entry.number - 1])}


def _command(kind: str, values: dict[str, str], text: str) -> str:
    inside = ",".join(f"{key}={_value(value)}" for key, value in values.items())
    return f"::{kind} {inside}::{_data(text)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
