"""The schema of observations says what `validate` takes, and refuses the same."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from checkout import OBSERVATIONS
from command_line.messages import require_message
from replicheck.cli.main import main
from replicheck.cli.observations.observation_schema import line_schema
from replicheck.invariants.cluster.observed.observed_labels import label_errors

VALIDATOR = Draft202012Validator(line_schema())
LINES = [
    json.loads(line)
    for path in sorted((OBSERVATIONS / "runs").glob("*.jsonl"))
    for line in path.read_text("utf-8").splitlines()
]
LEADERS_DIRECTORY = OBSERVATIONS / "runs" / "leaders_directory.jsonl"
SEEN = [line for line in LINES if "stream" in line]
WRONG: st.SearchStrategy[Any] = st.none() | st.text(max_size=3) | st.lists(st.text())


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all values in a label but the label itself."""
    parts: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list):
        parts = list(enumerate(value))
    inner = [place for key, part in parts for place in places(part, (*path, key))]
    return [path, *inner] if path else inner


def test_every_line_that_was_observed_is_valid() -> None:
    """Headers and observations of real clusters."""
    assert [line for line in LINES if not VALIDATOR.is_valid(line)] == []


@given(st.data())
def test_the_schema_refuses_what_validate_refuses(data: st.DataObject) -> None:
    """A label with another value in one place, or a key that there is not."""
    line = copy.deepcopy(data.draw(st.sampled_from(SEEN)))
    *keys, last = data.draw(st.sampled_from(places(line["label"])))
    place = line["label"]
    for key in keys:
        place = place[key]
    if isinstance(place, dict) and data.draw(st.booleans()):
        last = "unknown"
    place[last] = data.draw(WRONG)
    errors = list(label_errors(line["stream"], line["label"]))
    assert VALIDATOR.is_valid(line) is not bool(errors)


def test_the_command_prints_it() -> None:
    """``validate --schema`` needs no file."""
    done = CliRunner().invoke(main, ["validate", "--schema"])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == line_schema()


def validated(*arguments: object) -> Result:
    """Result of ``replicheck validate``."""
    return CliRunner().invoke(main, ["validate", *map(str, arguments)])


def test_a_file_without_an_observation(tmp_path: Path) -> None:
    """It is refused: every run would show all of nothing."""
    path = tmp_path / "observations.jsonl"
    header = LEADERS_DIRECTORY.read_text("utf-8").splitlines()[0]
    path.write_text(f"{header}\n", "utf-8")
    require_message(validated(path), 151, "has a header and no observation")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs Linux' /proc")
def test_a_folder_for_runs_that_could_not_be_made() -> None:
    """It is refused before the search."""
    done = validated(LEADERS_DIRECTORY, "--traces", "/proc/runs")
    require_message(done, 2, "--traces: /proc/runs cannot be written")
