"""What the controller has told a broker, and what the broker is doing about it."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.cluster.cells.znodes import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, Epoch, PartitionId


@frozen
class Inbox:
    """LeaderAndIsr requests for one partition that one broker can still receive.

    They may come late, and an older one not at all; what is older than a request that
    came is dropped, since it would be refused (B-LAI-1).
    """

    requests: tuple[LeaderAndIsr, ...] = ()

    def tells_to_lead(self, broker: BrokerId, epoch: Epoch) -> bool:
        """Tell whether a request makes the broker the leader in an epoch."""
        return any(r.epoch == epoch and r.leader == broker for r in self.requests)

    def tells_to_follow(self, broker: BrokerId, epoch: Epoch) -> bool:
        """Tell whether a request makes another the leader in an epoch."""
        return any(r.epoch == epoch and r.leader != broker for r in self.requests)

    def content_in(self, epoch: Epoch) -> LeaderAndIsr:
        """Return what the request of an epoch says."""
        return next(each for each in self.requests if each.epoch == epoch)

    def send(self, content: LeaderAndIsr) -> Self:
        """Add a request."""
        return evolve(self, requests=(*self.requests, content))

    def drop_up_to(self, epoch: Epoch) -> Self:
        """Forget the request of an epoch, and all older ones."""
        kept = tuple(each for each in self.requests if each.epoch > epoch)
        return evolve(self, requests=kept)


class Becoming(Enum):
    """What is left to do for a LeaderAndIsr request."""

    LEADER = "Partition.makeLeader"
    FOLLOWER = "remove and add its fetcher"


@frozen
class RequestHandler:
    """The one request that changes replicas of a broker, if there is one under way.

    Source: ReplicaManager.replicaStateChangeLock.
    """

    becoming: Becoming | None = None
    partition: PartitionId | None = None
    content: LeaderAndIsr | None = None

    def is_idle(self) -> bool:
        """Tell whether the lock is free."""
        return self.becoming is None

    def is_making(self, becoming: Becoming) -> bool:
        """Tell what is left to do."""
        return self.becoming is becoming


IDLE = RequestHandler()
