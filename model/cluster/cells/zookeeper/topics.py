"""The znodes of a topic: its replicas, those asked for, and the mark of deletion."""

from __future__ import annotations

from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import BrokerId


@frozen
class Assignment:
    """The replicas of a partition, with the added and the removed replicas.

    Rules: Z-ASG-1.  Source: ReplicaAssignment.
    """

    replicas: tuple[BrokerId, ...] = ()
    adding: tuple[BrokerId, ...] = ()
    removing: tuple[BrokerId, ...] = ()

    @property
    def is_changing(self) -> bool:
        """Tell whether a replica is added or removed."""
        return len(self.adding) + len(self.removing) > 0

    @property
    def origin(self) -> tuple[BrokerId, ...]:
        """The replicas without the added replicas."""
        return tuple(broker for broker in self.replicas if broker not in self.adding)

    @property
    def target(self) -> tuple[BrokerId, ...]:
        """The replicas without the removed replicas."""
        return tuple(broker for broker in self.replicas if broker not in self.removing)

    def reassign_to(self, target: tuple[BrokerId, ...]) -> Assignment:
        """The assignment that moves to other replicas, which come first.

        Rules: C-REASG-1.  Source: ReplicaAssignment.reassignTo.
        """
        origin = self.origin
        replicas = (*target, *(broker for broker in origin if broker not in target))
        adding = tuple(broker for broker in replicas if broker not in origin)
        removing = tuple(broker for broker in replicas if broker not in target)
        return Assignment(replicas, adding, removing)


UNASSIGNED = Assignment()
"""That of a partition that does not exist."""


@frozen
class TopicNode:
    """``/brokers/topics/<topic>``: the replicas of its one partition, in order.

    The first replica is the preferred one; a topic without replicas does not exist.
    ``is_marked`` is ``/admin/delete_topics/<topic>``; a topic that ``was_deleted`` is
    created again only as often as the bounds say. ``requested`` is the entry of the
    partition in ``/admin/reassign_partitions``, empty if there is none.

    Rules: Z-ASG-1, Z-DEL-1, Z-REASG-1.
    Source: ZkData.TopicZNode, ZkData.DeleteTopicsTopicZNode.
    """

    assignment: Assignment = UNASSIGNED
    requested: tuple[BrokerId, ...] = ()
    is_marked: bool = False
    was_deleted: bool = False

    @property
    def replicas(self) -> tuple[BrokerId, ...]:
        """The brokers that are to have a replica."""
        return self.assignment.replicas

    @property
    def exists(self) -> bool:
        """Tell whether there is such a topic."""
        return len(self.replicas) > 0

    def is_changing(self) -> bool:
        """Tell whether the partition is being reassigned."""
        return self.assignment.is_changing

    def assigns(self, broker: BrokerId) -> bool:
        """Tell whether a broker is to have a replica."""
        return broker in self.replicas

    def prefers(self, broker: BrokerId) -> bool:
        """Tell whether a broker has the preferred replica."""
        return self.replicas[:1] == (broker,)

    def create(self, replicas: tuple[BrokerId, ...]) -> Self:
        """Create the znode with the assignment."""
        return evolve(self, assignment=Assignment(replicas))

    def assign(self, assignment: Assignment) -> Self:
        """Store which replicas there are to be."""
        return evolve(self, assignment=assignment)

    def request(self, target: tuple[BrokerId, ...]) -> Self:
        """Ask for other replicas, or drop that with none."""
        return evolve(self, requested=target)

    def mark(self) -> Self:
        """Mark the topic for deletion."""
        return evolve(self, is_marked=True)

    def unmark(self) -> Self:
        """Delete the marker."""
        return evolve(self, is_marked=False)

    def delete(self) -> Self:
        """Delete the znode; the marker stays."""
        return evolve(self, assignment=Assignment(), was_deleted=True)
