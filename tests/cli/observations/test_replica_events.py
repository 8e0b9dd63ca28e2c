"""High watermarks, leader epochs and their caches are read, and matched."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

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
from replicheck.cli.observations.extraction.replica_events import (
    REPLICAS,
    replica_events,
)
from replicheck.cli.observations.observation_file import ObservationFile, load
from replicheck.cli.observations.validation import Validation, validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from shipped import CATALOGUE

ALL_KINDS = OBSERVATIONS / "runs" / "leaders_directory-all-kinds.jsonl"
NAMES = ClusterNames({7: 0, 8: 1}, {"t0": 0}, {7: ("/a",), 8: ("/a",)}, 0)
EVENTS = ("lead", "high_watermark", "assign", "cut")
EFFORT = Effort(nodes=1500)


def seen_in(
    folder: Path, lines: Iterable[str], registered: float = float("inf")
) -> list[dict[str, Any]]:
    """Labels of lines of a broker's log, one a second."""
    path = folder / "broker-7.log.gz"
    stamped = (
        f"2026-01-31T12:00:{second:02}.000 {line}\n"
        for second, line in enumerate(lines)
    )
    path.write_bytes(gzip.compress("".join(stamped).encode()))
    read = observations_of(path, 0, NAMES, REPLICAS, Recognition())
    return [dict(seen.label) for seen in replica_events(read, registered)]


def high_watermark(offset: int) -> str:
    """Line of 2.5.1 that sets a high watermark."""
    return (
        "TRACE [handler] kafka.log.Log [Log partition=t0-0, dir=/a] Setting high"
        f" watermark (offset={offset} segment=[0:70])"
    )


def offsets(labels: list[dict[str, Any]]) -> list[int]:
    """Offsets that high watermarks passed."""
    return [label["offset"] for label in labels]


def test_a_high_watermark_that_is_set_again_has_not_moved(tmp_path: Path) -> None:
    """Kafka writes the line each time; a model's step only moves it."""
    lines = map(high_watermark, (0, 0, 1, 1, 2))
    assert offsets(seen_in(tmp_path, lines)) == [1, 2]


def test_a_high_watermark_passes_every_offset(tmp_path: Path) -> None:
    """How many records a fetch brings is no difference."""
    assert offsets(seen_in(tmp_path, map(high_watermark, (3, 1, 2)))) == [1, 2, 3, 1, 2]


def test_high_watermarks_are_not_compared_after_a_restart(tmp_path: Path) -> None:
    """From the next registration on they begin at what a checkpoint has."""
    third = 1_769_860_802_000
    lines = map(high_watermark, (1, 2, 3, 4))
    assert offsets(seen_in(tmp_path, lines, third)) == [1, 2]


def test_a_leader_after_a_restart_has_no_high_watermark(tmp_path: Path) -> None:
    """What its log held then is known, and what its checkpoint had is not compared."""
    line = (
        "INFO [h] kafka.cluster.Partition [Partition t0-0 broker=7] t0-0 starts at"
        " leader epoch 2 from offset 5 with high watermark 4. Previous leader epoch was"
        " 1."
    )
    (label,) = seen_in(tmp_path, [line], registered=0)
    assert label == {"event": "lead", "leader_epoch": 2, "end": 5}


@pytest.mark.parametrize(
    "line",
    [
        "INFO [h] kafka.cluster.Partition [Partition t0-0 broker=7] t0-0 starts at"
        " leader epoch 2 from offset 5 with high watermark 4. Previous leader epoch was"
        " 1.",
        "INFO [handler] state.change.logger [Broker id=7] Leader t0-0 with topic id"
        " Some(l6zUIagQRZqkAWQxM_03tQ) starts at leader epoch 2 from offset 5 with"
        " partition epoch 3, high watermark 4, ISR [2,1], adding replicas [] and"
        " removing replicas [] . Previous leader Some(8) and previous leader epoch was"
        " 1.",
    ],
    ids=["2.5.1", "3.9.1"],
)
def test_a_broker_that_comes_to_lead(tmp_path: Path, line: str) -> None:
    """Epoch, end of the log and high watermark are there at default levels."""
    expected = {"event": "lead", "leader_epoch": 2, "end": 5, "high_watermark": 4}
    assert seen_in(tmp_path, [line]) == [expected]


def test_a_follower_of_3_9_does_not_lead(tmp_path: Path) -> None:
    """Its line says nothing that a step of a model shows."""
    line = (
        "INFO [h] state.change.logger [Broker id=7] Follower t0-0 starts at leader"
        " epoch 1 from offset 3 with partition epoch 3 and high watermark 3. Current"
        " leader is 1. Previous leader Some(1) and previous leader epoch was 1."
    )
    assert seen_in(tmp_path, [line]) == []


