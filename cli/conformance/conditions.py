"""Conditions that known differences name: what must be true of the step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from replicheck.cli.conformance.controllers.controller_conditions import (
    CONTROLLER_CONDITIONS,
)
from replicheck.cli.conformance.differences import Difference
from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.cli.conformance.quorum.broker_conditions import BROKER_CONDITIONS
from replicheck.model.fetching.cells.requests import RequestHandler
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.vocabulary import BrokerId, PartitionId

Place = tuple[BrokerId, PartitionId]


class AnyStep(Protocol):
    """A step of some model, as far as conditions of all models need it."""

    @property
    def action(self) -> str:
        """The name of its action."""


Condition = Callable[[Difference, Any], bool]
BUILD_ANEW = (
    "truncate_to_epoch_end_offsets",
    "truncate_to_high_watermark",
    "truncate_on_fetch_response",
)
"""Steps that end in PartitionStates.set with a map of all partitions."""


def place_of_cell(cell: str) -> Place:
    """Broker and partition of a cell such as ``broker 1/partition 0/log/end``."""
    broker, partition, *_ = cell.split("/")
    return BrokerId(int(broker.split()[1])), PartitionId(int(partition.split()[1]))


def place_of_step(step: ModelStep) -> Place | None:
    """Broker and partition that a step is about, be it by the request under way."""
    broker = BrokerId(step.arguments.get("broker", -1))
    if broker < 0:
        return None
    handler: RequestHandler = step.before.handlers[broker]
    partition = step.arguments.get("partition", handler.partition)
    return None if partition is None else (broker, PartitionId(partition))


def first_request_is_under_way(found: Difference, step: ModelStep) -> bool:
    """Tell whether a broker is between the halves of a partition's first request."""
    broker, partition = place_of_cell(found.cell)
    handler = step.after.handlers[broker]
    if handler.is_idle() or handler.partition != partition:
        return False
    return bool(step.after.replicas[broker][partition].is_unknown())


def directory_of_a_new_log_is_not_good(found: Difference, step: ModelStep) -> bool:
    """Tell whether a request finds no log where it has to create one."""
    place = place_of_step(step)
    if place is None or step.before.directory_of(*place).is_good():
        return False
    broker, partition = place
    return bool(step.before.replicas[broker][partition].is_unknown())


def another_replica_is_in_the_directory(found: Difference, step: ModelStep) -> bool:
    """Tell whether a failing directory has more than the log that a step names."""
    place = place_of_step(step)
    assert place is not None, "the step names a replica"
    broker, _ = place
    cluster: Brokers = step.before
    partitions = cluster.bounds.partition_ids
    current = [cluster.locations[broker][partition] for partition in partitions]
    future = [cluster.future_logs[broker][p].directory for p in partitions]
    directories = cluster.directories[broker]
    logs = [d for d in (*current, *future) if d is not None]
    return sum(directories[directory].is_failing() for directory in logs) > 1


def a_partition_asked_for_is_removed(found: Difference, step: ModelStep) -> bool:
    """Tell whether a thread asked for a partition that it has no more."""
    cluster: Brokers = step.before
    thread = ThreadId(*(step.arguments[k] for k in ("follower", "leader", "fetcher")))
    return any(
        cluster.call(thread, partition).asks_records()
        and not cluster.fetch_state(thread, partition).is_tracked()
        for partition in cluster.bounds.partition_ids
    )


def directory_of_a_move_is_not_good(found: Difference, step: ModelStep) -> bool:
    """Tell whether a log is being moved from or to a failing directory."""
    broker, partition = place_of_cell(found.cell)
    future = step.before.future_logs[broker][partition].directory
    if future is None:
        return False
    directories = step.before.directories[broker]
    current = step.before.locations[broker][partition]
    return not (directories[current].is_good() and directories[future].is_good())


def a_directory_of_the_follower_is_failing(found: Difference, step: ModelStep) -> bool:
    """Tell whether the broker of a thread has a directory that fails."""
    directories = step.before.directories[step.arguments["follower"]]
    return any(directory.is_failing() for directory in directories)


def several_threads_fetch(found: Difference, step: ModelStep) -> bool:
    """Tell whether a broker has more than one fetcher thread."""
    cluster, broker = step.before, step.arguments["broker"]
    threads = cluster.threads_of(broker)
    return bool(sum(cluster.thread(thread).exists() for thread in threads) > 1)


def moves_are_possible(found: Difference, step: ModelStep) -> bool:
    """Tell whether moves are possible at all."""
    return bool(step.after.bounds.moves > 0)


def followers_can_have_caught_up(found: Difference, step: ModelStep) -> bool:
    """Tell whether followers outside the ISR can have caught up at all."""
    return bool(step.after.bounds.caught_up_followers > 0)


def deleted_records_are_not_remembered(found: Difference, step: ModelStep) -> bool:
    """Tell whether records can be deleted, and the bounds do not ask for them."""
    bounds = step.after.bounds
    return bounds.deletions > 0 and not bounds.lost_log_starts


def a_leader_has_a_version_that_is_not_stored(
    found: Difference, step: ModelStep
) -> bool:
    """Tell whether a write of the ISR would fail for some leader."""
    cluster: Brokers = step.before
    return any(
        cluster.presumes_leadership(broker, partition)
        and not cluster.partition_nodes[partition].has_version(
            cluster.replicas[broker][partition].version
        )
        for broker in cluster.bounds.broker_ids
        for partition in cluster.bounds.partition_ids
    )


def an_elr_was_cleared(found: Difference, step: ModelStep) -> bool:
    """Tell whether min.insync.replicas was changed, and Kafka's index has more."""
    cluster = step.after
    was_changed = cluster.faults.min_isr_changes < cluster.bounds.min_isr_changes
    return was_changed and bool(found.kafka > found.model)


def map_was_built_anew(found: Difference, step: ModelStep | None) -> bool:
    """Tell whether a thread built its map of partitions anew, as before a run."""
    return step is None or step.action in BUILD_ANEW


def _after_a_step(condition: Callable[[Difference, Any], bool]) -> Condition:
    """A condition that is false before a run."""
    return lambda found, step: step is not None and condition(found, step)


AFTER_A_STEP: Mapping[str, Callable[[Difference, Any], bool]] = {
    "first request is under way": first_request_is_under_way,
    "directory of a new log is not good": directory_of_a_new_log_is_not_good,
    "another replica is in the directory": another_replica_is_in_the_directory,
    "a partition that was asked for is removed": a_partition_asked_for_is_removed,
    "directory of a move is not good": directory_of_a_move_is_not_good,
    "a directory of the follower is failing": a_directory_of_the_follower_is_failing,
    "several threads fetch": several_threads_fetch,
    "moves are possible": moves_are_possible,
    "followers can have caught up of late": followers_can_have_caught_up,
    "deleted records are not remembered": deleted_records_are_not_remembered,
    "an ELR was cleared": an_elr_was_cleared,
    "a leader has a version that is not stored": (
        a_leader_has_a_version_that_is_not_stored
    ),
}
"""Conditions that are false before a run, by their names."""
CONDITIONS: Mapping[str, Condition] = {
    "map was built anew": map_was_built_anew,
    **{
        name: _after_a_step(condition)
        for name, condition in {
            **AFTER_A_STEP,
            **CONTROLLER_CONDITIONS,
            **BROKER_CONDITIONS,
        }.items()
    },
}
"""Conditions by the name that a known difference has for them."""
