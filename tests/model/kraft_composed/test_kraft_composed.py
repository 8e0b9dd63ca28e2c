"""KRaft's brokers with fetcher threads: their runs, and what both models have."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from engines import ENGINES, name_of
from kafka_tests.thread_runs import FETCH, after, steps_of_thread
from replicheck.explorer.engine import Engine, Search
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.model import Model
from replicheck.invariants.kraft import safety as of_kraft
from replicheck.invariants.kraft_composed.safety import SAFETY
from replicheck.invariants.kraft_composed.steps import STEPS
from replicheck.invariants.kraft_composed.witnesses import WITNESSES
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import Error, FetchAsked
from replicheck.model.fetching.cells.requests import IDLE, RequestHandler
from replicheck.model.fetching.fetchers.fetcher_manager import mark_partition_failed
from replicheck.model.fetching.state import ThreadId
from replicheck.model.kraft import protocols as of_kraft_protocols
from replicheck.model.kraft.bounds import KraftBounds
from replicheck.model.kraft.protocols import kraft_model
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.kraft_composed.bounds import KraftComposedBounds
from replicheck.model.kraft_composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.kraft_composed.leader import read_for_live_process
from replicheck.model.kraft_composed.protocols import (
    KAFKA_4_1,
    LEFT_OUT,
    kraft_composed_model,
)
from replicheck.model.kraft_composed.state import (
    PARTITION,
    everyone_in_sync,
)
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, Epoch, Offset


def test_a_leader_that_skips_an_epoch_believes_old_ends_of_threads() -> None:
    """R-15: broker 2 has cut what leader 1 takes for committed."""
    cluster = after(
        "append(leader=1)",
        *steps_of_thread(2, 1, *FETCH, "maybe_fetch", "handle_fetch_request"),
        "elect_preferred_leader",
        "publish_metadata(broker=2)",
        *steps_of_thread(2, 0, "maybe_fetch"),
        "publish_metadata(broker=0)",
        *steps_of_thread(2, 0, "handle_fetch_request", "process_fetch_request"),
        "fence_broker(broker=0)",
        *steps_of_thread(2, 0, "truncate_on_fetch_response"),
        "publish_metadata(broker=2)",
        "publish_metadata(broker=1) [2]",
        records=1,
        first_leader=1,
        preferred_elections=1,
        fences=1,
    )
    assert cluster.partitions[1].high_watermark == 1
    assert cluster.logs[2].end_offset == 0
    assert not of_kraft.known_follower_end_is_held(cluster)
    assert not of_kraft.candidates_have_acknowledged_records(cluster)


FAILURE = (
    "append(leader=1)",
    "break_log(broker=2, partition=0)",
    *steps_of_thread(2, 1, *FETCH),
)


def test_a_failed_partition_is_fetched_again_in_a_new_leader_epoch() -> None:
    """The election of another leader clears the failure, and adds a fetcher."""
    bounds = {
        "records": 1,
        "first_leader": 1,
        "log_errors": 1,
        "preferred_elections": 1,
    }
    failed = after(*FAILURE, **bounds)
    assert failed.failed[2].has(PARTITION)
    cluster = after(
        *FAILURE, "elect_preferred_leader", "publish_metadata(broker=2)", **bounds
    )
    assert not cluster.failed[2].has(PARTITION)
    states = cluster.fetch_states[2]
    assert not states[1][0][PARTITION].is_tracked()
    assert states[0][0][PARTITION].is_tracked_in(Epoch(1))


def test_a_failed_partition_stays_failed_in_another_partition_epoch() -> None:
    """Its replica leaves the ISR, which is no reason to try again (KR-FAIL-1)."""
    cluster = after(
        *FAILURE,
        "shrink_isr(leader=1) [2]",
        "handle_alter_partition(broker=1)",
        "publish_metadata(broker=2)",
        records=1,
        first_leader=1,
        log_errors=1,
        isr_shrinks=1,
    )
    assert cluster.partitions[2].partition_epoch == 1
    assert cluster.failed[2].has(PARTITION)


def test_a_fetch_of_an_older_process_is_refused() -> None:
    """Nothing is read for it once the leader knows of a later one (KR-FET-4)."""
    cluster = everyone_in_sync(KraftComposedBounds(brokers=2))
    thread = ThreadId(BrokerId(1), BrokerId(0), FetcherId(0))
    asked = FetchAsked(Epoch(0), Offset(0))
    image = cluster.caches[0]
    later = evolve(image.brokers[1], epoch=BrokerEpoch(1))
    knows = cluster.evolve(
        caches={BrokerId(0): evolve(image, brokers=(image.brokers[0], later))}
    )
    errors = [
        read_for_live_process(seen_by_fetchers(whole), thread, PARTITION, asked).error
        for whole in (cluster, knows)
    ]
    assert errors == [Error.NONE, Error.NOT_LEADER]


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_engines_agree(engine: Engine) -> None:
    """Every engine finds the same counts."""
    bounds = KraftComposedBounds(
        brokers=2, records=1, min_isr=1, directories=2, directory_failures=1
    )
    report = engine.explore(kraft_composed_model(bounds=bounds), [], Search())
    assert (report.states, report.generated, report.depth) == (926, 2_687, 19)


def reachable(model: Model[Any]) -> set[Any]:
    """All states of a model."""
    stepper = Stepper(model)
    found = left = {stepper.start}
    while left:
        left = {
            after
            for state in left
            for action in stepper.actions.values()
            for after in action(state)
        } - found
        found |= left
    return found


def without_threads(cluster: KraftCluster) -> tuple[Any, ...]:
    """What both models have: controller, metadata, leaders, and records in logs."""
    return (
        cluster.stored,
        cluster.registrations,
        cluster.metadata,
        cluster.processes,
        cluster.partitions,
        cluster.followers,
        cluster.channels,
        cluster.acknowledged,
        tuple(log.records for log in cluster.logs),
        tuple((move.log.records, move.promotion) for move in cluster.moves),
    )


@pytest.mark.parametrize(
    "faults",
    [
        {},
        {"crashes": 1},
        {"preferred_elections": 1, "partition_epochs": 2},
        {"directories": 2, "directory_failures": 1},
        {"directories": 2, "moves": 1, "partition_epochs": 1},
        {"reassignments": 2, "partition_epochs": 2},
    ],
)
def test_threads_come_to_each_state_of_the_copying_in_one_step(
    faults: dict[str, int],
) -> None:
    """Where a record is copied at once, threads can do the same in a few steps."""
    size = {"brokers": 2, "records": 1, "min_isr": 1, "first_leader": 1, **faults}
    whole = kraft_composed_model(bounds=KraftComposedBounds(**size))
    alone = kraft_model(bounds=KraftBounds(**size))
    by_threads = {without_threads(cluster) for cluster in reachable(whole)}
    assert {without_threads(cluster) for cluster in reachable(alone)} <= by_threads


def test_actions_are_those_of_both_models() -> None:
    """Each of KRaft's is there under its name but the copying and what is left out."""
    names = [action.__name__ for action in KAFKA_4_1.actions]
    expected = {
        action.__name__
        for action in of_kraft_protocols.KAFKA_4_1.actions
        if action not in LEFT_OUT
    }
    assert expected <= set(names)
    assert len(set(names)) == len(names)


