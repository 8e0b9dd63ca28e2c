"""A header may say that a cluster was at rest when observation ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from checkout import OBSERVATIONS
from replicheck.cli.main import main

LEADERS_DIRECTORY = OBSERVATIONS / "runs" / "leaders_directory.jsonl"


def run(path: Path) -> Result:
    """Result of ``replicheck validate``."""
    return CliRunner().invoke(main, ["validate", str(path)])


def test_an_end_that_is_not_at_rest(tmp_path: Path) -> None:
    """All is explained, and it is told what the cluster would have done next."""
    lines = LEADERS_DIRECTORY.read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / "observations.jsonl"
    path.write_text("".join(lines[:-1]))
    result = run(path)
    assert result.exit_code == 10
    assert "shows 55 of 55 observations" in result.stdout
    assert (
        "  the header says that observation ended at rest; after that run the"
        " system goes on by itself:\n"
        "    fetch(leader=1, follower=2, partition=0) shows log 2-0: event append,"
        " end 5"
    ) in result.stdout
    path.write_text("".join(lines[:-1]).replace(', "ends": "at rest"', "", 1))
    assert run(path).exit_code == 0


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('"x"', ':1: ends: is "x", expected "at rest" or null'),
        ("7", ":1: ends: is 7, expected a text or null"),
    ],
)
def test_another_end(wrong: str, told: str, tmp_path: Path) -> None:
    """One message names the file, the line and the key."""
    path = tmp_path / "observations.jsonl"
    path.write_text(LEADERS_DIRECTORY.read_text("utf-8").replace('"at rest"', wrong))
    result = run(path)
    assert result.exit_code == 151
    assert told in result.stderr
