"""The gallery: every run of it still violates, and its page is what is in the files."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from checkout import DOCS, GALLERY
from engines import ENGINES, name_of
from replicheck.cli.commands.trace.gallery import page_of
from replicheck.cli.commands.trace.replay import replay_trace
from replicheck.cli.main import main
from replicheck.cli.pages.gallery_page import gallery_entries
from replicheck.cli.runs.trace_files import make_saved_traces
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Engine, unwatched
from replicheck.invariants.catalogue.bugs import ISSUE
from replicheck.traces.json_lines import dumps
from replicheck.traces.replay.replay import Ending
from shipped import CATALOGUE

NAMES = [gallery_entry.name for gallery_entry in gallery_entries()]
RENEW = "write it anew: replicheck trace gallery"


def test_every_run_has_its_file() -> None:
    """No file is missing, and none is there that the gallery does not name."""
    assert {path.stem for path in GALLERY.glob("*.jsonl")} == set(NAMES), RENEW


def test_each_issue_is_one_of_the_register_of_bugs() -> None:
    """A run of a mutant by which the register reproduces a bug has that bug's issue."""
    bugs = CATALOGUE.bugs.values()
    texts = [f"{bug.name} {bug.title}" for bug in bugs]
    known = {issue for text in texts for issue in ISSUE.findall(text)}
    of_mutant = {mutant.name: bug.issues for bug in bugs for mutant in bug.mutants}
    for exhibit in gallery_entries():
        issues = set(ISSUE.findall(exhibit.issue))
        assert not issues or issues & known, exhibit.name
        if exhibit.name in of_mutant:
            assert issues & set(of_mutant[exhibit.name]), exhibit.name


@pytest.mark.parametrize("name", NAMES)
def test_a_run_still_violates(name: str) -> None:
    """The present model takes it to the same violation, by the same states."""
    saved = read_trace(CATALOGUE, GALLERY / f"{name}.jsonl")
    found = replay_trace(CATALOGUE, saved)
    assert found.ending is Ending.VIOLATES, f"{found.reason}; {RENEW}"
    assert (found.instance, found.differences) == (saved.header.instance, ()), RENEW
    assert found.state == len(saved.trace.states), RENEW


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_told(name: str) -> None:
    """Its text has the violated instance, the logs and the records."""
    done = CliRunner().invoke(main, ["trace", "show", str(GALLERY / f"{name}.jsonl")])
    assert done.exit_code == 0, done.output
    assert "Violated   " in done.output


def test_the_page_shows_what_is_in_the_files() -> None:
    """It is written by a command, so no hand edits it by hand."""
    page = (DOCS / "gallery.md").read_text("utf-8")
    assert page == page_of(CATALOGUE, GALLERY), RENEW


QUICK = (
    "truncate-to-high-watermark",
    "m-18-notify-before-marking",
    "m-25-cache-isr-before-write",
    "f-fetch-4-let-errors-end-the-thread",
)
"""Runs of each model that a search finds within a second."""


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
@pytest.mark.parametrize("name", QUICK[1::2])
def test_every_engine_finds_the_same_run(engine: Engine, name: str) -> None:
    """What is committed is canonical: whatever the engine, threads and partitions."""
    (task,) = tasks(CATALOGUE, [name], Overrides(engine.name))
    report = engine.explore(task.model, task.properties, task.search(unwatched))
    saved = next(make_saved_traces(task, report.violations, None))
    committed = (GALLERY / f"{name}.jsonl").read_text("utf-8")
    assert dumps(saved) == committed, RENEW


def test_runs_are_found_anew(tmp_path: Path) -> None:
    """The command searches, and writes what is committed."""
    for file in GALLERY.glob("*.jsonl"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for name in QUICK:
        (tmp_path / f"{name}.jsonl").unlink()
    page = tmp_path / "gallery.md"
    where = ["--folder", str(tmp_path), "--page", str(page)]
    done = CliRunner().invoke(main, ["trace", "gallery", *QUICK, *where])
    assert done.exit_code == 0, done.output
    for name in QUICK:
        new, old = tmp_path / f"{name}.jsonl", GALLERY / f"{name}.jsonl"
        assert new.read_text("utf-8") == old.read_text("utf-8"), RENEW
    assert page.read_text("utf-8") == (DOCS / "gallery.md").read_text("utf-8")


def test_a_run_alone_goes_where_the_others_are(tmp_path: Path) -> None:
    """The page shows all runs; nothing is searched for if one will be missing."""
    where = ["--folder", str(tmp_path / "new"), "--page", str(tmp_path / "page.md")]
    done = CliRunner().invoke(main, ["trace", "gallery", QUICK[0], *where])
    assert done.exit_code == 2
    assert f"new lacks {len(gallery_entries()) - 1} runs of the page" in done.output
    assert "without NAME, all are searched for" in done.output
    assert not (tmp_path / "new").exists()
