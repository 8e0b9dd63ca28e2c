"""The reduction skip-redundant-responses changes events in queues, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from reduced.cluster_states import KNOWN, images, late_error, model_of, steps
from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.reductions import redundant_responses
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId
from slow import IS_NIGHTLY

MORE = (
    (
        "disk-and-broker-fail",
        "controller-fails-with-disk-offline",
        "composed-new-epoch-clears-failure",
    )
    if IS_NIGHTLY
    else ()
)
SMALL = ("failed-disk-is-replaced", *MORE)
"""Scenarios whose states are compared, some of them each night only."""


@pytest.fixture(name="late_error")
def written_late_error(tmp_path: Path) -> str:
    """The suite of `late_error`."""
    return late_error(tmp_path)


def test_the_states_are_those_without_answers_that_are_known(late_error: str) -> None:
    """No more and no fewer, which is what the argument says."""
    for name in (late_error, *SMALL):
        assert images(name, KNOWN) == images(name)


def test_an_answer_behind_an_error_that_waits_is_news(
    late_error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that condition the controller would know something else at the end."""
    monkeypatch.setattr(redundant_responses, "is_known", unless_it_is_held_offline)
    assert images(late_error, KNOWN) != images(late_error)


def test_an_answer_of_what_was_offline_is_news(
    late_error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without that condition the controller would know something else at the end."""
    monkeypatch.setattr(redundant_responses, "is_known", unless_an_error_waits)
    assert images(late_error, KNOWN) != images(late_error)


def unless_it_is_held_offline(
    cluster: Cluster,
    controller: BrokerId,
    broker: BrokerId,
    partition: PartitionId,
    answer: Answer,
) -> bool:
    """Forget that an answer before this one may say otherwise."""
    held = cluster.contexts[controller].holds_offline(broker, partition)
    return answer is Answer.NONE and not held


def unless_an_error_waits(
    cluster: Cluster,
    controller: BrokerId,
    broker: BrokerId,
    partition: PartitionId,
    answer: Answer,
) -> bool:
    """Forget that the controller may hold the replica offline."""
    queue = cluster.event_queues[controller]
    waits = queue.tells_of_storage_error(broker, partition)
    return answer is Answer.NONE and not waits


def test_only_an_answer_tells_that_a_replica_is_offline(late_error: str) -> None:
    """So nothing but what waits before an answer can make it news."""
    found = set()
    for label, before, after in steps(model_of(late_error)):
        for controller in before.bounds.broker_ids:
            if held_offline(after, controller) - held_offline(before, controller):
                found.add(label.partition("(")[0])
    assert found == {"handle_leader_and_isr_response"}


def held_offline(
    cluster: Cluster, controller: BrokerId
) -> set[tuple[PartitionId, BrokerId]]:
    """The replicas that a controller takes for offline."""
    known = cluster.contexts[controller].partitions
    return {
        (partition, broker)
        for partition in cluster.bounds.partition_ids
        for broker in known[partition].on_offline_dirs
    }
