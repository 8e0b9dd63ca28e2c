"""Options that say which reports a run writes, and how much its text says."""

from __future__ import annotations

from typing import NamedTuple

import click

from replicheck.cli.console.grouped_options import option_group
from replicheck.cli.console.options import full_runs
from replicheck.cli.console.output import require_writable_reports, reserve_if_asked
from replicheck.cli.reports.formats import REPORT_FORMATS
from replicheck.cli.tasks.run_request import TextDetail
from replicheck.traces.run_text import RunDetail


class ReportOptions(NamedTuple):
    """The reports of a run: files by format, and what the text has besides."""

    json: str | None
    junit: str | None
    html: str | None
    markdown: str | None
    mutants: str | None
    """A file of mutants to show on the page of the run."""
    covers: bool
    annotates: bool
    is_verbose: bool
    is_quiet: bool
    runs: RunDetail

    @property
    def detail(self) -> TextDetail:
        """The detail of the text.

        Raises:
            click.UsageError: if more and less are asked for.
        """
        if self.is_verbose and self.is_quiet:
            raise click.UsageError(
                "--verbose and --quiet: one asks for more and one for less; give one"
            )
        if self.is_verbose:
            return TextDetail.ALL
        return TextDetail.NONE if self.is_quiet else TextDetail.FAILURES

    @property
    def files(self) -> dict[str, str]:
        """For each format that is asked for the file to write.

        Raises:
            click.UsageError: if one cannot be written, or two are standard output.
        """
        formats = {name: getattr(self, name) for name in REPORT_FORMATS}
        files = {name: path for name, path in formats.items() if path is not None}
        require_writable_reports(files)
        return files


report_options = option_group(
    "reports",
    ReportOptions,
    (
        *(
            click.option(
                f"--{name}",
                metavar="FILE",
                callback=reserve_if_asked,
                help=report_format.summary,
            )
            for name, report_format in REPORT_FORMATS.items()
        ),
        click.option(
            "--mutants",
            metavar="FILE",
            help="Show on the page of --html what `replicheck mutants --json -` found.",
        ),
        click.option(
            "--coverage",
            "covers",
            is_flag=True,
            help="Print how often each action was taken, and each guard turned it"
            " down.",
        ),
        click.option(
            "--annotations",
            "annotates",
            is_flag=True,
            help="Print annotations as GitHub Actions understands them.",
        ),
        click.option(
            "-v",
            "--verbose",
            "is_verbose",
            is_flag=True,
            help="Say of each result of several what it covers, and how to repeat it.",
        ),
        click.option(
            "-q",
            "--quiet",
            "is_quiet",
            is_flag=True,
            help="Print only what fails, a line for each result, and the total.",
        ),
        full_runs,
    ),
)
