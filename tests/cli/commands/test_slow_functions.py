"""A function that learning cannot make fast is named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner

from replicheck.cli.main import main
from replicheck.cli.results import result_text
from replicheck.explorer.statistics import FunctionRuns, Statistics

CHECK = ["check", "replication", "--bounds", "brokers=2"]


def test_a_function_that_runs_too_often_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With how often it ran, its cell with the most values, and what to do."""
    monkeypatch.setattr(result_text, "ENOUGH_STEPS", 1)
    output = CliRunner().invoke(main, CHECK).output
    assert "slow: fenced_fetch ran" in output
    assert re.search(
        r"fenced_fetch ran .* and reads \w+, which had [\d,]+ values;", output
    )
    assert "let it ask smaller questions of cells, such as `item in cell`" in output


@pytest.mark.parametrize(
    "walks", [("simulate", "--walks", "30"), ("fuzz", "--examples", "30")]
)
def test_walks_name_it_too(
    monkeypatch: pytest.MonkeyPatch, elsewhere: None, walks: tuple[str, ...]
) -> None:
    """They have learned from all of the walks, within any bounds that were drawn."""
    monkeypatch.setattr(result_text, "ENOUGH_STEPS", 1)
    command, *extent = walks
    output = CliRunner().invoke(main, [command, *CHECK[1:], *extent]).output
    assert "slow: fenced_fetch ran" in output
    assert re.search(r"reads \w+, which had [\d,]+ values;", output)


def test_of_a_small_search_it_is_named_if_it_ran_very_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other functions of such a search are not."""
    monkeypatch.setattr(result_text, "ENOUGH_RUNS", 100)
    output = CliRunner().invoke(main, CHECK).output
    named = re.findall(r"slow: \w+ ran ([\d,]+) times", output)
    assert named
    assert all(int(count.replace(",", "")) >= 100 for count in named)
    monkeypatch.setattr(result_text, "ENOUGH_RUNS", 1_000_000)
    assert "slow: " not in CliRunner().invoke(main, CHECK).output


def test_many_cells_with_few_values_are_what_is_new_together() -> None:
    """Then no cell is named: none of them has many values."""
    tick = FunctionRuns(60_000, 9.0, 16 * 60_000, {})
    known = Statistics(
        dependencies={"tick": {"reads": ["grid[0]"]}}, values={"grid": 2}
    )
    (line,) = result_text.slow_functions({"tick": tick}, 60_000, known)
    assert "got 16 answers of cells each time, which together are nearly alw" in line
    many = evolve(known, values={"grid": 9_000})
    (line,) = result_text.slow_functions({"tick": tick}, 60_000, many)
    assert "reads grid, which had 9,000 values; let it ask smaller questions" in line


UNGUARDED = """
from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, Value, bound


class Item(Id):
    pass


class Size(Bounds):
    items: int = bound(6)


class Part(Value):
    count: int = 0


class Whole(State):
    parts: tuple[Part, ...]


model = Model("unguarded", Size, {Item: "items"})


@model.initial
def start(size: Size) -> Whole:
    return Whole((Part(),) * size.items)


@model.action
def add(s: Whole, item: Item) -> Iterator[Whole]:
    if s.parts[item].count < 3:
        yield s.evolve(parts={item: Part(s.parts[item].count + 1)})


@model.every_step
def grows(before: Whole, after: Whole, item: Item) -> bool:
    GUARDreturn after.parts[item].count >= before.parts[item].count
"""
"""A model with a step property that reads all parts, unless a guard comes first."""
GUARD = "if after.parts[item] is before.parts[item]:\n        return True\n    "


@pytest.mark.parametrize(("guard", "is_named"), [("", True), (GUARD, False)])
def test_a_step_property_that_reads_most_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, guard: str, is_named: bool
) -> None:
    """It asks of each step what few steps change; a guard spares that."""
    monkeypatch.setattr(result_text, "ENOUGH_STEPS", 1)
    file = tmp_path / f"{'without' if is_named else 'with'}_a_guard.py"
    file.write_text(UNGUARDED.replace("GUARD", guard), "utf-8")
    output = CliRunner().invoke(main, ["check", str(file), "--no-cache"]).output
    assert "visited all 4,096 states" in output
    assert ("slow: add ran" in output) is is_named
    hint = "most reads were of step properties, of grows above all; let it begin with"
    assert (hint in output) is is_named


def test_a_small_search_names_none() -> None:
    """It is mostly learning."""
    assert "slow:" not in CliRunner().invoke(main, CHECK).output


def test_the_report_tells_what_learning_took(tmp_path: Path) -> None:
    """For each function, and how many values each family of cells has had."""
    file = tmp_path / "report.json"
    CliRunner().invoke(main, [*CHECK, "--json", str(file)])
    (result,) = json.loads(file.read_text("utf-8"))["results"]
    fetch = result["details"]["functions"]["fenced_fetch"]
    assert fetch["runs"] > 0
    assert fetch["reads"] > fetch["runs"]
    assert result["details"]["values"]["logs"] > 1
