"""Kafka's own tests of the cache of leader epochs, on the model's log."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, Self

import pytest
from attrs import evolve, frozen

from checkout import VECTOR_FILES
from replicheck.model.fetching.cells.log import EpochEnd, EpochEntry, PartitionLog
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import Epoch, Offset, RecordId

FILE = VECTOR_FILES / "epochs" / "LeaderEpochFileCacheTest.toml"
VECTORS = tomllib.loads(FILE.read_text("utf-8"))["vector"]
APPLICABLE = [vector for vector in VECTORS if "inapplicable" not in vector]

Vector = Mapping[str, Any]


def name_of(vector: Vector) -> str:
    """The test's name in Kafka, and the variant if there are several."""
    return f"{vector['test']} {vector.get('variant', '')}".strip()


@frozen
class AppendingAlways(PartitionLog):
    """Keeps what a new epoch contradicts."""

    def assign(self, epoch: Epoch, start: Offset) -> Self:
        """Cache an epoch behind all others."""
        return evolve(self, epochs=(*self.epochs, EpochEntry(epoch, start)))


@frozen
class NeverCut(PartitionLog):
    """Keeps what is cut or deleted."""

    def truncate_epochs(self, offset: Offset) -> Self:
        """Drop nothing."""
        return self

    def delete_below(self, offset: Offset) -> Self:
        """Drop nothing."""
        return self

    def truncate_fully_and_start_at(self, offset: Offset) -> Self:
        """Drop nothing."""
        return self


@frozen
class Knowing(PartitionLog):
    """Answers that every epoch ends with the log."""

    def end_offset_for(self, epoch: Epoch) -> EpochEnd:
        """The end of the log."""
        return EpochEnd(epoch, Offset(self.end_offset + 1))


BROKEN = (AppendingAlways, NeverCut, Knowing)
UNTOUCHED = {
    "shouldPersistEpochsBetweenInstances": "breaks only if what is on disk gets lost",
    "shouldNotClearAnythingIfOffsetToEarly": "breaks only if too much is cut",
    "shouldNotClearAnythingIfOffsetToFirstOffset": "breaks only if too much is cut",
    "shouldFetchLatestEpochOfEmptyCache": "breaks only if there is an epoch at first",
    "shouldClearEarliestOnEmptyCache": "breaks only if cutting nothing raises an error",
    "shouldClearLatestOnEmptyCache": "breaks only if cutting nothing raises an error",
}
"""Vectors that pass with each of these, and why."""


def log_after(vector: Vector, kind: type[PartitionLog]) -> PartitionLog:
    """A log that ends where the vector says, after its steps."""
    record = Record(RecordId(0), Epoch(0))
    log = kind((record,) * int(vector["end"]))
    for step in vector["steps"]:
        log = stepped(log, step)
    return log


def stepped(log: PartitionLog, step: list[Any]) -> PartitionLog:
    """Do one step of a vector."""
    match step:
        case "assign", epoch, start:
            return log.assign(Epoch(epoch), Offset(start))
        case "truncateFromEnd", offset:
            return log.truncate_epochs(Offset(offset))
        case "truncateFromStart", offset:
            return log.delete_below(Offset(offset))
        case ["load"]:
            return log.load()
        case ["clear"]:
            return log.truncate_fully_and_start_at(Offset(0))
    raise ValueError(f"{step} is no step of a vector")


def is_passed(vector: Vector, kind: type[PartitionLog] = PartitionLog) -> bool:
    """Tell whether cache and answers are as a vector expects."""
    log = log_after(vector, kind)
    found = " ".join(f"e{entry.epoch}@{entry.start}" for entry in log.epochs)
    answers = {
        asked: log.end_offset_for(Epoch(int(asked))) for asked in vector.get("ends", ())
    }
    expected = {asked: EpochEnd(*end) for asked, end in vector.get("ends", {}).items()}
    return found == vector["entries"] and answers == expected


@pytest.mark.parametrize("vector", APPLICABLE, ids=name_of)
def test_a_test_of_kafka(vector: Vector) -> None:
    """The cache has the entries that Kafka's test expects, and gives its answers."""
    assert is_passed(vector)


@pytest.mark.parametrize("vector", APPLICABLE, ids=name_of)
def test_a_vector_can_fail(vector: Vector) -> None:
    """A cache that is broken in one way does not pass; or the vector is listed."""
    fails = not all(is_passed(vector, kind) for kind in BROKEN)
    assert fails is (name_of(vector) not in UNTOUCHED)


def test_every_test_is_replayed_or_says_why_not() -> None:
    """Kafka 2.5.1 has 37 of them; one is two vectors."""
    assert len({vector["test"] for vector in VECTORS}) == 37
    assert all("inapplicable" in vector or "entries" in vector for vector in VECTORS)
    left_out = [vector for vector in VECTORS if "inapplicable" in vector]
    assert all(test["inapplicable"] and "steps" not in test for test in left_out)
    assert len(left_out) == 3
