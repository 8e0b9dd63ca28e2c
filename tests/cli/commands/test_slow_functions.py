"""A function that learning cannot make fast is named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from replicheck.cli.main import main
from replicheck.cli.results import result_text

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
