"""What a thread has asked its leader of a partition, and the answer on its way."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.fetching.cells.log import EpochEnd
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import Epoch, Offset


class Error(Enum):
    """How a broker, or the lack of one, answers of a partition.  Source: Errors."""

    NONE = "NONE"
    STORAGE_ERROR = "KAFKA_STORAGE_ERROR"
    UNKNOWN_SERVER_ERROR = "UNKNOWN_SERVER_ERROR"
    NOT_LEADER = "NOT_LEADER_FOR_PARTITION"
    FENCED_LEADER_EPOCH = "FENCED_LEADER_EPOCH"
    UNKNOWN_LEADER_EPOCH = "UNKNOWN_LEADER_EPOCH"
    OFFSET_OUT_OF_RANGE = "OFFSET_OUT_OF_RANGE"
    NETWORK = "no answer"


@frozen
class EpochAsked:
    """Asks where the follower's latest epoch ends.

    ``current_epoch`` is that in which the follower fetches.

    Source: OffsetsForLeaderEpochRequest.PartitionData.
    """

    current_epoch: Epoch
    epoch: Epoch


@frozen
class NoEpoch:
    """Asks nothing: the follower knows no epoch, and cuts to its high watermark.

    Kafka 2.5.1 does not remember in which epoch it fetches (K-9).
    """

    current_epoch: Epoch | None = None


@frozen
class FetchAsked:
    """Asks for records from an offset on.  Source: FetchRequest.PartitionData.

    ``last_epoch`` is that of the record below; Kafka 2.5.1 does not send it.
    """

    current_epoch: Epoch
    offset: Offset
    last_epoch: Epoch | None = None


@frozen
class EpochAnswer:
    """Says where an epoch ends.  Source: EpochEndOffset."""

    error: Error
    found: EpochEnd = EpochEnd()


@frozen
class FetchAnswer:
    """Brings at most one record.  Source: FetchResponse.PartitionData.

    ``diverging`` is where the follower is to cut its log, if it asked for that.
    """

    error: Error
    record: Record | None = None
    high_watermark: Offset = Offset(0)
    start_offset: Offset = Offset(0)
    is_corrupt: bool = False
    diverging: EpochEnd | None = None


@frozen
class Call:
    """One partition in the one request that a thread has under way."""

    request: EpochAsked | NoEpoch | FetchAsked | None = None
    answer: EpochAnswer | FetchAnswer | None = None

    def asks_epoch(self) -> bool:
        """Tell whether the end of an epoch was asked."""
        return isinstance(self.request, EpochAsked)

    def asks_records(self) -> bool:
        """Tell whether records were asked."""
        return isinstance(self.request, FetchAsked)

    def is_without_epoch(self) -> bool:
        """Tell whether the log is to be cut to the high watermark."""
        return isinstance(self.request, NoEpoch)

    def has_record(self) -> bool:
        """Tell whether a record is on its way, and good so far."""
        answer = self.answer
        if not isinstance(answer, FetchAnswer) or answer.is_corrupt:
            return False
        return answer.record is not None

    def is_diverging(self) -> bool:
        """Tell whether an answer says where to cut the log."""
        return isinstance(self.answer, FetchAnswer) and (
            self.answer.diverging is not None
        )

    def reply(self, answer: EpochAnswer | FetchAnswer) -> Self:
        """Put an answer on its way."""
        return evolve(self, answer=answer)

    def corrupt(self) -> Self:
        """Damage the record that is on its way."""
        assert isinstance(self.answer, FetchAnswer), "a record is on its way"
        return evolve(self, answer=evolve(self.answer, is_corrupt=True))


NO_CALL = Call()
