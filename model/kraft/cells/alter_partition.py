"""AlterPartition requests: what a leader asks, and what it is answered."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, Epoch, TopicId


class AlterPartitionError(Enum):
    """Why the controller refuses a change of the ISR."""

    UNKNOWN_TOPIC_ID = "UNKNOWN_TOPIC_ID"
    NOT_CONTROLLER = "NOT_CONTROLLER"
    STALE_BROKER_EPOCH = "STALE_BROKER_EPOCH"
    FENCED_LEADER_EPOCH = "FENCED_LEADER_EPOCH"
    INVALID_REQUEST = "INVALID_REQUEST"
    INVALID_UPDATE_VERSION = "INVALID_UPDATE_VERSION"
    NEW_LEADER_ELECTED = "NEW_LEADER_ELECTED"
    INELIGIBLE_REPLICA = "INELIGIBLE_REPLICA"


@frozen
class AlterPartitionRequest:
    """One partition in an AlterPartition request.

    ``member_epochs`` has the broker epoch of each member's last fetch, and None for
    those that have not fetched; the leader is not among them.

    Source: AlterPartitionItem.
    """

    broker_epoch: BrokerEpoch | None
    leader_epoch: Epoch
    partition_epoch: int
    isr: frozenset[BrokerId]
    member_epochs: frozenset[tuple[BrokerId, BrokerEpoch | None]]
    topic_id: TopicId = TopicId(0)


@frozen
class AlterPartitionChannel:
    """The one request of a broker that is not answered yet, and its answer.

    The answer is held back until the metadata log is committed up to ``answer_offset``.

    Source: DefaultAlterPartitionManager.
    """

    request: AlterPartitionRequest | None = None
    answer: PartitionRegistration | AlterPartitionError | None = None
    answer_offset: int = 0

    def is_free(self) -> bool:
        """Tell whether a request can be submitted."""
        return self.request is None

    def awaits_controller(self) -> bool:
        """Tell whether a request is on its way to the controller."""
        return self.request is not None and self.answer is None

    def is_answered(self, committed: int) -> bool:
        """Tell whether the answer can be given."""
        return self.answer is not None and self.answer_offset <= committed

    def submit(self, request: AlterPartitionRequest) -> Self:
        """The channel with a request on its way."""
        return evolve(self, request=request)

    def reply(
        self, answer: PartitionRegistration | AlterPartitionError, offset: int
    ) -> Self:
        """The channel with an answer, held back until an offset is committed."""
        return evolve(self, answer=answer, answer_offset=offset)

    def send_again(self) -> Self:
        """The channel with the request on its way again, if there is one."""
        return evolve(self, answer=None, answer_offset=0)
