"""Kafka 2.5.1 as one protocol of controller, brokers and fetcher threads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from typing import Any

from attrs import fields_dict

from replicheck.model.cluster import protocols as of_cluster
from replicheck.model.cluster.broker import (
    deletion,
    duplicate_requests,
    leader_and_isr,
    log_dirs,
    replication,
    requests,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.enabling_bounds import ONLY_WITH
from replicheck.model.cluster.environment import administration, faults, lost_replies
from replicheck.model.composed import broker, leader, moves
from replicheck.model.composed.bounds import ComposedBounds, bounds_of_fetchers
from replicheck.model.composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.composed.state import Composed, with_topic
from replicheck.model.fetching import faults as of_fetchers
from replicheck.model.fetching import protocols as of_fetching
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.broker import leader as of_leaders
from replicheck.model.fetching.broker import stalled_updates
from replicheck.model.fetching.log_moves import alter_log_dirs, log_replacement
from replicheck.model.fetching.thread_loop import fetching, truncating
from replicheck.model.protocol import Action, Protocol, ProtocolModel
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def on_fetchers(action: Action) -> Action:
    """An action of the fetcher threads as one of the whole cluster."""

    @wraps(action)
    def run(cluster: Composed, *values: Any, **named: Any) -> Iterator[Composed]:
        for after in action(seen_by_fetchers(cluster), *values, **named):
            yield whole_of(after)

    return run


def unless_locked(action: Action) -> Action:
    """An action of the threads, in which one that moves a locked log waits."""

    @wraps(action)
    def run(
        cluster: Composed, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
    ) -> Iterator[Composed]:
        if follower == leader and moves_locked(cluster, follower):
            return
        yield from on_fetchers(action)(cluster, follower, leader, fetcher)

    return run


def moves_locked(cluster: Composed, broker: BrokerId) -> bool:
    """Tell whether a log is moved whose partition is locked by a write to ZooKeeper."""
    return any(
        cluster.future_logs[broker][partition].exists()
        and cluster.replicas[broker][partition].is_locked()
        for partition in cluster.bounds.partition_ids
    )


OF_BROKERS: dict[Action, Action] = {
    leader_and_isr.handle_leader_and_isr: broker.handle_leader_and_isr,
    duplicate_requests.handle_duplicate_request: broker.handle_duplicate_request,
    requests.handle_stop_replica: broker.handle_stop_replica,
    log_dirs.mark_replicas_offline: broker.mark_replicas_offline,
    log_dirs.close_directory: broker.close_directory,
    faults.crash: broker.crash,
    faults.replace_directory: moves.replace_directory,
    administration.finish_shutdown: broker.finish_shutdown,
    lost_replies.lose_reply_to_expansion: leader.lose_reply_to_expansion,
}
"""The cluster's actions that move fetchers, and what each is with threads."""
LEFT_OUT = (replication.append, replication.truncate, replication.fetch)
"""The cluster's simple copying."""
CONTROL = tuple(
    OF_BROKERS.get(action, action)
    for action in of_cluster.KAFKA_2_5.actions
    if action not in LEFT_OUT
)
OF_FETCHERS: tuple[Action, ...] = (
    of_fetchers.break_log,
    of_fetchers.corrupt_batch,
    of_fetchers.fail_call,
    of_fetchers.lose_call,
    *of_fetching.FETCHER,
)
LEADER: tuple[Action, ...] = (
    leader.append_records_to_leader,
    leader.delete_records,
    leader.handle_offset_for_leader_epoch_request,
    leader.handle_fetch_request,
    on_fetchers(stalled_updates.stall_after_read),
    leader.record_late,
)
ON_OWN_LOGS: tuple[Action, ...] = (
    truncating.truncate_to_epoch_end_offsets,
    truncating.truncate_to_high_watermark,
    fetching.process_fetch_request,
)
"""What a thread does that writes to a log, under the lock of its partition."""
REPLICATION = LEADER + tuple(
    unless_locked(action) if action in ON_OWN_LOGS else on_fetchers(action)
    for action in OF_FETCHERS
)
MOVES: tuple[Action, ...] = (
    moves.alter_replica_log_dirs,
    on_fetchers(alter_log_dirs.shutdown_idle_replica_alter_log_dirs_thread),
)
KAFKA_2_5 = (
    Protocol("kafka-2.5.1", CONTROL + REPLICATION + MOVES)
    .replacing(of_leaders.store_isr, by=leader.store_isr)
    .replacing(
        of_leaders.maybe_increment_leader_hw, by=leader.maybe_increment_leader_hw
    )
    .replacing(
        log_replacement.replace_current_with_future_log,
        by=moves.replace_current_with_future_log,
    )
    .replacing(deletion.delete_replica, by=moves.delete_replica)
)
ENVIRONMENT: tuple[Action, ...] = (
    *(OF_BROKERS.get(action, action) for action in of_cluster.ENVIRONMENT),
    moves.alter_replica_log_dirs,
)
NEEDED: dict[str, tuple[str, ...]] = {
    **{action.__name__: needed for action, needed in ONLY_WITH.items()},
    leader.lose_reply_to_expansion.__name__: ("lost_replies",),
    **{
        action.__name__: tuple(
            bound
            for bound in of_fetching.BUDGETS[action.__name__]
            if bound in fields_dict(ComposedBounds)
        )
        for action in REPLICATION + MOVES
        if action.__name__ in of_fetching.BUDGETS
    },
}
"""For actions, by name, the bounds of which one must allow them."""


def composed_model(
    protocol: Protocol = KAFKA_2_5,
    bounds: ComposedBounds = ComposedBounds(),
    start: Composed | None = None,
) -> ProtocolModel:
    """The model of the whole under one protocol, within bounds, from one state on."""
    return ProtocolModel(
        "composed",
        protocol,
        bounds,
        with_topic,
        domains={
            BrokerId: bounds.broker_ids,
            DirectoryId: bounds.directory_ids,
            PartitionId: bounds.partition_ids,
            FetcherId: bounds_of_fetchers(bounds).fetcher_ids,
            ZooKeeperPath: tuple(ZooKeeperPath),
        },
        budgets=NEEDED,
        start=start,
    )
