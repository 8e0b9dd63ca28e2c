"""What real clusters did is a run of the models, and what they did not do is not."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from checkout import OBSERVATIONS
from observations.observed_runs import counterexample
from replicheck.cli.main import main
from replicheck.cli.observations.observation_file import (
    ObservationFile,
    dump,
    load,
)
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.observations import Observation
from shipped import CATALOGUE

pytestmark = pytest.mark.slow

RUNS = sorted((OBSERVATIONS / "runs").glob("*.jsonl"))
NOT_EXPLAINED = {
    # Leaders ask the controller to change the ISR (KIP-497).
    "kafka-3.9.1-crash_and_restart": None,
    "kafka-3.9.1-leaders_directory": 8_000,
    # The new epoch and the new replica are in one request.
    "kafka-3.9.1-protocol-2.5-reassignment": 40_000,
    # A directory that fails while a broker starts ends its process.
    "kafka-2.5.1-random-5": 40_000,
}
"""Runs that are none of the model, each with the nodes that decide it by `cluster`.

None where that takes too many for a test.
"""
EXPLAINED = [path for path in RUNS if path.stem not in NOT_EXPLAINED]
UNDECIDED_BY_COMPOSED = {
    "kafka-2.5.1-random-3",
    "kafka-2.5.1-controller_elected_again",
    "kafka-2.5.1-late_requests",
}
"""Not decided within 9,953 nodes, and the others not within 15,000."""
LEADERS_DIRECTORY = OBSERVATIONS / "runs" / "leaders_directory.jsonl"
EFFORT = Effort(nodes=15_000)
MUTANT = "m-15-accept-an-equal-epoch"
REPLACES_AN_ACTION = "m-17-take-a-bounce-for-a-start"
BROKEN = "leader_knows_stored_isr"
TOLD_APART = 20
"""Corrupted observations that a test tries."""


def ending(
    file: ObservationFile, model: str = "cluster", effort: Effort = EFFORT
) -> ExplanationEnding:
    """ExplanationEnding of the search for a run of a model."""
    laid = evolve(file, header=evolve(file.header, model=model))
    return validate(CATALOGUE, laid, "test", effort).explanation.ending


def run(*arguments: object) -> Result:
    """Result of ``replicheck validate``."""
    return CliRunner().invoke(main, ["validate", *map(str, arguments)])


def test_an_action_that_a_mutant_replaces_shows_the_same() -> None:
    """So a mutant is not ruled out by the name of its action."""
    assert ending(counterexample(REPLACES_AN_ACTION)) is ExplanationEnding.EXPLAINED


@pytest.mark.parametrize("path", EXPLAINED, ids=lambda path: path.stem)
@pytest.mark.parametrize("model", ["cluster", "composed"])
def test_a_run_of_kafka_is_a_run_of_the_model(model: str, path: Path) -> None:
    """Runs of 2.5.1 are explained, and those of 3.9.1 that speak its protocol."""
    if model == "composed" and path.stem in UNDECIDED_BY_COMPOSED:
        return
    assert ending(load(path), model) is ExplanationEnding.EXPLAINED


@pytest.mark.parametrize(
    ("name", "nodes"), [item for item in NOT_EXPLAINED.items() if item[1]]
)
def test_a_run_that_is_none_of_the_model_is_not_explained(
    name: str, nodes: int
) -> None:
    """The search tries every possibility, for the reasons given above."""
    path = OBSERVATIONS / "runs" / f"{name}.jsonl"
    assert ending(load(path), effort=Effort(nodes)) is ExplanationEnding.NOT_EXPLAINED


def test_45_runs_are_checked_in() -> None:
    """The exceptions are among them, and 25 of the others have 10 to 20 KiB."""
    assert (len(RUNS), len(EXPLAINED)) == (45, 41)
    assert sum(10 <= path.stat().st_size / 1024 <= 20 for path in EXPLAINED) >= 25


def numbers_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of the numbers, truth values and errors in a label."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from numbers_in(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from numbers_in(part, (*path, index))
    elif isinstance(value, int):
        yield path


def corrupted(observation: Observation, path: tuple[Any, ...]) -> Observation:
    """Observation with another value in one place of its label."""
    label: Any = copy.deepcopy(dict(observation.label))
    at = label
    for key in path[:-1]:
        at = at[key]
    value = at[path[-1]]
    at[path[-1]] = not value if isinstance(value, bool) else value + 1
    return Observation(observation.stream, observation.begin, observation.end, label)


def test_a_corrupted_observation_is_never_explained() -> None:
    """A number that is another than it was ends as not explained, or is undecided."""
    file = load(LEADERS_DIRECTORY)
    places = [
        (index, path)
        for index, observation in enumerate(file.observations)
        for path in numbers_in(observation.label)
    ]
    endings = []
    for index, path in random.Random(1).sample(places, TOLD_APART):
        observations = list(file.observations)
        observations[index] = corrupted(observations[index], path)
        changed = ObservationFile(file.header, tuple(observations))
        endings.append(ending(changed, effort=Effort(nodes=600)))
    assert ExplanationEnding.EXPLAINED not in endings
    assert ExplanationEnding.NOT_EXPLAINED in endings


def test_a_dropped_observation_is_never_explained() -> None:
    """What is missing is noticed, at the end of a stream, too: it ends at rest."""
    file = load(LEADERS_DIRECTORY)
    last = {seen.stream: i for i, seen in enumerate(file.observations)}.values()
    endings = []
    for index in {*range(0, len(file.observations), 5), *last}:
        left = (*file.observations[:index], *file.observations[index + 1 :])
        changed = ObservationFile(file.header, left)
        endings.append(ending(changed, effort=Effort(nodes=600)))
    assert ExplanationEnding.EXPLAINED not in endings
    assert ExplanationEnding.NOT_EXPLAINED in endings


class TestTheCommand:
    """``replicheck validate``."""

    def test_an_explained_run(self, tmp_path: Path) -> None:
        """It is said, shown step by step, and saved as a trace that replays."""
        result = run(LEADERS_DIRECTORY, "--show", "--traces", tmp_path)
        assert result.exit_code == 0
        assert result.stdout.startswith(
            "explained: a run of cluster, kafka-2.5.1 shows all 56 observations"
        )
        assert (
            "   2 * create_topic(partition=0)\n           zxid 0x42:" in result.stdout
        )
        assert "   3 . deliver_watch(controller=2" in result.stdout
        (saved,) = tmp_path.iterdir()
        replayed = CliRunner().invoke(main, ["trace", "replay", str(saved)])
        assert replayed.exit_code == 0
        assert replayed.output == (
            "still a run: the run can be taken to its end, state 70\n"
        )

    def test_sources_with_control_characters(self, tmp_path: Path) -> None:
        """They are printed as escape sequences, and begin no line of their own."""
        text = LEADERS_DIRECTORY.read_text("utf-8")
        hostile = tmp_path / "hostile.jsonl"
        hostile.write_text(text.replace('"zxid 0x42"', '"\\u001b[31m\\n::error::x"'))
        result = run(hostile, "--show")
        assert result.exit_code == 0
        assert "\\x1b[31m\\n::error::x" in result.stdout
        assert "\x1b" not in result.stdout

    def test_a_run_that_the_present_model_cannot_take(self, tmp_path: Path) -> None:
        """It is no run any longer, which is no success."""
        assert run(LEADERS_DIRECTORY, "--traces", tmp_path).exit_code == 0
        (saved,) = tmp_path.iterdir()
        other = "m-18-notify-before-marking"
        words = ["trace", "replay", str(saved), "--protocol", other]
        replayed = CliRunner().invoke(main, words)
        assert replayed.exit_code == 10
        assert replayed.output.startswith("no longer a run: at state 31, close_dir")

    def test_a_run_that_breaks_an_invariant(self, tmp_path: Path) -> None:
        """Its part until then is saved as a counterexample, which replays."""
        path = tmp_path / "observations.jsonl"
        path.write_text("".join(dump(counterexample(MUTANT))), "utf-8")
        result = run(path, "--traces", tmp_path / "traces")
        assert result.exit_code == 12
        assert f"VIOLATED {BROKEN} in state 10" in result.stdout
        saved = sorted((tmp_path / "traces").iterdir())
        replayed = CliRunner().invoke(main, ["trace", "replay", *map(str, saved)])
        assert replayed.exit_code == 12
        assert "still a run: " in replayed.output
        assert f"still violates: state 10 breaks {BROKEN}" in replayed.output

    def test_nothing_explains(self, tmp_path: Path) -> None:
        """Exit code 10, the furthest run, and what comes next in each stream."""
        path = written(tmp_path, replaced='"leader_epoch": 1', by='"leader_epoch": 3')
        result = run(path)
        assert result.exit_code == 10
        assert result.stdout.startswith("not explained: no run of cluster")
        assert "leader_epoch: seen 3, the model shows 1" in result.stdout

    def test_a_limit(self) -> None:
        """Exit code 77, and neither of the other two words."""
        result = run(LEADERS_DIRECTORY, "--limit-nodes", 20)
        assert result.exit_code == 77
        assert result.stdout.startswith("undecided: a limit ended the search")

    @pytest.mark.parametrize(
        ("replaced", "by", "told"),
        [
            (
                '"format": "replicheck-observations"',
                '"format": "x"',
                ":1: is no header",
            ),
            ('"schema": 1', '"schema": 7', ":1: schema: is 7; this version reads 1"),
            ('"slack": 20', '"slack": "x"', ':1: slack: is "x", expected an integer'),
            ('"slack"', '"slakc"', ":1: slakc: unknown key; known: model"),
            ('"model": "cluster"', '"model": "x"', "there is no model with observed"),
            ('"protocol": ""', '"protocol": "x"', 'protocol: there is no protocol "x"'),
            ('"bounds": {}', '"bounds": {"x": 1}', "bounds.x: there is no such bound"),
            ('"stream": "zookeeper"', '"stream": 7', ":2: stream: is 7, expected"),
            ('"stream": "zookeeper"', '"stream": "x"', "there is no stream x; known:"),
            ('"from": ', '"from": 1.5, "x": ', ":2: x: unknown key"),
            ('"znode": "topic"', '"znode": "x"', "writes[0].znode: is to be one of"),
            ('"replicas": [0, 1, 2]', '"replicas": 3', "writes[0].replicas: is 3"),
            ('"is_new": true', '"is_new": 1', "is_new: is 1, expected true or false"),
        ],
    )
    def test_bad_input(self, replaced: str, by: str, told: str, tmp_path: Path) -> None:
        """One message names the file, the line and the key."""
        path = written(tmp_path, replaced, by)
        result = run(path)
        assert result.exit_code == 151
        assert str(path) in result.stderr
        assert told in result.stderr
        assert len(result.stderr.splitlines()) == 1

    def test_more_of_a_kind_than_any_bound_allows(self, tmp_path: Path) -> None:
        """The message names the bound, and what to do."""
        append = {"stream": "log 0-0", "from": 1, "to": 1, "source": "x:1"}
        lines = [{**append, "label": {"event": "append", "end": 1}}] * 256
        path = tmp_path / "observations.jsonl"
        header = LEADERS_DIRECTORY.read_text("utf-8").splitlines()[0]
        path.write_text("\n".join([header, *map(json.dumps, lines)]), "utf-8")
        result = run(path)
        assert result.exit_code == 151
        assert "the observations need records=256, and no bound is above 255" in (
            result.stderr
        )

    @pytest.mark.parametrize("text", ["", "\n", "[", "[]", "\ufffe", '{"format":'])
    def test_what_is_no_file_of_observations(self, text: str, tmp_path: Path) -> None:
        """One message, and no traceback."""
        path = tmp_path / "observations.jsonl"
        path.write_text(text, "utf-8")
        result = run(path)
        assert result.exit_code == 151
        assert str(path) in result.stderr


def written(folder: Path, replaced: str, by: str) -> Path:
    """File of a run with the first occurrence of a text replaced."""
    text = LEADERS_DIRECTORY.read_text("utf-8")
    assert replaced in text
    path = folder / "observations.jsonl"
    path.write_text(text.replace(replaced, by, 1), "utf-8")
    return path


def test_the_file_of_a_run_is_written_as_it_was_read() -> None:
    """Observations keep everything when they are read and written."""
    for path in RUNS:
        lines = path.read_text("utf-8").splitlines(keepends=True)
        assert [json.loads(line) for line in dump(load(path))] == [
            json.loads(line) for line in lines
        ]
