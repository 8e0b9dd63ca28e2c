"""The reports of a run as HTML and Markdown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from lxml import etree

import toys
from command_line.reports import ENTRY, EVERYTHING, check
from replicheck.cli.main import main

pytestmark = pytest.mark.usefixtures("elsewhere")


def test_the_page_needs_nothing_else() -> None:
    """It has no script and loads nothing, and is well-formed."""
    check("--html", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert not re.search(r"<script|<link|src=|url\(|https?://", page)
    etree.fromstring(page.encode(), etree.HTMLParser(recover=False))


def test_the_page_has_verdicts_charts_and_guards() -> None:
    """Verdict, states per depth, guards and runs of each result are there."""
    check("--html", "page.html")
    page = Path("page.html").read_text("utf-8")
    assert "<title>depth 2: 2 states</title>" in page
    assert "VIOLATED is_below_two" in page
    assert "guards counted in 6 of 6 states, by the questions that" in page
    assert "<code>value</code> 3 of 12" in page
    assert "no state enables the action subtract_too_much" in page


def test_the_page_escapes_what_is_not_ours() -> None:
    """A name of a file is text, whatever is in it."""
    Path("a<b>.toml").write_text(ENTRY, "utf-8")
    arguments = ["check", "a<b>.toml", "--html", "page.html"]
    CliRunner().invoke(main, arguments, obj=toys.catalogue())
    assert "a&lt;b&gt;.toml" in Path("page.html").read_text("utf-8")


def test_the_page_has_rules_of_the_cluster() -> None:
    """Rules of actions that took a step are taken; those of others are not."""
    arguments = [
        "check",
        "controller-fails-with-disk-offline",
        "--limit-states",
        "500",
        "--html",
        "page.html",
    ]
    CliRunner().invoke(main, arguments)
    page = Path("page.html").read_text("utf-8")
    assert "<h2>Rules</h2>" in page
    assert "never taken" in page
    assert "<td>taken</td>" in page


def test_the_summary_in_markdown() -> None:
    """It has a row for each result, and the run of each failure."""
    check("--markdown", "summary.md")
    text = Path("summary.md").read_text("utf-8")
    assert "5 failed, 1 passed; exit code 75." in text
    assert "| counter | up | limit=5 | ✅ holds | 6 | 4 | ok |" in text
    assert "| `is_below_two` | `add` | 2 | 2 | counter, up |" in text
    assert "ERROR break_down raised ZeroDivisionError" in text


def test_only_one_report_is_standard_output() -> None:
    """Two documents in one stream are refused before anything is searched."""
    done = check("--json", "-", "--junit", "-")
    assert done.exit_code == 2
    assert "--json and --junit cannot both be standard output" in done.stderr


def test_a_report_that_cannot_be_written() -> None:
    """It is refused before anything is searched."""
    done = check("--html", "none/page.html")
    assert done.exit_code == 2
    assert "--html: there is no directory none" in done.stderr


def test_the_page_shows_mutants() -> None:
    """What was found out about mutants is a table of the page."""
    mutant = {
        "name": "m-1-x",
        "rule": "C-1",
        "status": "caught",
        "property": "a<b",
        "length": 7,
    }
    Path("mutants.json").write_text(json.dumps({"mutants": [mutant]}), "utf-8")
    check("--html", "page.html", "--mutants", "mutants.json")
    page = Path("page.html").read_text("utf-8")
    assert "<td>m-1-x</td>" in page
    assert "a&lt;b" in page


def test_the_page_shows_the_mutants_of_the_run() -> None:
    """A result of a mutation is one, and no file is needed for that."""
    name = "m-8-remove-the-last-member"
    arguments = ["check", name, "--html", "page.html", "--no-cache"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    page = Path("page.html").read_text("utf-8")
    cells = f"<td>{name}</td><td>C-ISR-1</td><td>killed</td>"
    assert f"{cells}<td><code>stored_isr_is_never_empty</code></td>" in page


@pytest.mark.parametrize("text", ["[]", "{}", '{"mutants": [{"name": "m-1"}]}', "no"])
def test_a_file_that_holds_no_mutants(text: str) -> None:
    """It is refused before anything is searched."""
    Path("mutants.json").write_text(text, "utf-8")
    done = check("--html", "page.html", "--mutants", "mutants.json")
    assert done.exit_code == 151
    assert "mutants.json does not hold mutants; expected what" in done.stderr
    assert check("--mutants", "none.json").exit_code == 151


def test_coverage_as_a_table() -> None:
    """Each action has its counts, and the guards that turned it down."""
    done = check("--coverage", entries=EVERYTHING[1:2])
    assert "guards are counted in 6 of 6 states, by the questions" in done.stdout
    assert "subtract_too_much │     0 │   never │ value 6 of 6" in done.stdout


def test_coverage_of_an_engine_that_counts_no_guards() -> None:
    """The engine is named, and the actions still have their counts."""
    done = check("--coverage", "--engine", "naive", entries=EVERYTHING[:1])
    assert "the engine naive counts no guards" in done.stdout
    assert "│ add    │     9 │       9 │" in done.stdout


def test_a_table_of_violations_that_are_alike() -> None:
    """Where one property is violated in several results, the shortest is named."""
    done = check("-v")
    assert re.search(r"is_below_two +│ add +│ +2 │ +2 │ counter, up", done.stdout)
