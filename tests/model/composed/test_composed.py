"""The cluster with fetcher threads: its runs, and what the threads see of it."""

from __future__ import annotations

from typing import Any

import pytest

from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine, Limits, Search, Stop
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.report import Verdict
from replicheck.invariants.composed.inherited import SAFETY, STEPS, WITNESSES
from replicheck.model.cluster.protocols import KAFKA_2_5 as OF_CLUSTER
from replicheck.model.composed.bounds import ComposedBounds, bounds_of_fetchers
from replicheck.model.composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.composed.protocols import KAFKA_2_5, LEFT_OUT, composed_model
from replicheck.model.composed.state import Composed, with_topic
from replicheck.model.composed.versions import FETCHERS_3_5
from replicheck.model.fetching.cells.requests import IDLE, RequestHandler
from replicheck.model.fetching.protocols import KAFKA_2_5 as OF_FETCHING
from replicheck.model.fetching.protocols import fetching_model
from replicheck.model.fetching.versions.history import KAFKA_3_5
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId
from scenario_runs import final_state
from searches.properties import properties_of

PROPERTIES = list(properties_of(SAFETY, STEPS, WITNESSES).values())
PARTITION = PartitionId(0)
BEGIN = "alter_replica_log_dirs(broker=0, partition=0, directory=1)"
GIVE_UP = "alter_replica_log_dirs(broker=0, partition=0, directory=0)"
MOVING = [
    f"{phase}(follower=0, leader=0, fetcher=0)"
    for phase in (
        "fetch_truncating_partitions",
        "truncate_to_high_watermark",
        "maybe_fetch",
        "handle_fetch_request",
        "process_fetch_request",
    )
]
"""How an empty log is moved."""


def end_of(name: str) -> Composed:
    """The state at the end of a scenario's sequence."""
    found: Composed = final_state(name)
    return found


def test_the_directory_of_a_failed_partition_fails() -> None:
    """The failure is forgotten, and the leader commits alone in the next epoch."""
    cluster = end_of("composed-failed-partitions-disk-fails")
    leader, follower = (cluster.replicas[broker][PARTITION] for broker in (0, 1))
    assert follower.is_offline()
    assert not cluster.failed[1].partitions
    assert leader.epoch == 1
    assert leader.isr == frozenset({BrokerId(0)})
    assert len(cluster.committed[PARTITION].records) == 1


def test_the_directory_of_the_leader_fails() -> None:
    """The next leader has the record, and the other follower keeps it."""
    cluster = end_of("composed-leader-disk-fails")
    _, leader, follower = (cluster.replicas[broker][PARTITION] for broker in range(3))
    assert (leader.leader, leader.epoch) == (1, 1)
    assert (follower.leader, follower.epoch) == (1, 1)
    assert leader.isr == frozenset({BrokerId(1), BrokerId(2)})
    logs = [cluster.logs[broker][PARTITION][0].records for broker in range(3)]
    assert logs[0] == logs[1] == logs[2] != ()
    assert leader.high_watermark == follower.high_watermark == 1


def test_the_directory_fails_to_which_a_log_moves() -> None:
    """The follower has the record where it was, stays in sync, and goes on fetching."""
    cluster = end_of("composed-disk-fails-during-move")
    replica = cluster.replicas[1][PARTITION]
    stay, away = cluster.logs[1][PARTITION]
    assert cluster.directories[1][1].is_offline()
    assert (replica.directory, replica.leader, replica.epoch) == (0, 0, 0)
    assert (len(stay.records), away.exists) == (1, False)
    assert not cluster.future_logs[1][PARTITION].exists()
    assert not cluster.failed_moves[1].partitions
    assert cluster.fetch_states[1][0][0][PARTITION].is_fetching()
    content = cluster.partition_nodes[PARTITION].content
    assert content is not None
    assert content.isr == frozenset({BrokerId(0), BrokerId(1)})


def test_a_move_is_taken_up_after_a_restart() -> None:
    """The broker follows in the next epoch, and its log is in the other directory."""
    cluster = end_of("composed-broker-restarts-during-move")
    replica = cluster.replicas[0][PARTITION]
    assert (replica.directory, replica.leader, replica.epoch) == (1, 1, 1)
    assert [log.exists for log in cluster.logs[0][PARTITION]] == [False, True]
    assert not cluster.future_logs[0][PARTITION].exists()
    assert not any(state.is_tracked() for state in cluster.fetch_states[0][0][0])


