"""What the exchange consists of: the state and the values of its cells."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, field, frozen

from replicheck.model.alter_isr.bounds import AlterIsrBounds
from replicheck.model.rules import Replacements
from replicheck.model.shared.budgets import Budgets
from replicheck.model.state_base import Cells
from replicheck.model.vocabulary import BrokerId, Epoch

LEADER = BrokerId(0)


@frozen
class StoredIsr:
    """The ISR of one leader epoch, and how often it was written.

    Source: LeaderAndIsr.
    """

    isr: frozenset[BrokerId]
    epoch: Epoch = Epoch(0)
    version: int = 0

    def is_as_wanted(self, isr: frozenset[BrokerId], epoch: Epoch) -> bool:
        """Tell whether this is what a proposal asks for."""
        return self.isr == isr and self.epoch == epoch

    def write(self, isr: frozenset[BrokerId]) -> Self:
        """The stored partition after a leader's change."""
        return evolve(self, isr=isr, version=self.version + 1)

    def bump(self) -> Self:
        """The stored partition after the controller gave a new epoch."""
        return evolve(self, epoch=Epoch(self.epoch + 1), version=self.version + 1)


class Refusal(Enum):
    """Why a proposal is refused."""

    FENCED = "FENCED_LEADER_EPOCH"
    INVALID_VERSION = "INVALID_UPDATE_VERSION"
    NOT_CONTROLLER = "NOT_CONTROLLER"


@frozen
class IsrState:
    """What the leader knows: the ISR, and the one that it proposed, if any.

    While a change is in flight a record is committed only when all have it that are
    in either ISR.

    Source: Partition.isrState, IsrState.
    """

    committed: StoredIsr
    proposed: frozenset[BrokerId] | None = None
    end: int = 0
    high_watermark: int = 0

    def has_in_flight(self) -> bool:
        """Tell whether a change is in flight."""
        return self.proposed is not None

    def counts_in_sync(self, broker: BrokerId) -> bool:
        """Tell whether a broker is in the committed ISR."""
        return broker in self.committed.isr

    @property
    def maximal_isr(self) -> frozenset[BrokerId]:
        """The maximal ISR: all that must have a record before it is committed."""
        return self.committed.isr | (self.proposed or frozenset())

    def append(self) -> Self:
        """Have one record more."""
        return evolve(self, end=self.end + 1)

    def propose(self, isr: frozenset[BrokerId]) -> Self:
        """Have a change in flight."""
        return evolve(self, proposed=isr)

    def commit(self, content: StoredIsr) -> Self:
        """Know what is stored; nothing is in flight any more."""
        return evolve(self, committed=content, proposed=None)

    def raise_high_watermark(self) -> Self:
        """Commit every record."""
        return evolve(self, high_watermark=self.end)


@frozen
class Proposal:
    """One partition in an AlterIsr request.

    Source: AlterIsrItem.
    """

    isr: frozenset[BrokerId]
    epoch: Epoch
    version: int


@frozen
class AlterIsrManager:
    """The leader's AlterIsr manager: what waits, what was sent, and what came back.

    An entry waits until it was answered. At most one request is on its way.

    Source: DefaultAlterIsrManager.
    """

    waiting: Proposal | None = None
    sent: Proposal | None = None
    answer: StoredIsr | Refusal | None = None

    def has_waiting(self) -> bool:
        """Tell whether the entry of the partition is taken."""
        return self.waiting is not None

    def has_sent(self) -> bool:
        """Tell whether a request is on its way or answered."""
        return self.sent is not None

    def is_answered(self) -> bool:
        """Tell whether an answer is there."""
        return self.answer is not None

    def enqueue(self, proposal: Proposal) -> Self:
        """Take up a proposal."""
        return evolve(self, waiting=proposal)

    def forget_waiting(self) -> Self:
        """Let another proposal be taken up."""
        return evolve(self, waiting=None)

    def send(self) -> Self:
        """Send what waits."""
        return evolve(self, sent=self.waiting)

    def reply(self, answer: StoredIsr | Refusal) -> Self:
        """Have the controller's answer."""
        return evolve(self, answer=answer)

    def lose_answer(self) -> Self:
        """Send the request once more, as no answer came."""
        return evolve(self, answer=None)

    def finish(self) -> Self:
        """Be ready for the next request."""
        return evolve(self, sent=None, answer=None)


@frozen
class Controller:
    """The controller that the leader knows: its memory, and whether it was deposed.

    Source: ControllerContext.partitionLeadershipInfo.
    """

    cached: StoredIsr
    is_deposed: bool = False

    def cache(self, content: StoredIsr) -> Self:
        """Remember what is stored."""
        return evolve(self, cached=content)

    def depose(self) -> Self:
        """Be the controller no more, and not know it."""
        return evolve(self, is_deposed=True)


@frozen
class StoredPartition:
    """The partition's znode.

    Source: TopicPartitionStateZNode.
    """

    content: StoredIsr


@frozen
class Follower:
    """Whether a broker has all records; the leader always has."""

    is_complete: bool = True

    def lacks_records(self) -> bool:
        """Tell whether a record is missing."""
        return not self.is_complete


@frozen
class Announcement:
    """A LeaderAndIsr request that is on its way to the leader, if there is one."""

    content: StoredIsr | None = None

    def is_there(self) -> bool:
        """Tell whether a request is on its way."""
        return self.content is not None


@frozen
class ExchangeFaults(Budgets):
    """How often each fault can still happen."""

    epoch_bumps: int
    controller_moves: int
    lost_answers: int


@frozen
class Exchange(Cells):
    """The whole state.

    ``replicas`` has one cell for each broker.
    """

    bounds: AlterIsrBounds = field(eq=False)
    stored: StoredPartition
    controller: Controller
    partition: IsrState
    manager: AlterIsrManager
    announced: Announcement
    replicas: tuple[Follower, ...]
    faults: ExchangeFaults
    replacements: Replacements = field(default=(), eq=False)

    def behind(self) -> frozenset[BrokerId]:
        """The brokers that lack a record."""
        return frozenset(
            broker
            for broker in self.bounds.broker_ids
            if self.replicas[broker].lacks_records()
        )


def in_sync(bounds: AlterIsrBounds) -> Exchange:
    """All are in sync, there are no records, and nothing is under way."""
    brokers = frozenset(bounds.broker_ids)
    content = StoredIsr(brokers)
    return Exchange(
        bounds=bounds,
        stored=StoredPartition(content),
        controller=Controller(content),
        partition=IsrState(content),
        manager=AlterIsrManager(),
        announced=Announcement(),
        replicas=tuple(Follower() for _ in bounds.broker_ids),
        faults=ExchangeFaults(
            bounds.epoch_bumps, bounds.controller_moves, bounds.lost_answers
        ),
    )
