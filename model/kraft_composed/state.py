"""The cells of the cluster in KRaft mode, and those of the fetcher threads."""

from __future__ import annotations

from typing import Any, cast

from attrs import fields, frozen

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import Call
from replicheck.model.fetching.cells.fetch_state import (
    FailedPartitions,
    FetcherThread,
    FetchingState,
    PartitionFetchState,
    ThreadPhase,
)
from replicheck.model.fetching.cells.offset_log import OffsetLog
from replicheck.model.fetching.initial_states import without_leader
from replicheck.model.fetching.state import FetchingFaults
from replicheck.model.kraft import state as of_kraft
from replicheck.model.kraft_composed.bounds import (
    KraftComposedBounds,
    bounds_of_fetchers,
)
from replicheck.model.shared.records import Log
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, PartitionId

PARTITION = PartitionId(0)
"""The one partition of the topic, as threads name it."""


@frozen(kw_only=True)
class KraftComposed(of_kraft.KraftCluster):
    """The cells of the cluster in KRaft mode, and those of the fetcher threads.

    ``logs`` are `OffsetLog`. ``fetchers``, ``moves`` and the late answers of the former
    stay as they are. The other families are those of the fetching brokers.
    """

    threads: tuple[tuple[tuple[FetcherThread, ...], ...], ...]
    fetch_states: tuple[tuple[tuple[tuple[PartitionFetchState, ...], ...], ...], ...]
    calls: tuple[tuple[tuple[tuple[Call, ...], ...], ...], ...]
    failed: tuple[FailedPartitions, ...]
    fetcher_faults: FetchingFaults

    def empty_log(self) -> Log:
        """A log without records, and without epochs."""
        return cast(Log, OffsetLog())


def everyone_in_sync(bounds: KraftComposedBounds) -> KraftComposed:
    """All brokers are unfenced, all replicas in sync; they fetch from one leader."""
    cluster = of_kraft.everyone_in_sync(bounds)
    idle = without_leader(bounds_of_fetchers(bounds))
    cells: dict[str, Any] = {
        cell.name: getattr(cluster, cell.name) for cell in fields(of_kraft.KraftCluster)
    }
    cells["logs"] = tuple(OffsetLog() for _ in bounds.broker_ids)
    leader = BrokerId(bounds.first_leader)
    whole = KraftComposed(
        **cells,
        threads=idle.threads,
        fetch_states=idle.fetch_states,
        calls=idle.calls,
        failed=idle.failed,
        fetcher_faults=idle.faults,
    )
    whole = whole.evolve(logs={leader: OffsetLog().assign(Epoch(0), Offset(0))})
    fetching = PartitionFetchState(FetchingState.FETCHING, Offset(0), Epoch(0))
    for follower in bounds.first_replicas:
        if follower != leader:
            thread = (follower, leader, FetcherId(0))
            whole = whole.evolve(
                threads={thread: FetcherThread(ThreadPhase.MAYBE_TRUNCATE)},
                fetch_states={(*thread, PARTITION): fetching},
            )
    return whole
