"""A log without records is cut without its leader, in the protocol that has this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from observations.observed_runs import TakenStep, observed, random_run
from replicheck.cli.observations.observation_file import ObservationHeader
from replicheck.cli.observations.validation import validate
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from replicheck.explorer.instances import Instance
from replicheck.model.cluster import watches
from replicheck.model.cluster.broker import leader_and_isr, replication
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller import events
from replicheck.model.cluster.controller.partitions import partition_states
from replicheck.model.cluster.environment import faults
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.versions.local_truncation import (
    LOCAL_TRUNCATION,
    truncate,
)
from replicheck.model.vocabulary import BrokerId, PartitionId
from shipped import CATALOGUE

SYSTEM = CATALOGUE.systems["cluster"]
BOUNDS = {"brokers": 3, "metadata": 1, "isr_notifications": 1, "crashes": 1}
LEADER, FOLLOWER, CONTROLLER = BrokerId(0), BrokerId(2), BrokerId(2)
PARTITION = PartitionId(0)
CUT = (LEADER, FOLLOWER, PARTITION)
RUNS, STEPS = 20, 60
Call = tuple[Callable[..., Iterator[Any]], dict[str, Any]]
LEADER_IS_GONE: tuple[Call, ...] = (
    (faults.create_topic, {"partition": PARTITION}),
    (
        watches.deliver_watch,
        {"controller": CONTROLLER, "path": ZooKeeperPath.TOPICS},
    ),
    (events.handle_topic_change, {"controller": CONTROLLER}),
    (partition_states.initialize_partition, {"controller": CONTROLLER}),
    (
        leader_and_isr.handle_leader_and_isr,
        {"controller": CONTROLLER, "broker": FOLLOWER},
    ),
    (faults.crash, {"broker": LEADER}),
    (
        truncate,
        {"leader": LEADER, "follower": FOLLOWER, "partition": PARTITION},
    ),
)
"""A new follower goes on when the leader that it was told has crashed."""


def taken(calls: tuple[Call, ...]) -> Iterator[TakenStep]:
    """Yield the steps of calls, one after the other."""
    before = SYSTEM.initials["without-topic"](SYSTEM.bounds(**BOUNDS))
    for action, arguments in calls:
        after = next(action(before, **arguments))
        yield Instance(action, tuple(arguments.items())), before, after
        before = after


def ending(protocol: str) -> ExplanationEnding:
    """What becomes of the observations of the run beside a protocol."""
    header = ObservationHeader(bounds=BOUNDS, slack=0, protocol=protocol)
    shown = attrs.evolve(header, protocol=LOCAL_TRUNCATION.name)
    file = observed(SYSTEM, shown, taken(LEADER_IS_GONE))
    asked = attrs.evolve(file, header=header)
    return validate(CATALOGUE, asked, "test", Effort()).explanation.ending


def test_a_follower_without_records_goes_on_without_its_leader() -> None:
    """The log shows a cut that asks no leader, after the leader crashed."""
    assert ending(LOCAL_TRUNCATION.name) is ExplanationEnding.EXPLAINED


def test_the_cut_is_a_step_with_the_leader_elsewhere() -> None:
    """Kafka 2.5.1 as it is searched has no such run."""
    assert ending(KAFKA_2_5.name) is ExplanationEnding.NOT_EXPLAINED


def test_what_the_leader_says_of_an_empty_log_makes_no_difference() -> None:
    """Where the step with the leader is there, it leads to the same state."""
    pairs = [
        ([*replication.truncate(state, *CUT)], [*truncate(state, *CUT)])
        for state in states_of_random_runs(records=0)
    ]
    with_leader = [pair for pair in pairs if pair[0]]
    assert with_leader
    assert all(expected == found for expected, found in with_leader)
    assert len(with_leader) < sum(bool(found) for _, found in pairs)


def test_a_log_with_records_is_cut_as_its_leader_says() -> None:
    """Where the step with the leader is not there, there is none."""
    pairs = [
        ([*replication.truncate(state, *CUT)], [*truncate(state, *CUT)])
        for state in states_of_random_runs(records=2)
        if state.fetchers[FOLLOWER][PARTITION].truncates_to(LEADER)
        if replication.end_of(state, FOLLOWER, PARTITION)
    ]
    assert any(expected for expected, _ in pairs)
    assert not all(expected for expected, _ in pairs)
    assert all(expected == found for expected, found in pairs)


def states_of_random_runs(records: int) -> Iterator[Any]:
    """Yield the states of some random runs of a topic that there is already."""
    bounds = SYSTEM.bounds(**BOUNDS, records=records, restarts=1)
    model = attrs.evolve(
        SYSTEM.build(LOCAL_TRUNCATION, bounds),
        start=SYSTEM.initials["without-topic"](bounds),
    )
    for seed in range(RUNS):
        for _, before, _ in random_run(model, STEPS, seed):
            yield before
