"""The report of random walks says what they saw, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner

from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.main import main
from replicheck.cli.reports.text.walk_report import walk_report_lines
from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engines.simulation.coverage_estimate import Seen
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from shipped import CATALOGUE


def test_walks_without_a_step_cover_nothing() -> None:
    """A limit that comes before the first step is no estimate of anything."""
    only_the_start = Seen(visits=900, distinct=1, once=0, twice=0, is_exact=True)
    none: Simulation[Any] = Simulation("uniform", 900, 0, only_the_start, {})
    assert only_the_start.covered == 1.0
    assert none.covered == 0.0
    (task,) = tasks(CATALOGUE, ["alter-isr"], Overrides("breadth-first"))
    lines = list(walk_report_lines(WalkOutcome(task, 0, (none,))))
    assert not any("not refuted" in line or "Good-Turing" in line for line in lines)
    assert any("no step was taken" in line for line in lines)


@pytest.mark.parametrize("command", ["simulate", "fuzz"])
def test_walks_that_may_take_less_memory_than_they_have_end_at_once(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of them can move to the disk, so the limit is taken at its word."""
    monkeypatch.chdir(tmp_path)
    arguments = [command, "alter-isr", "--limit-memory", "1K", "--time", "5"]
    done = CliRunner().invoke(main, arguments)
    assert "0 steps in" in done.stdout
    assert "nothing was tried: before the first step the process takes all the" in (
        done.stdout
    )
    assert done.exit_code == 77


def test_walks_without_a_step_are_no_success() -> None:
    """What was to be tried was not; walks that ended at once were walks."""
    seen = Seen(visits=900, distinct=1, once=0, twice=0, is_exact=True)
    none: Simulation[Any] = Simulation("uniform", 900, 0, seen, {})
    (task,) = tasks(CATALOGUE, ["alter-isr"], Overrides("breadth-first"))
    assert WalkOutcome(task, 0, (none,)).code is ExitCode.INCOMPLETE
    stuck = evolve(none, ended=900)
    assert WalkOutcome(task, 0, (none, stuck)).code is ExitCode.AS_EXPECTED
