"""The forecast of the number of states, what a search took, and what it left open."""

from __future__ import annotations

import json
import math
import re
import threading
import time
from functools import cache
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

import toys
from command_line.own_models import COUNTER, run
from replicheck.cli.console import start_notice
from replicheck.cli.main import main
from replicheck.cli.results.forecast import forecast, in_words, running_forecast
from replicheck.cli.runs.progress import ProgressBoard, in_numbers
from replicheck.explorer.engine import Progress
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.report import Report
from shipped import CATALOGUE


@cache
def lattice() -> Report[Any]:
    """The report of a search of a lattice, which is run once."""
    return BreadthFirst().explore(toys.lattice(5), ())


@pytest.mark.parametrize("seen", range(14, 32))
def test_a_number_of_the_right_size(seen: int) -> None:
    """From the middle of the search on, it is right within a factor of two."""
    found = forecast(lattice().levels[:seen])
    assert found is not None
    assert abs(math.log2(found / 6**6)) < 1


@pytest.mark.parametrize("levels", [(), (1, 2, 4), (1,) * 20, (2,) * 9, (1, 0) * 9])
def test_nothing_to_say(levels: tuple[int, ...]) -> None:
    """Few levels, or levels that do not grow ever more slowly, tell nothing."""
    assert forecast(levels) is None


@pytest.mark.parametrize("power", [1, 2, 3])
@pytest.mark.parametrize("seen", [30, 100, 400])
def test_growth_that_flattens_out_tells_nothing(power: int, seen: int) -> None:
    """As in a model where a cell counts without end: no level will be smaller."""
    assert forecast([depth**power for depth in range(1, seen)]) is None


ENDLESS = (
    COUNTER
    + """
@model.initial
def zero(size: Size) -> Counter:
    return Counter()

@model.action
def count(s: Counter) -> Iterator[Counter]:
    yield s.evolve(value=s.value + 1)

@model.always
def counts(s: Counter) -> bool:
    return s.value >= 0
"""
)


def test_a_cell_without_an_end_is_named(tmp_path: Path) -> None:
    """It is the one with most values, if these are as many as the levels."""
    file = tmp_path / "endless.py"
    file.write_text(ENDLESS)
    done = run("check", str(file), "--no-cache", "--limit-states", "30")
    assert " in all" not in done.stdout
    assert (
        "not finished, and no level is smaller than those before: `value` took 30"
        " values in 30 levels; bound it, if nothing does"
    ) in " ".join(done.stdout.split())


def test_the_progress_of_levels_that_stay_as_small_says_that_it_may_not_end() -> None:
    """A counter without a bound has few states in each of very many levels."""
    assert "this does not end" in running_forecast((1, *[2] * 2000), {})
    assert running_forecast((1, *[2] * 20), {}) == ""
    assert "not end" not in running_forecast((1, *range(2000, 1, -1)), {})


def test_growth_without_end_in_sight() -> None:
    """A forecast has a bound, so that it comes at once."""
    levels = [round(10 ** (depth - depth**2 / 10**4)) for depth in range(14)]
    assert forecast(levels) == 1e30


@pytest.mark.parametrize(
    ("states", "words"),
    [
        (7, "about 7 states"),
        (1234, "about 1,200 states"),
        (9_985_570, "about 10,000,000 states"),
        (1.2e11, "about 10^11 states"),
    ],
)
def test_in_words(states: float, words: str) -> None:
    """No more digits are said than are known."""
    assert in_words(states) == words


def test_the_progress_line() -> None:
    """It has the share of known states, and the forecast."""
    progress = Progress(10, 500, 1000, 5, 2.0, 10**8, lattice().levels[:15])
    line = in_numbers(progress, {"size": 5, "colours": 1})
    assert "50% of them known, 5 to expand, 250 states/s" in line
    assert "100 MB; about " in line
    assert "lower" not in line


@pytest.mark.parametrize(
    ("bounds", "hint"),
    [
        ({"brokers": 3, "epochs": 9}, "; lower epochs=9 first"),
        (
            {"brokers": 3, "epochs": 9, "records": 9},
            "; lower epochs=9 or records=9 first",
        ),
        ({"brokers": 3}, ""),
        ({}, ""),
    ],
)
def test_a_search_that_will_not_finish(bounds: dict[str, int], hint: str) -> None:
    """The progress line says so while it runs, and which bound is the largest."""
    levels = tuple(round(10 ** (depth - depth**2 / 100)) for depth in range(14))
    line = in_numbers(Progress(14, 500, 1000, 5, 2.0, 10**8, levels), bounds)
    assert line.endswith(
        f"MB; will probably not finish: about 10^26 states in all{hint}"
    )


def test_a_terminal_says_at_once_what_begins() -> None:
    """Before the first numbers come, kernels may have to be compiled."""
    shown = StringIO()
    board = ProgressBoard(Console(file=shown, force_terminal=True, width=200), 2)
    task: Any = SimpleNamespace(title="a search", scenario=SimpleNamespace(bounds={}))
    with board.live():
        board.start(task)
    assert "[1/2] a search" in shown.getvalue()
    assert "compiling kernels" in shown.getvalue()


def test_a_file_says_what_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while a search is named, and one line says why it has no figures."""
    monkeypatch.setattr(start_notice, "PATIENCE", 0.01)
    shown = StringIO()
    board = ProgressBoard(Console(file=shown, width=200), 1)
    task: Any = SimpleNamespace(title="a search")
    with board.live():
        board.start(task)
        while "compiling kernels" not in shown.getvalue():
            time.sleep(0.01)
    assert shown.getvalue().startswith("[1/1] a search\n")
    assert len(shown.getvalue().splitlines()) == 2


def test_a_file_says_nothing_of_what_goes_fast() -> None:
    """The notice of a search is dropped with the start of the next one, or the end."""
    shown = StringIO()
    board = ProgressBoard(Console(file=shown, width=200), 3)
    task: Any = SimpleNamespace(title="a search")
    before = threading.active_count()
    with board.live():
        board.start(task)
        board.watch(Progress(10, 500, 1000, 5, 2.0))
        board.start(task)
        board.start(task)
    deadline = time.monotonic() + start_notice.PATIENCE / 2
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before
    assert shown.getvalue() == ""


def test_what_a_search_took() -> None:
    """Every report has the memory, for each state too, and the expected collisions."""
    memory = lattice().statistics.memory
    assert memory is not None
    assert memory.kept_per_state is not None
    assert memory.process_per_state is not None
    assert memory.peak > 10**7
    assert 10 < memory.kept_per_state < memory.process_per_state
    assert lattice().statistics.collisions == 6**12 / 2**65


def cut_search(*options: str) -> Result:
    """A search of a scenario with many properties, cut at its beginning."""
    words = ["check", "leader-disk-fails", "--limit-states", "100", *options]
    return CliRunner().invoke(main, words, obj=CATALOGUE)


@pytest.mark.usefixtures("elsewhere")
def test_many_undecided_properties_are_counted() -> None:
    """Their names say nothing where a limit left nearly all of them so."""
    (counts,) = re.findall(r"undecided: (\d+) of (\d+) prop", cut_search().stdout)
    (result,) = json.loads(cut_search("--json", "-").stdout)["results"]
    outcomes = list(result["outcomes"].values())
    assert counts == (str(outcomes.count("undecided")), str(len(outcomes)))
