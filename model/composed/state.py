"""The cells of the cluster with fetcher threads, and the state in which runs begin."""

from __future__ import annotations

from typing import Any, Self

from attrs import fields, frozen

from replicheck.model.cluster import state as of_cluster
from replicheck.model.composed.bounds import ComposedBounds, bounds_of_fetchers
from replicheck.model.fetching import state as of_fetching
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import Call
from replicheck.model.fetching.cells.fetch_state import (
    FailedPartitions,
    FetcherThread,
    FetchingState,
    PartitionFetchState,
    PartitionOrder,
    ThreadPhase,
)
from replicheck.model.fetching.cells.future_log import FutureLog
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.cells.offset_log import OffsetLog
from replicheck.model.fetching.cells.requests import StalledUpdate
from replicheck.model.fetching.initial_states import without_leader
from replicheck.model.vocabulary import (
    DirectoryId,
    Epoch,
    Offset,
    PartitionId,
    RecordId,
)


@frozen
class DirectoryLog(OffsetLog):
    """A log with its cache of leader epochs in one directory, if there is one."""

    exists: bool = False

    def has_records(self) -> bool:
        """Tell whether there is any record."""
        return len(self.records) > 0

    def holds(self, record: RecordId) -> bool:
        """Tell whether the record with this id is in the log."""
        return any(kept is not None and kept.id == record for kept in self.records)

    @classmethod
    def of(cls, log: PartitionLog) -> Self:
        """A log with the same records and epochs, which is there."""
        return cls(log.records, log.epochs, log.is_broken, exists=True)

    def create(self) -> Self:
        """Create an empty log."""
        return type(self)(exists=True)


@frozen(kw_only=True)
class Composed(of_cluster.Cluster):
    """The cells of the cluster, and those of the fetcher threads.

    ``fetchers`` say only which leader a broker was told to fetch from, in which epoch;
    ``logs`` are `DirectoryLog`. The other families are those of the fetching brokers.
    """

    fetcher_threads: tuple[tuple[tuple[FetcherThread, ...], ...], ...]
    fetch_states: tuple[tuple[tuple[tuple[PartitionFetchState, ...], ...], ...], ...]
    calls: tuple[tuple[tuple[tuple[Call, ...], ...], ...], ...]
    orders: tuple[tuple[tuple[PartitionOrder, ...], ...], ...]
    failed: tuple[FailedPartitions, ...]
    future_logs: tuple[tuple[FutureLog, ...], ...]
    failed_moves: tuple[FailedPartitions, ...]
    in_progress: tuple[tuple[PartitionId | None, ...], ...]
    stalled: tuple[StalledUpdate, ...]
    fetcher_faults: of_fetching.FetchingFaults


def without_topic(bounds: ComposedBounds) -> Composed:
    """All brokers run, and there is no topic yet, and no thread."""
    return _with_idle_fetchers(of_cluster.without_topic(bounds), bounds)


def with_topic(bounds: ComposedBounds) -> Composed:
    """Every topic was created, broker 0 leads, and all other replicas fetch from it."""
    whole = _with_idle_fetchers(of_cluster.with_topic(bounds), bounds)
    leader, *followers = bounds.assignment
    fetch_state = PartitionFetchState(FetchingState.FETCHING, Offset(0), Epoch(0))
    for partition in bounds.partition_ids:
        fetcher = FetcherId(partition % bounds.fetchers)
        place = (leader, partition, DirectoryId(partition % bounds.directories))
        leads = DirectoryLog(exists=True).assign(Epoch(0), Offset(0))
        whole = whole.evolve(logs={place: leads})
        for follower in followers:
            thread = (follower, leader, fetcher)
            whole = whole.evolve(
                fetcher_threads={thread: FetcherThread(ThreadPhase.MAYBE_TRUNCATE)},
                fetch_states={(*thread, partition): fetch_state},
            )
            if bounds.fetch_size:
                order = whole.orders[follower][leader][fetcher].move_to_end(partition)
                whole = whole.evolve(orders={thread: order})
    return whole


def _with_idle_fetchers(
    cluster: of_cluster.Cluster, bounds: ComposedBounds
) -> Composed:
    idle = without_leader(bounds_of_fetchers(bounds))
    cells: dict[str, Any] = {
        cell.name: getattr(cluster, cell.name) for cell in fields(of_cluster.Cluster)
    }
    cells["logs"] = tuple(
        tuple(
            tuple(DirectoryLog(exists=stored.exists) for stored in directories)
            for directories in of_broker
        )
        for of_broker in cluster.logs
    )
    return Composed(
        **cells,
        fetcher_threads=idle.threads,
        fetch_states=idle.fetch_states,
        calls=idle.calls,
        orders=idle.orders,
        failed=idle.failed,
        future_logs=idle.future_logs,
        failed_moves=idle.failed_moves,
        in_progress=idle.in_progress,
        stalled=idle.stalled,
        fetcher_faults=idle.faults,
    )