def test_no_two_properties_have_one_name() -> None:
    """A scenario names each by its name alone."""
    names = [predicate.__name__ for predicate in (*SAFETY, *STEPS, *WITNESSES)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("bound", ["topic_deletions", "late_answers", "unassigned"])
def test_what_has_no_action_here_is_refused(bound: str) -> None:
    """Rather than that it never happens."""
    with pytest.raises(ValueError, match=bound):
        KraftComposedBounds(**{bound: 1})


def test_fetchers_write_no_cell_that_the_cluster_lacks() -> None:
    """Threads can read such a cell, and write nothing else to it."""
    view = seen_by_fetchers(everyone_in_sync(KraftComposedBounds(brokers=2)))
    assert view.handlers == (IDLE, IDLE)
    with pytest.raises(AssertionError, match="handlers"):
        view.evolve(handlers={BrokerId(0): RequestHandler(partition=PARTITION)})


def test_threads_write_to_the_partition_of_their_broker() -> None:
    """A high watermark and a failure are those of the follower."""
    view = seen_by_fetchers(everyone_in_sync(KraftComposedBounds(brokers=2)))
    thread = ThreadId(BrokerId(1), BrokerId(0), FetcherId(0))
    replica = view.replicas[1][PARTITION].with_high_watermark(Offset(3))
    view = view.evolve(replicas={(BrokerId(1), PARTITION): replica})
    whole = whole_of(mark_partition_failed(view, thread, PARTITION))
    assert [partition.high_watermark for partition in whole.partitions] == [0, 3]
    assert [failed.has(PARTITION) for failed in whole.failed] == [False, True]
