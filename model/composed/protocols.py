"""Kafka 2.5.1 as one protocol of controller, brokers and fetcher threads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps
from typing import Any

from attrs import evolve, field, frozen

from replicheck.model.cluster import administration, faults, lost_replies
from replicheck.model.cluster import protocols as of_cluster
from replicheck.model.cluster.broker import (
    duplicates,
    leader_and_isr,
    log_dirs,
    replication,
    requests,
)
from replicheck.model.cluster.budgets import ONLY_WITH
from replicheck.model.cluster.cells.znodes import ZooKeeperPath
from replicheck.model.composed import broker, leader
from replicheck.model.composed.bounds import Bounds, bounds_of_fetchers
from replicheck.model.composed.state import Composed, with_topic
from replicheck.model.composed.view import seen_by_fetchers, whole_of
from replicheck.model.fetching import faults as of_fetchers
from replicheck.model.fetching import leader as of_leaders
from replicheck.model.fetching import protocols as of_fetching
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.protocol import Action, Protocol
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def on_fetchers(action: Action) -> Action:
    """Return an action of the fetcher threads as one of the whole cluster."""

    @wraps(action)
    def run(cluster: Composed, *values: Any, **named: Any) -> Iterator[Composed]:
        for after in action(seen_by_fetchers(cluster), *values, **named):
            yield whole_of(after)

    return run


OF_BROKERS: dict[Action, Action] = {
    leader_and_isr.handle_leader_and_isr: broker.handle_leader_and_isr,
    duplicates.handle_late_copy: broker.handle_late_copy,
    requests.handle_stop_replica: broker.handle_stop_replica,
    log_dirs.mark_replicas_offline: broker.mark_replicas_offline,
    log_dirs.close_directory: broker.close_directory,
    faults.crash: broker.crash,
    administration.finish_shutdown: broker.finish_shutdown,
    lost_replies.lose_reply_to_expansion: leader.lose_reply_to_expansion,
}
"""The cluster's actions that move fetchers, and what each is with threads."""
LEFT_OUT = (replication.append, replication.truncate, replication.fetch)
"""The cluster's simple copying."""
CONTROL = tuple(
    OF_BROKERS.get(each, each)
    for each in of_cluster.KAFKA_2_5.actions
    if each not in LEFT_OUT
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
)
REPLICATION = LEADER + tuple(on_fetchers(each) for each in OF_FETCHERS)
KAFKA_2_5 = (
    Protocol("kafka-2.5.1", CONTROL + REPLICATION)
    .replacing(of_leaders.store_isr, by=leader.store_isr)
    .replacing(
        of_leaders.maybe_increment_leader_hw, by=leader.maybe_increment_leader_hw
    )
)
PROTOCOLS = (KAFKA_2_5,)
ENVIRONMENT: tuple[Action, ...] = tuple(
    OF_BROKERS.get(each, each) for each in of_cluster.ENVIRONMENT
)
NEEDED: dict[str, tuple[str, ...]] = {
    **{each.__name__: needed for each, needed in ONLY_WITH.items()},
    leader.lose_reply_to_expansion.__name__: ("lost_replies",),
    **{
        each.__name__: of_fetching.BUDGETS[each.__name__]
        for each in REPLICATION
        if each.__name__ in of_fetching.BUDGETS
    },
}
"""For actions, by name, the bounds of which one must allow them."""


@frozen
class ComposedModel:
    """The cluster with fetcher threads, within bounds, from one state on."""

    protocol: Protocol = KAFKA_2_5
    bounds: Bounds = field(factory=Bounds)
    start: Composed | None = None
    name: str = "composed"
    constraints: tuple[()] = ()
    symmetries: tuple[()] = ()

    @property
    def actions(self) -> tuple[Action, ...]:
        """Return the protocol's actions that the bounds allow at all."""
        return self.protocol.allowed_by(self.bounds, NEEDED)

    @property
    def domains(self) -> dict[object, tuple[object, ...]]:
        """Return what there is within the bounds, and what is watched."""
        return {
            BrokerId: self.bounds.broker_ids,
            DirectoryId: self.bounds.directory_ids,
            PartitionId: self.bounds.partition_ids,
            FetcherId: bounds_of_fetchers(self.bounds).fetcher_ids,
            ZooKeeperPath: tuple(ZooKeeperPath),
        }

    def initial_states(self) -> Iterator[Composed]:
        """Yield the one initial state, which knows the rules of the protocol."""
        start = self.start or with_topic(self.bounds)
        yield evolve(start, replacements=self.protocol.replacements)