@pytest.mark.parametrize("phases", range(5))
def test_a_move_waits_for_a_lock(phases: int) -> None:
    """While a leader does not know whether its ISR is stored, its log is left alone."""
    model = composed_model(bounds=ComposedBounds(brokers=2, moves=2, lost_replies=1))
    actions = Stepper(model).actions
    (cluster,) = model.initial_states()
    (cluster,) = actions[BEGIN](cluster)
    for action in MOVING[:phases]:
        (cluster,) = actions[action](cluster)
    replica = cluster.replicas[0][PARTITION].await_confirmation(frozenset())
    locked = cluster.evolve(replicas={(BrokerId(0), PARTITION): replica})
    asks = MOVING[phases].startswith(("fetch_truncating", "maybe_fetch"))
    assert list(actions[MOVING[phases]](cluster))
    assert bool(list(actions[MOVING[phases]](locked))) is asks
    assert not list(actions[GIVE_UP](locked))


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_engines_agree(engine: Engine) -> None:
    """Every engine finds the same counts."""
    model = composed_model(
        bounds=ComposedBounds(brokers=2, records=1, directory_failures=1)
    )
    report = engine.explore(model, [], Search())
    assert (report.states, report.generated, report.depth) == (1_650, 3_892, 27)


def test_a_stop_clears_a_failure() -> None:
    """A broker that shuts down is told to stop, and its failed partition is forgotten.

    The other partition is fetched no more either.
    """
    cluster = end_of("composed-one-partition-fails")
    assert cluster.processes[1].is_running
    assert not cluster.failed[1].partitions
    assert all(fetcher.is_idle() for fetcher in cluster.fetchers[1])
    states = cluster.fetch_states[1][0][0]
    assert not any(state.is_tracked() for state in states)


def test_every_property_can_be_judged() -> None:
    """None of either model's is about a cell that is not there, and none is broken."""
    bounds = ComposedBounds(brokers=2, records=1, directory_failures=1)
    search = Search(Limits(depth=9), Stop.DECIDED)
    report = Naive().explore(composed_model(bounds=bounds), PROPERTIES, search)
    assert report.verdict is Verdict.INCOMPLETE
    assert not report.violations


@pytest.mark.parametrize(
    ("whole_protocol", "protocol"),
    [(KAFKA_2_5, OF_FETCHING), (FETCHERS_3_5, KAFKA_3_5)],
    ids=lambda protocol: protocol.name,
)
@pytest.mark.parametrize(
    "faults",
    [
        {},
        {"log_errors": 1},
        {"network_errors": 1},
        {"moves": 1, "directories": 2, "records": 1},
    ],
)
def test_without_the_controller_it_is_the_fetching_brokers(
    faults: dict[str, Any], whole_protocol: Protocol, protocol: Protocol
) -> None:
    """Where nothing is elected, both models have equally many states and steps."""
    size = {"brokers": 2, "directories": 1, "records": 2, "isr_shrinks": 1}
    bounds = ComposedBounds(**size | faults)
    whole = Naive().explore(composed_model(whole_protocol, bounds), [])
    size_alone = bounds_of_fetchers(bounds, max_leader_epoch=0)
    alone = fetching_model(protocol, size_alone)
    fetching = Naive().explore(alone, [])
    assert (whole.levels, whole.generated) == (fetching.levels, fetching.generated)


def test_actions_are_those_of_both_models() -> None:
    """Each of the cluster's is there under its name but the simple copying."""
    names = [action.__name__ for action in KAFKA_2_5.actions]
    expected = {
        action.__name__ for action in OF_CLUSTER.actions if action not in LEFT_OUT
    }
    assert expected <= set(names)
    assert len(set(names)) == len(names)


def test_no_two_properties_have_one_name() -> None:
    """A scenario names each by its name alone."""
    names = [predicate.__name__ for predicate in (*SAFETY, *STEPS, *WITNESSES)]
    assert len(set(names)) == len(names)


def test_threads_see_one_log_of_each_replica() -> None:
    """What they write to it is in the directory where it is."""
    view = seen_by_fetchers(with_topic(ComposedBounds(brokers=2, partitions=2)))
    follower, partition = BrokerId(1), PartitionId(1)
    log = view.logs[follower][partition].truncate_fully_and_start_at(Offset(3))
    whole = whole_of(view.evolve(logs={(follower, partition): log}))
    ends = [record.end_offset for record in whole.logs[follower][partition]]
    assert ends == [0, 3]


def test_fetchers_write_no_cell_that_composed_lacks() -> None:
    """Threads can read such a cell, and write nothing else to it."""
    view = seen_by_fetchers(with_topic(ComposedBounds(brokers=2)))
    assert view.handlers == (IDLE, IDLE)
    view.evolve(handlers={BrokerId(0): IDLE})
    busy = RequestHandler(partition=PARTITION)
    with pytest.raises(AssertionError, match="handlers"):
        view.evolve(handlers={BrokerId(0): busy})
