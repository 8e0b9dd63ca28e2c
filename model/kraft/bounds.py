"""What makes the cluster finite: its size, and a budget for each kind of event."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen
from attrs.validators import ge, in_

from replicheck.model.shared.sizes import BrokerSizes
from replicheck.model.vocabulary import BrokerId, DirectoryId


def has_replica_at_first(bounds: KraftBounds, _: Any, leader: int) -> None:
    """Refuse a first leader without a replica."""
    last = len(bounds.first_replicas) - 1
    if leader > last:
        raise ValueError(
            f"'first_leader' must be <= {last}, the last with a replica: {leader}"
        )


def is_at_most_brokers(bounds: KraftBounds, _: Any, replicas: int) -> None:
    """Refuse more replicas than there are brokers."""
    if replicas > bounds.brokers:
        raise ValueError(
            f"'replicas' must be <= {bounds.brokers}, which is brokers: {replicas}"
        )


@frozen
class KraftBounds(BrokerSizes):
    """The size of an instance, and how often each event from outside happens at most.

    Every broker has a replica, in the order of the ids; ``first_leader`` leads at
    first. ``min_isr`` is min.insync.replicas, and ``min_isr_changes`` says how often an
    operator sets another. ``eligible_leader_replicas`` and
    ``unclean_leader_election`` are 1 if they are on. ``partition_epochs`` is the
    highest partition epoch; the controller decides nothing beyond. Without
    ``controller_failovers`` each event is committed at once. ``fences`` are session
    timeouts of brokers that run.

    Each broker has as many log ``directories``, and replicas lie in the first. They are
    ``unassigned`` if that is 1: the controller does not know it yet. A directory fails
    for good; while its broker is down, an operator can take it out of log.dirs, which
    ``removed_directories`` counts. ``registration_refreshes`` are registrations of a
    process that is registered, ``failure_timeouts`` ends of processes that could not
    report a failed directory in time.

    The first ``replicas`` brokers have a replica at first, all of them if it is 0.
    ``first_partition_replicas`` is the replication factor of the topic's first
    partition if this is another one, else 0. ``elr_downgrades`` is 1 if an operator can
    switch the feature of eligible leader replicas off. ``late_answers`` are answers to
    fetches of which a follower learns later. ``moves`` are requests of an operator to
    move a replica to another directory. ``topic_creations`` are topics of the same name
    after it was deleted, ``unregistrations`` are brokers that an operator takes out.
    With ``no_op_records`` the metadata log grows for ever, by records that say nothing.
    """

    brokers: int = field(default=3, validator=ge(1))
    records: int = field(default=1, validator=ge(0))
    min_isr: int = field(default=2, validator=ge(1))
    first_leader: int = field(default=0, validator=[ge(0), has_replica_at_first])
    partition_epochs: int = field(default=4, validator=ge(0))
    eligible_leader_replicas: int = field(default=1, validator=in_((0, 1)))
    unclean_leader_election: int = field(default=0, validator=in_((0, 1)))
    crashes: int = field(default=0, validator=ge(0))
    restarts: int = field(default=0, validator=ge(0))
    lost_tails: int = field(default=0, validator=ge(0))
    shutdowns: int = field(default=0, validator=ge(0))
    fences: int = field(default=0, validator=ge(0))
    isr_shrinks: int = field(default=0, validator=ge(0))
    preferred_elections: int = field(default=0, validator=ge(0))
    unclean_elections: int = field(default=0, validator=ge(0))
    min_isr_changes: int = field(default=0, validator=ge(0))
    controller_failovers: int = field(default=0, validator=ge(0))
    directories: int = field(default=1, validator=ge(1))
    unassigned: int = field(default=0, validator=in_((0, 1)))
    directory_failures: int = field(default=0, validator=ge(0))
    removed_directories: int = field(default=0, validator=ge(0))
    registration_refreshes: int = field(default=0, validator=ge(0))
    failure_timeouts: int = field(default=0, validator=ge(0))
    replicas: int = field(default=0, validator=[ge(0), is_at_most_brokers])
    first_partition_replicas: int = field(default=0, validator=ge(0))
    reassignments: int = field(default=0, validator=ge(0))
    reassignment_cancels: int = field(default=0, validator=ge(0))
    topic_deletions: int = field(default=0, validator=ge(0))
    elr_downgrades: int = field(default=0, validator=in_((0, 1)))
    late_answers: int = field(default=0, validator=ge(0))
    moves: int = field(default=0, validator=ge(0))
    topic_creations: int = field(default=0, validator=ge(0))
    unregistrations: int = field(default=0, validator=ge(0))
    no_op_records: int = field(default=0, validator=in_((0, 1)))

    @property
    def directory_ids(self) -> tuple[DirectoryId, ...]:
        """The ids of each broker's log directories, 0 being the first."""
        return tuple(DirectoryId(directory) for directory in range(self.directories))

    @property
    def first_replicas(self) -> tuple[BrokerId, ...]:
        """The brokers that have a replica at first."""
        return self.broker_ids[: self.replicas or self.brokers]

    @property
    def first_directory(self) -> DirectoryId | None:
        """The directory of each replica as the controller knows it at first."""
        return None if self.unassigned == 1 else DirectoryId(0)

    @property
    def has_eligible_leader_replicas(self) -> bool:
        """Tell whether the controller keeps an ELR."""
        return self.eligible_leader_replicas == 1

    @property
    def allows_unclean_elections(self) -> bool:
        """Tell whether the topic's configuration allows unclean elections."""
        return self.unclean_leader_election == 1

    @property
    def moves_replicas(self) -> bool:
        """Tell whether a replica can be moved between the directories of a broker."""
        return self.moves > 0

    @property
    def writes_no_op_records(self) -> bool:
        """Tell whether the controller appends records that say nothing."""
        return self.no_op_records == 1

    @property
    def commits_at_once(self) -> bool:
        """Tell whether no event of the controller can be lost."""
        return self.controller_failovers == 0
