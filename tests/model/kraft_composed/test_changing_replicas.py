"""Fetcher threads of replicas that a reassignment adds and removes, and that move."""

from __future__ import annotations

import pytest

from kafka_tests.thread_runs import CUT_EMPTY_LOG, FETCH, after, steps_of_thread
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.invariants.kraft_composed.safety import fetches
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import Error
from replicheck.model.fetching.state import ThreadId
from replicheck.model.kraft_composed.bounds import KraftComposedBounds
from replicheck.model.kraft_composed.fetcher_view import seen_by_fetchers
from replicheck.model.kraft_composed.protocols import (
    KAFKA_4_1,
    kraft_composed_model,
)
from replicheck.model.kraft_composed.state import PARTITION
from replicheck.model.kraft_composed.versions import KEEPS_EPOCHS_AT_MOVES
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, Epoch


def test_a_leader_refuses_a_replica_that_it_does_not_know_yet() -> None:
    """The thread asks again; then its leader has published the reassignment."""
    steps = (
        "reassign_partition [2]",
        "publish_metadata(broker=1)",
        *steps_of_thread(1, 0, *CUT_EMPTY_LOG, *FETCH[:2]),
    )
    bounds = {"brokers": 2, "replicas": 1, "min_isr": 1, "reassignments": 1}
    thread = ThreadId(BrokerId(1), BrokerId(0), FetcherId(0))
    refused = after(*steps, **bounds).calls[1][0][0][PARTITION].answer
    assert refused is not None
    assert refused.error is Error.UNKNOWN_LEADER_EPOCH
    known = after(*steps[:2], "publish_metadata(broker=0)", *steps[2:], **bounds)
    answer = seen_by_fetchers(known).call(thread, PARTITION).answer
    assert answer is not None
    assert answer.error is Error.NONE


def test_a_removed_replica_leaves_its_thread_and_loses_its_log() -> None:
    """Whether it had failed or not (KR-DEL-1)."""
    cluster = after(
        "append(leader=0)",
        *steps_of_thread(1, 0, *FETCH),
        "reassign_partition [1]",
        "publish_metadata(broker=1)",
        brokers=2,
        records=1,
        min_isr=1,
        reassignments=1,
    )
    assert cluster.logs[1].end_offset == 0
    assert not fetches(cluster, BrokerId(1))


MOVE = (
    "alter_replica_log_dirs(broker=0, directory=1)",
    "copy_to_future_log(broker=0)",
    "promote_future_log(broker=0)",
    "send_assignment(broker=0)",
    "handle_assignment(broker=0)",
    "receive_assignment_answer(broker=0)",
    "promote_future_log(broker=0)",
)


@pytest.mark.parametrize(
    ("protocol", "epochs"), [(KAFKA_4_1, ()), (KEEPS_EPOCHS_AT_MOVES, (Epoch(0),))]
)
def test_a_move_of_a_leader_forgets_an_epoch_without_records(
    protocol: Protocol, epochs: tuple[Epoch, ...]
) -> None:
    """A future log has the epochs of its records; one change keeps the others."""
    bounds = KraftComposedBounds(brokers=2, directories=2, moves=1, records=0)
    model = kraft_composed_model(protocol, bounds)
    steps = [step for step in MOVE if not step.startswith("copy")]
    cluster = Stepper(model).take(steps).steps[-1].state
    assert cluster.disks[0].used == 1
    assert tuple(entry.epoch for entry in cluster.logs[0].epochs) == epochs


def test_a_follower_that_cut_its_log_has_its_future_log_cut() -> None:
    """The thread that moves logs copies what the log has, and no more."""
    steps = (
        "append(leader=0)",
        "fence_broker(broker=0)",
        "publish_metadata(broker=1)",
        MOVE[0],
        MOVE[1],
        "append(leader=1)",
        "publish_metadata(broker=0)",
        *steps_of_thread(0, 1, *FETCH, "truncate_on_fetch_response"),
        MOVE[1],
    )
    bounds = {"brokers": 2, "min_isr": 1, "records": 2, "directories": 2, "moves": 1}
    cluster = after(*steps, **bounds, fences=1)
    assert cluster.logs[0].end_offset == 0
    assert cluster.moves[0].log.end_offset == 0
