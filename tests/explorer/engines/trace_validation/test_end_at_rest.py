"""A header may say that a cluster was at rest when observation ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from change_search import ChangeSearch
from checkout import OBSERVATIONS
from fewer_runs import with_late_steps
from replicheck.cli.main import main
from replicheck.cli.observations.observation_file import load
from replicheck.cli.observations.observed_model import ObservedModel
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from shipped import CATALOGUE

LEADERS_DIRECTORY = OBSERVATIONS / "runs" / "leaders_directory.jsonl"


BAD_TARGET = OBSERVATIONS / "runs" / "kafka-2.5.1-bad_target.jsonl"
MUTANT = "m-6-take-every-error-for-offline"
ENOUGH = 100_000


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


def test_only_the_end_at_rest_rules_a_mutant_out() -> None:
    """Its controller would go on with an answer, which Kafka's did not."""
    file = load(BAD_TARGET)
    asked = evolve(file, header=evolve(file.header, protocol=MUTANT))
    at_rest = ObservedModel.of(CATALOGUE, asked, "test")
    search = ChangeSearch(with_late_steps(at_rest), at_rest.streams)
    found = search.found((), ENOUGH, ENOUGH)
    assert found.is_whole
    assert not found.is_explained
    anywhere = evolve(asked, header=evolve(asked.header, ends=None))
    explained = validate(CATALOGUE, anywhere, "test", Effort(nodes=5_000))
    assert explained.explanation.ending is ExplanationEnding.EXPLAINED


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
