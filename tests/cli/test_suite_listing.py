"""The lines of a suite: one for each result, whole words, in any width."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from attrs import evolve
from click.testing import CliRunner
from rich.console import Console

from command_line.messages import require_message
from replicheck.cli.main import main
from replicheck.cli.reports.text.suite_listing import SuiteListing
from replicheck.cli.results.result import Result, empty_report
from replicheck.cli.results.run_summary import assess
from replicheck.cli.tasks.overrides import Overrides
from replicheck.cli.tasks.task import tasks
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE
from replicheck.traces.run_text import WIDTH_OF_FILES
from shipped import CATALOGUE

TASKS = tasks(CATALOGUE, (DEFAULT_SUITE,), Overrides("breadth-first"))


def lines(width: int) -> list[str]:
    """The lines of the default suite if every search were to hold."""
    shown = StringIO()
    listing = SuiteListing(Console(file=shown, width=width), TASKS)
    for number, task in enumerate(TASKS):
        assessment = assess(Result(task, empty_report(task, Verdict.HOLDS)))
        listing.add(number, evolve(assessment, failures=()))
    return shown.getvalue().splitlines()


def test_make_check_prints_fewer_than_150_lines() -> None:
    """With the command, a notice of two lines and the total, in the log of a server."""
    found = lines(WIDTH_OF_FILES)
    assert len(found) + 4 < 150
    assert all(line.startswith("ok    ") for line in found)


@pytest.mark.parametrize("width", [40, 80, 140])
def test_no_word_is_broken(width: int) -> None:
    """Each scenario stands in a line whole, and only a long name passes the edge."""
    found = lines(width)
    words = {word.rstrip(",:") for line in found for word in line.split()}
    assert {task.scenario.name for task in TASKS} <= words
    too_long = [line for line in found if len(line) > width]
    assert all(len(line.split()[-1]) > width - 6 for line in too_long)


def test_a_wide_line_has_the_figures() -> None:
    """Below 60 columns there is no room for them."""
    assert all("states" in line for line in lines(140))
    assert not any("states" in line for line in lines(40))


@pytest.mark.usefixtures("elsewhere")
def test_quiet_prints_the_total_of_one_result_too() -> None:
    """So that something says how it ended, where all is well and where it is not."""
    done = CliRunner().invoke(main, ["check", "alter-isr", "--quiet"], obj=CATALOGUE)
    assert re.fullmatch(r"1 passed; exit code 0; \S+ s\n", done.stdout)
    limited = ["check", "alter-isr", "--quiet", "--limit-states", "10", "--no-cache"]
    failing = CliRunner().invoke(main, limited, obj=CATALOGUE).stdout.splitlines()
    assert failing[0].startswith("FAIL  alter-isr kafka-3.3.0")
    assert any(line.startswith("1 failed; exit code 77") for line in failing)


def test_more_and_less_text_together_are_refused() -> None:
    """Neither can be what was meant, in whichever order they come."""
    for words in (["-v", "-q"], ["-q", "-v"]):
        done = CliRunner().invoke(main, ["check", "alter-isr", *words], obj=CATALOGUE)
        require_message(done, 2, "--verbose and --quiet: one asks for more")
