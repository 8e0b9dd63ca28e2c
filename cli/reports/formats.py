"""The forms of a report by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from replicheck.cli.results.run_summary import RunSummary


def _json(summary: RunSummary) -> str:
    from replicheck.cli.reports.json_report import document

    return document(summary)


def _junit(summary: RunSummary) -> str:
    from replicheck.cli.reports.junit_report import junit

    return junit(summary)


def _html(summary: RunSummary) -> str:
    from replicheck.cli.reports.html_report import html

    return html(summary)


def _markdown(summary: RunSummary) -> str:
    from replicheck.cli.reports.markdown_summary import markdown

    return markdown(summary)


@frozen
class ReportFormat:
    """One form of a report; its name is that of the option that asks for it."""

    summary: str
    write: Callable[[RunSummary], str]


REPORT_FORMATS: Mapping[str, ReportFormat] = {
    "json": ReportFormat("Write a JSON report; - is stdout.", _json),
    "junit": ReportFormat("Write JUnit XML, for CI servers.", _junit),
    "html": ReportFormat("Write a page that needs no other file.", _html),
    "markdown": ReportFormat(
        "Write a summary in Markdown, for a job's page.", _markdown
    ),
}
