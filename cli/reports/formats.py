"""The forms of a report by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import frozen

from replicheck.cli.reports.json_report import document
from replicheck.cli.results.run_summary import Finished


def _junit(finished: Finished) -> str:
    from replicheck.cli.reports.junit_report import junit

    return junit(finished)


def _html(finished: Finished) -> str:
    from replicheck.cli.reports.html_report import html

    return html(finished)


def _markdown(finished: Finished) -> str:
    from replicheck.cli.reports.markdown_summary import markdown

    return markdown(finished)


@frozen
class Form:
    """One form of a report; its name is that of the option that asks for it."""

    summary: str
    write: Callable[[Finished], str]


FORMS: Mapping[str, Form] = {
    "json": Form("Write a JSON report; - is stdout.", document),
    "junit": Form("Write JUnit XML, for CI servers.", _junit),
    "html": Form("Write a page that needs no other file.", _html),
    "markdown": Form("Write a summary in Markdown, for a job's page.", _markdown),
}
