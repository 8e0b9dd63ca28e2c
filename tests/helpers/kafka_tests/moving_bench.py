"""A broker that moves its logs, worked step by step as Kafka's tests do."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from kafka_tests.vectors import log_of
from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.broker import epoch_requests, fetch_requests
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.cells.future_log import FutureLog
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
)
from replicheck.model.fetching.initial_states import with_leader
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching, truncating
from replicheck.model.vocabulary import (
    BrokerId,
    DirectoryId,
    Epoch,
    Offset,
    PartitionId,
)

LEADER, FOLLOWER = BrokerId(0), BrokerId(1)
FIRST, SECOND = PartitionId(0), PartitionId(1)
MOVER = ThreadId(LEADER, LEADER, FetcherId(0))
PHASES: tuple[Callable[..., object], ...] = (
    truncating.fetch_truncating_partitions,
    epoch_requests.handle_offset_for_leader_epoch_request,
    truncating.truncate_to_epoch_end_offsets,
    truncating.truncate_to_high_watermark,
    fetching.maybe_fetch,
    fetch_requests.handle_fetch_request,
    fetching.process_fetch_request,
)


def moving(
    current: str, future: str, epoch: int = 5, partitions: int = 1, offset: int = 0
) -> Brokers:
    """A broker that moves its logs; its replica is in ``epoch``."""
    bounds = FetchingBounds(
        brokers=1, partitions=partitions, directories=2, moves=partitions
    )
    cluster = with_leader(bounds)
    for partition in bounds.partition_ids:
        replica = evolve(cluster.replicas[LEADER][partition], epoch=Epoch(epoch))
        directory = DirectoryId(1 - cluster.locations[LEADER][partition])
        at = (LEADER, partition)
        cluster = cluster.evolve(
            replicas={at: replica},
            logs={at: log_of(current)},
            future_logs={at: FutureLog(directory, log_of(future))},
        )
        cluster = add(cluster, partition, epoch, offset)
    return cluster


def add(cluster: Brokers, partition: PartitionId, epoch: int, offset: int) -> Brokers:
    """Add a partition to the thread that moves logs."""
    return add_fetcher_for_partitions(
        cluster, LEADER, partition, LEADER, Epoch(epoch), Offset(offset)
    )


def work(cluster: Brokers, until: ThreadPhase | None = None) -> Brokers:
    """Let the thread go once through its loop, or up to a place in it."""
    for phase in PHASES:
        if until is not None and cluster.thread(MOVER).is_at(until):
            return cluster
        after = phase(cluster, MOVER.follower, MOVER.leader, MOVER.fetcher)
        cluster = next(iter(after), cluster)  # type: ignore[call-overload]
    return cluster


def end_of(cluster: Brokers, partition: PartitionId = FIRST) -> int:
    """End of the future log."""
    return len(cluster.future_logs[LEADER][partition].log.records)
