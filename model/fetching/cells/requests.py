"""What the controller has told a broker, and what the broker is doing about it."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


@frozen
class Inbox:
    """LeaderAndIsr requests for one partition to one broker, in order.

    Source: ControllerChannelManager.
    """

    requests: tuple[LeaderAndIsr, ...] = ()

    def is_empty(self) -> bool:
        """Tell whether there is nothing to receive."""
        return not self.requests

    def tells_to_lead(self, broker: BrokerId) -> bool:
        """Tell whether the next request makes the broker the leader."""
        return bool(self.requests) and self.requests[0].leader == broker

    def tells_to_follow(self, broker: BrokerId) -> bool:
        """Tell whether the next request makes another the leader."""
        return bool(self.requests) and self.requests[0].leader != broker

    @property
    def epoch(self) -> Epoch:
        """The leader epoch of the next request; there must be one."""
        return self.requests[0].epoch

    @property
    def head(self) -> LeaderAndIsr:
        """The content of the next request; there must be one."""
        return self.requests[0]

    def send(self, content: LeaderAndIsr) -> Self:
        """Put a request at the end."""
        return evolve(self, requests=(*self.requests, content))

    def pop(self) -> Self:
        """Take the first request away."""
        return evolve(self, requests=self.requests[1:])


class Becoming(Enum):
    """What is left to do for a LeaderAndIsr request, or to change the pool of threads.

    Only Kafka 2.3 and 2.4 clear failures by themselves.
    """

    LEADER = "Partition.makeLeader"
    FOLLOWER = "remove and add its fetcher"
    MOVER = "add the fetcher of its future log"
    FETCHED = "failedPartitions.removeAll"
    RESIZED = "migrate partitions to the threads of now"


@frozen
class RequestHandler:
    """The one request that changes replicas of a broker, if there is one under way.

    ``offset`` is where fetching is to begin, if that was looked up before.

    Source: ReplicaManager.replicaStateChangeLock.
    """

    becoming: Becoming | None = None
    partition: PartitionId | None = None
    content: LeaderAndIsr | None = None
    offset: Offset | None = None

    def is_idle(self) -> bool:
        """Tell whether the lock is free."""
        return self.becoming is None

    def is_making(self, becoming: Becoming) -> bool:
        """Tell whether this is left to do."""
        return self.becoming is becoming

    def is_adding_a_fetcher(self) -> bool:
        """Tell whether a follower's fetcher is being replaced."""
        return self.becoming in (Becoming.FOLLOWER, Becoming.FETCHED)

    def fetched(self) -> Self:
        """The fetcher was added."""
        return evolve(self, becoming=Becoming.FETCHED)

    def begin_at(self, offset: Offset) -> Self:
        """Remember where fetching is to begin."""
        return evolve(self, offset=offset)


IDLE = RequestHandler()


@frozen
class StalledUpdate:
    """A follower's position that a handler of fetch requests has yet to record.

    ``epoch`` is that of the read; Kafka does not keep it.

    Source: ReplicaManager.updateFollowerFetchState.
    """

    follower: BrokerId | None = None
    partition: PartitionId | None = None
    offset: Offset | None = None
    epoch: Epoch | None = None

    def is_none(self) -> bool:
        """Tell whether no handler is held up."""
        return self.follower is None


NO_UPDATE = StalledUpdate()
