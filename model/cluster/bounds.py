"""What makes the cluster finite: its size, and a budget for each kind of fault."""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import ge, in_

from replicheck.model.shared.sizes import ReplicaSizes
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
)


@frozen
class Bounds(ReplicaSizes):
    """The size of an instance, and how often each fault happens at most.

    A fault with budget 0 is no action of the model. ``metadata`` is 1 if controllers
    send UpdateMetadata requests, and 0 if every broker knows all others at all times;
    ``isr_notifications`` is 1 if leaders tell controllers of ISRs that they stored;
    ``acknowledgements`` is 1 if producers wait until all in sync have their records;
    ``min_isr`` is min.insync.replicas.
    Each partition is the only one of its topic; the last ``spare_brokers`` brokers have
    no replica in the beginning. ``unclean_leader_election`` is set for all topics.
    """

    brokers: int = field(default=3, validator=ge(1))
    directories: int = field(default=2, validator=ge(1))
    partitions: int = field(default=1, validator=ge(1))
    spare_brokers: int = field(default=0, validator=ge(0))
    records: int = field(default=0, validator=ge(0))
    metadata: int = field(default=0, validator=in_((0, 1)))
    isr_notifications: int = field(default=0, validator=in_((0, 1)))
    acknowledgements: int = field(default=0, validator=in_((0, 1)))
    min_isr: int = field(default=1, validator=ge(1))
    directory_failures: int = field(default=0, validator=ge(0))
    crashes: int = field(default=0, validator=ge(0))
    restarts: int = field(default=0, validator=ge(0))
    replacements: int = field(default=0, validator=ge(0))
    controller_moves: int = field(default=0, validator=ge(0))
    isr_shrinks: int = field(default=0, validator=ge(0))
    session_expiries: int = field(default=0, validator=ge(0))
    duplicates: int = field(default=0, validator=ge(0))
    lost_replies: int = field(default=0, validator=ge(0))
    preferred_directories: int = field(default=0, validator=ge(0))
    unclean_leader_election: int = field(default=0, validator=in_((0, 1)))
    preferred_elections: int = field(default=0, validator=ge(0))
    unclean_elections: int = field(default=0, validator=ge(0))
    shutdowns: int = field(default=0, validator=ge(0))
    late_shutdowns: int = field(default=0, validator=ge(0))
    topic_deletions: int = field(default=0, validator=ge(0))
    topic_recreations: int = field(default=0, validator=ge(0))
    reassignments: int = field(default=0, validator=ge(0))
    cancellations: int = field(default=0, validator=ge(0))
    caught_up_followers: int = field(default=0, validator=ge(0))

    @property
    def allows_unclean_elections(self) -> bool:
        """Tell whether a replica that is not in sync can come to lead."""
        return self.unclean_leader_election + self.unclean_elections > 0

    @property
    def first_broker_epoch(self) -> BrokerEpoch:
        """The epoch in which every broker is registered at the beginning."""
        return BrokerEpoch(1)

    @property
    def first_controller_epoch(self) -> ControllerEpoch:
        """The epoch of the first controller."""
        return ControllerEpoch(1)

    @property
    def assignment(self) -> tuple[BrokerId, ...]:
        """The brokers, at least one, that have a replica of every partition."""
        return self.broker_ids[: max(1, self.brokers - self.spare_brokers)]