@pytest.mark.parametrize(
    "logger",
    [
        "kafka.server.epoch.LeaderEpochFileCache",
        "org.apache.kafka.storage.internals.epoch.LeaderEpochFileCache",
    ],
)
def test_an_entry_of_a_cache(tmp_path: Path, logger: str) -> None:
    """Its epoch, its start, and how many entries there are."""
    line = (
        f"DEBUG [handler] {logger} [LeaderEpochCache t0-0] Appended new epoch entry"
        " EpochEntry(epoch=1, startOffset=3). Cache now contains 2 entries."
    )
    expected = {"event": "assign", "epoch": 1, "start": 3, "entries": 2}
    assert seen_in(tmp_path, [line]) == [expected]


def test_a_cache_is_cut_with_its_log_only(tmp_path: Path) -> None:
    """What a process finds too much when it starts is not told."""
    cut = (
        "DEBUG [f] kafka.server.epoch.LeaderEpochFileCache [LeaderEpochCache t0-0]"
        " Cleared entries ArrayBuffer(EpochEntry(epoch=1, startOffset=3)) from epoch"
        " cache after truncating to end offset 3, leaving 1 entries in the cache."
    )
    assert seen_in(tmp_path, [cut]) == []
    assert seen_in(tmp_path, [cut.replace("Cleared", "Kept")]) == []


def found_for(file: ObservationFile, model: str) -> Validation:
    """What a search for a run of a model comes to."""
    laid = evolve(file, header=evolve(file.header, model=model))
    return validate(CATALOGUE, laid, "test", EFFORT)


def endings_of_changes(model: str, *, of_caches: bool) -> list[ExplanationEnding]:
    """What comes of another number in every second place of these events."""
    file = load(ALL_KINDS)
    places = [
        (index, key)
        for index, seen in enumerate(file.observations)
        if seen.label.get("event") in EVENTS and (seen.kind == "epochs") is of_caches
        for key in seen.label
        if key != "event"
    ]
    endings = []
    for index, key in places[::2]:
        observations = list(file.observations)
        seen = observations[index]
        label = {**seen.label, key: seen.label[key] + 1}
        observations[index] = evolve(seen, label=label)
        other = ObservationFile(file.header, tuple(observations))
        endings.append(found_for(other, model).explanation.ending)
    return endings


@pytest.mark.slow
def test_another_epoch_or_high_watermark_is_refused() -> None:
    """Each number of a broker that leads, and of a high watermark, is compared."""
    endings = endings_of_changes("cluster", of_caches=False)
    assert endings == [ExplanationEnding.NOT_EXPLAINED] * 10


@pytest.mark.slow
def test_another_entry_of_a_cache_is_not_explained() -> None:
    """Each number is compared by `composed`; a limit may end the search for a run."""
    endings = endings_of_changes("composed", of_caches=True)
    assert len(endings) == 8
    assert ExplanationEnding.EXPLAINED not in endings
    assert ExplanationEnding.NOT_EXPLAINED in endings


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["high_watermark 1-0", "epochs 1-0"])
def test_a_drop_is_refused(kind: str) -> None:
    """Without the first of its stream the next one does not fit."""
    file = load(ALL_KINDS)
    first = next(seen for seen in file.observations if seen.stream == kind)
    left = tuple(seen for seen in file.observations if seen is not first)
    laid = evolve(file.header, model="composed")
    other = ObservationFile(laid, left)
    found = validate(CATALOGUE, other, "test", Effort(nodes=6000))
    assert found.explanation.ending is ExplanationEnding.NOT_EXPLAINED


@pytest.mark.slow
def test_what_a_model_has_no_cell_for_is_told() -> None:
    """`cluster` has no caches of leader epochs: how many are left out is said."""
    result = CliRunner().invoke(main, ["validate", str(ALL_KINDS)])
    assert result.exit_code == 0
    assert (
        "  5 observations are not compared, since cluster has no cell for them: epochs"
    ) in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kinds", "ending"),
    [
        ((), ExplanationEnding.NOT_EXPLAINED),
        (("high_watermark", "produce"), ExplanationEnding.EXPLAINED),
    ],
)
def test_high_watermarks_rule_out_a_mutant(
    kinds: tuple[str, ...], ending: ExplanationEnding
) -> None:
    """A leader that waits for no follower is seen by what that lets it do."""
    file = load(ALL_KINDS)
    kept = [seen for seen in file.observations if seen.kind not in kinds]
    header = evolve(file.header, protocol="m-27-commit-alone", unobserved=kinds)
    other = ObservationFile(header, tuple(kept))
    assert found_for(other, "cluster").explanation.ending is ending
