"""What brokers answer to requests of producers and controllers is read, and matched."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner

from checkout import OBSERVATIONS
from replicheck.cli.main import main
from replicheck.cli.observations.extraction.broker_log import (
    Recognition,
    observations_of,
)
from replicheck.cli.observations.extraction.cluster_names import ClusterNames
from replicheck.cli.observations.extraction.kafka_2_5 import EXPRESSIONS
from replicheck.cli.observations.extraction.replica_events import (
    answers_if_all_wait,
    producer_events,
)
from replicheck.cli.observations.observation_file import load
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from replicheck.explorer.engines.trace_validation.observations import Observation
from shipped import CATALOGUE

ALL_KINDS = OBSERVATIONS / "runs" / "leaders_directory-all-kinds.jsonl"
NAMES = ClusterNames({7: 0, 8: 1}, {"t0": 0}, {7: ("/a",), 8: ("/a",)}, 0)


def appended(first: int, last: int) -> str:
    """Line of a batch that was appended."""
    return (
        "TRACE [handler] kafka.log.Log [Log partition=t0-0, dir=/a] Appended message"
        f" set with last offset: {last}, first offset: Some({first}), next offset:"
        f" {last + 1}, and messages: []"
    )


def answered(offset: int, error: int = 0, acks: int = -1, topic: str = "t0") -> str:
    """Line of a producer's request that was answered."""
    return (
        "DEBUG [network] kafka.request.logger Completed request:RequestHeader("
        "apiKey=PRODUCE, apiVersion=8, clientId=p, correlationId=2) --"
        f" {{acks={acks},timeout=30000,partitionSizes=[{topic}-0=70]}},response:"
        f"{{responses=[{{topic={topic},partition_responses=[{{partition=0,error_code="
        f"{error},base_offset={offset},log_append_time=-1,log_start_offset=0}}]}}],"
        "throttle_time_ms=0} from connection 127.0.0.1:1-127.0.0.1:2-3;totalTime:4.0,"
    )


def seen_in(folder: Path, lines: Iterable[str]) -> list[Observation]:
    """Observations of producers in lines of a broker's log."""
    path = folder / "broker-7.log.gz"
    stamped = (f"2026-01-31T12:00:00.000 {line}\n" for line in lines)
    path.write_bytes(gzip.compress("".join(stamped).encode()))
    read = observations_of(path, 0, NAMES, EXPRESSIONS, Recognition())
    found = answers_if_all_wait([*producer_events(read)])
    return [seen for seen in found if seen.kind == "produce"]


@pytest.mark.parametrize(
    ("error", "event"), [(0, "acknowledge"), (6, "refuse"), (20, "refuse")]
)
def test_an_answer_has_the_offset_of_its_record(
    tmp_path: Path, error: int, event: str
) -> None:
    """An error leaves the record in the log; which error it is, is not compared."""
    (seen,) = seen_in(tmp_path, [appended(3, 3), answered(3, error)])
    assert seen.stream == "produce 0-0"
    assert seen.label == {"event": event, "offset": 3}


def test_each_record_of_a_batch_is_answered(tmp_path: Path) -> None:
    """The model has a producer for each record, Kafka one for each batch."""
    lines = [appended(0, 0), appended(1, 3), appended(4, 4), answered(1), answered(4)]
    offsets = [seen.label["offset"] for seen in seen_in(tmp_path, lines)]
    assert offsets == [1, 2, 3, 4]


@pytest.mark.parametrize("line", [answered(-1, error=19), answered(3, topic="unknown")])
def test_what_is_no_answer_to_a_record(tmp_path: Path, line: str) -> None:
    """Nothing was appended, or to a topic that is not watched."""
    assert seen_in(tmp_path, [line]) == []


@pytest.mark.parametrize("acks", [0, 1])
def test_no_answers_are_kept_if_a_producer_does_not_wait(
    tmp_path: Path, acks: int
) -> None:
    """The model has producers that wait, or none that do."""
    assert seen_in(tmp_path, [answered(3), answered(4, acks=acks)]) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "ending"),
    [
        ({}, ExplanationEnding.EXPLAINED),
        ({"event": "refuse"}, ExplanationEnding.NOT_EXPLAINED),
        ({"offset": 9}, ExplanationEnding.NOT_EXPLAINED),
    ],
)
def test_another_answer_is_refused(
    changed: dict[str, object], ending: ExplanationEnding
) -> None:
    """How each record ended, and which it was, are compared."""
    file = load(ALL_KINDS)
    last = [seen for seen in file.observations if seen.kind == "produce"][-1]
    laid = [
        evolve(seen, label={**seen.label, **changed}) if seen is last else seen
        for seen in file.observations
    ]
    other = evolve(file, observations=tuple(laid))
    found = validate(CATALOGUE, other, "test", Effort(nodes=1500))
    assert found.explanation.ending is ending


def test_a_request_that_is_refused_as_a_whole(tmp_path: Path) -> None:
    """Each partition of it is rejected; the response does not name them."""
    folder = tmp_path / "logs"
    shutil.copytree(OBSERVATIONS / "logs" / "leaders_directory", folder)
    found = r"(response:?\s?)\{error_code=0,partition_errors=\[[^]]*\]"
    for path in folder.glob("broker-*.log.gz"):
        text = gzip.decompress(path.read_bytes()).decode()
        path.chmod(0o644)
        refused = re.sub(found, r"\1{error_code=77,partition_errors=[]", text)
        path.write_bytes(gzip.compress(refused.encode()))
    words = ["observe", "kafka-2.5.1", str(folder)]
    lines = CliRunner().invoke(main, words).stdout.splitlines()[1:]
    labels = [json.loads(line)["label"] for line in lines]
    errors = {
        partition["error"]
        for label in labels
        if label.get("request") == "LeaderAndIsr"
        for partition in label["partitions"]
    }
    assert errors == {"REJECTED"}
    answers = [label for label in labels if "response" in label]
    assert answers
    assert all(label == {"response": "LeaderAndIsr"} for label in answers)


@pytest.mark.slow
def test_another_answer_to_a_deletion_is_refused() -> None:
    """What a broker answers of an offline replica that is to be deleted is compared."""
    file = load(OBSERVATIONS / "runs" / "kafka-2.5.1-deletion_of_offline_replica.jsonl")
    refused = [{"partition": 0, "error": "STORAGE_ERROR"}]
    deleted = [{"partition": 0, "error": "NONE"}]
    laid = [
        evolve(seen, label={**seen.label, "errors": deleted})
        if seen.label.get("errors") == refused
        else seen
        for seen in file.observations
    ]
    assert tuple(laid) != file.observations
    other = evolve(file, observations=tuple(laid))
    found = validate(CATALOGUE, other, "test", Effort(nodes=20_000))
    assert found.explanation.ending is ExplanationEnding.NOT_EXPLAINED
