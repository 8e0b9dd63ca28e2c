"""A fetcher thread, what it knows of each partition, and the partitions that failed."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import evolve, frozen

from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId


class FetchingState(Enum):
    """What a thread does with a partition.  Source: ReplicaState."""

    TRUNCATING = "Truncating"
    FETCHING = "Fetching"


@frozen
class PartitionFetchState:
    """One partition in the map of one thread, if it is there.

    ``last_epoch`` is sent with fetches since Kafka 2.8. Abstraction: the delay has no
    duration; a step of its own ends it.

    Rules: F-STATE-3, F-STATE-5.  Source: PartitionFetchState.
    """

    state: FetchingState | None = None
    offset: Offset = Offset(0)
    epoch: Epoch | None = None
    is_delayed: bool = False
    last_epoch: Epoch | None = None

    def is_tracked(self) -> bool:
        """Tell whether the thread has the partition."""
        return self.state is not None

    def is_truncating(self) -> bool:
        """Tell whether the log is to be cut next."""
        return self.state is FetchingState.TRUNCATING and not self.is_delayed

    def is_ready_for_fetch(self) -> bool:
        """Tell whether records are to be fetched next."""
        return self.state is FetchingState.FETCHING and not self.is_delayed

    def is_fetching(self) -> bool:
        """Tell whether the log is cut already."""
        return self.state is FetchingState.FETCHING

    def can_be_delayed(self) -> bool:
        """Tell whether the thread has the partition, and does not wait with it."""
        return self.state is not None and not self.is_delayed

    def has_epoch(self, epoch: Epoch | None) -> bool:
        """Tell whether the partition is fetched in a leader epoch."""
        return self.epoch == epoch

    def is_tracked_in(self, epoch: Epoch) -> bool:
        """Tell whether the thread has the partition, in a leader epoch."""
        return self.is_tracked() and self.epoch == epoch

    def is_at(self, offset: Offset) -> bool:
        """Tell whether the next record is fetched from an offset."""
        return self.offset == offset

    def truncated(self, offset: Offset, is_completed: bool) -> Self:
        """Go on at the offset to which the log was cut; epoch and delay stay.

        Rules: F-UPD, F-DELAY-2.
        Source: AbstractFetcherThread.updateFetchOffsetAndMaybeMarkTruncationComplete.
        """
        state = FetchingState.FETCHING if is_completed else FetchingState.TRUNCATING
        return evolve(self, offset=offset, state=state)

    def fetched_up_to(self, offset: Offset) -> Self:
        """Go on above what was appended, or where an offset was reset to.

        Rules: F-PPD-5, F-OOR, F-DELAY-2.
        Source: AbstractFetcherThread.processFetchRequest,
        AbstractFetcherThread.handleOutOfRangeError.
        """
        return evolve(
            self, offset=offset, state=FetchingState.FETCHING, is_delayed=False
        )

    def in_epoch(self, epoch: Epoch) -> Self:
        """Be fetched in another leader epoch, all else being as it is.

        Kafka never does this (F-STATE-5).
        """
        return evolve(self, epoch=epoch)

    def marked(self, offset: Offset) -> Self:
        """Be cut once more, at an offset if the thread is above; epoch and delay stay.

        Rules: F-MARK, F-DELAY-2.
        Source: AbstractFetcherThread.markPartitionsForTruncation.
        """
        least = min(offset, self.offset)
        return evolve(self, offset=least, state=FetchingState.TRUNCATING)

    def with_last_epoch(self, epoch: Epoch | None) -> Self:
        """Set the epoch that is sent with the next fetch."""
        return evolve(self, last_epoch=epoch)

    def delay(self) -> Self:
        """Leave the partition alone for a while."""
        return evolve(self, is_delayed=True)

    def expire(self) -> Self:
        """The while is over."""
        return evolve(self, is_delayed=False)


UNTRACKED = PartitionFetchState()


@frozen
class PartitionOrder:
    """The order of the partitions in a thread's map, which is that of its requests.

    Rules: F-STATE-1.  Source: PartitionStates.
    """

    partitions: tuple[PartitionId, ...] = ()

    def move_to_end(self, partition: PartitionId) -> Self:
        """Put a partition, which may be new, behind all others."""
        return type(self)((*self.remove(partition).partitions, partition))

    def remove(self, partition: PartitionId) -> Self:
        """Drop a partition, if it is there."""
        kept = tuple(kept for kept in self.partitions if kept != partition)
        return type(self)(kept)

    def sort(self) -> Self:
        """Forget the order.

        Abstraction: Kafka's order is then that of a hash table (F-STATE-2).
        """
        return type(self)(tuple(sorted(self.partitions)))


class ThreadPhase(Enum):
    """Where a thread is in its loop, or that it has none."""

    ABSENT = "no thread"
    MAYBE_TRUNCATE = "before maybeTruncate"
    EPOCHS_ASKED = "awaits epoch end offsets"
    EPOCHS_ANSWERED = "has epoch end offsets"
    TO_HIGH_WATERMARK = "before truncateToHighWatermark"
    MAYBE_FETCH = "before maybeFetch"
    FETCH_ASKED = "awaits records"
    FETCH_ANSWERED = "has records"
    ON_FETCH_RESPONSE = "before truncateOnFetchResponse"
    DEAD = "ended by an error"


@frozen
class FetcherThread:
    """One thread: where it is in its loop.

    Rules: F-LOOP-1, F-THREAD-1.  Source: AbstractFetcherThread.doWork.
    """

    phase: ThreadPhase = ThreadPhase.ABSENT

    def is_at(self, phase: ThreadPhase) -> bool:
        """Tell whether the thread is somewhere in its loop."""
        return self.phase is phase

    def exists(self) -> bool:
        """Tell whether the manager has the thread, be it dead."""
        return self.phase is not ThreadPhase.ABSENT

    def is_running(self) -> bool:
        """Tell whether the thread is somewhere in its loop, and not dead."""
        return self.phase not in (ThreadPhase.ABSENT, ThreadPhase.DEAD)


@frozen
class FailedPartitions:
    """The partitions that no thread of a manager tries any more, until it is told to.

    Rules: F-FAIL-1.  Source: FailedPartitions.
    """

    partitions: frozenset[PartitionId] = frozenset()

    def has(self, partition: PartitionId) -> bool:
        """Tell whether a partition failed."""
        return partition in self.partitions

    def add(self, partition: PartitionId) -> Self:
        """Remember that a partition failed."""
        return evolve(self, partitions=self.partitions | {partition})

    def remove(self, partition: PartitionId) -> Self:
        """Forget that a partition failed, if it did."""
        return evolve(self, partitions=self.partitions - {partition})


@frozen
class InitialFetchState:
    """Where a partition is fetched from, and how.  Source: InitialFetchState."""

    leader: BrokerId
    partition: PartitionId
    epoch: Epoch
    offset: Offset


@frozen
class FetcherPool:
    """How many threads a broker has for each leader; what is noted while that changes.

    Source: AbstractFetcherManager.numFetchersPerBroker.
    """

    size: int
    states: tuple[InitialFetchState, ...] = ()

    def has_size(self, size: int) -> bool:
        """Tell whether there are so many threads."""
        return self.size == size

    def resize(self, size: int, states: tuple[InitialFetchState, ...]) -> Self:
        """Have so many threads, and remember what is to be added to them."""
        return evolve(self, size=size, states=states)

    def settle(self) -> Self:
        """Everything was added."""
        return evolve(self, states=())
