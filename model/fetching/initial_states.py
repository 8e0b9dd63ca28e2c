"""The states in which runs of the fetching brokers begin."""

from __future__ import annotations

from attrs import evolve

from replicheck.model.fetching.bounds import FetchingBounds
from replicheck.model.fetching.cells.calls import NO_CALL
from replicheck.model.fetching.cells.fetch_state import (
    UNTRACKED,
    FailedPartitions,
    FetcherPool,
    FetcherThread,
    FetchingState,
    PartitionFetchState,
    PartitionOrder,
    ThreadPhase,
)
from replicheck.model.fetching.cells.future_log import NO_FUTURE_LOG
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.cells.requests import IDLE, NO_UPDATE, Inbox
from replicheck.model.fetching.cells.shutdown_marker import NO_MARKER
from replicheck.model.fetching.state import Brokers, FetchingFaults
from replicheck.model.shared.broker_process import Process
from replicheck.model.shared.committed import Committed
from replicheck.model.shared.log_directory import LogDirectory
from replicheck.model.shared.partition_node import LeaderAndIsr, PartitionNode
from replicheck.model.shared.replica import RemoteReplicas, Replica
from replicheck.model.vocabulary import (
    BrokerEpoch,
    ControllerEpoch,
    Epoch,
    Offset,
    PartitionId,
    RecordId,
)


def without_leader(bounds: FetchingBounds) -> Brokers:
    """All brokers run, every log is empty, and no broker leads; all are in sync."""
    brokers, partitions = bounds.broker_ids, bounds.partition_ids
    content = LeaderAndIsr(None, Epoch(-1), frozenset(brokers), ControllerEpoch(1), 0)
    return Brokers(
        bounds=bounds,
        replacements=(),
        partition_nodes=tuple(PartitionNode(content) for _ in partitions),
        inboxes=tuple(tuple(Inbox() for _ in partitions) for _ in brokers),
        processes=tuple(Process(True, BrokerEpoch(1)) for _ in brokers),
        handlers=tuple(IDLE for _ in brokers),
        stalled=tuple(NO_UPDATE for _ in brokers),
        directories=tuple(
            tuple(LogDirectory() for _ in bounds.directory_ids) for _ in brokers
        ),
        logs=tuple(tuple(PartitionLog() for _ in partitions) for _ in brokers),
        checkpoints=tuple(tuple(Offset(0) for _ in partitions) for _ in brokers),
        markers=tuple(NO_MARKER for _ in brokers),
        replicas=tuple(tuple(Replica() for _ in partitions) for _ in brokers),
        remotes=tuple(
            tuple(RemoteReplicas((None,) * len(brokers)) for _ in partitions)
            for _ in brokers
        ),
        admitted=tuple(tuple(False for _ in partitions) for _ in brokers),
        locations=tuple(
            tuple(bounds.directory_of(partition) for partition in partitions)
            for _ in brokers
        ),
        future_logs=tuple(tuple(NO_FUTURE_LOG for _ in partitions) for _ in brokers),
        threads=tuple(
            tuple(tuple(FetcherThread() for _ in bounds.fetcher_ids) for _ in brokers)
            for _ in brokers
        ),
        fetch_states=tuple(
            tuple(
                tuple(tuple(UNTRACKED for _ in partitions) for _ in bounds.fetcher_ids)
                for _ in brokers
            )
            for _ in brokers
        ),
        calls=tuple(
            tuple(
                tuple(tuple(NO_CALL for _ in partitions) for _ in bounds.fetcher_ids)
                for _ in brokers
            )
            for _ in brokers
        ),
        orders=tuple(
            tuple(tuple(PartitionOrder() for _ in bounds.fetcher_ids) for _ in brokers)
            for _ in brokers
        ),
        failed=tuple(FailedPartitions() for _ in brokers),
        pools=tuple(FetcherPool(bounds.fetchers) for _ in brokers),
        failed_moves=tuple(FailedPartitions() for _ in brokers),
        in_progress=tuple(tuple(None for _ in bounds.fetcher_ids) for _ in brokers),
        next_records=tuple(RecordId(0) for _ in partitions),
        committed=tuple(Committed() for _ in partitions),
        consumed=tuple(Committed() for _ in partitions),
        faults=FetchingFaults(
            **{name: getattr(bounds, name) for name in FetchingFaults.__annotations__}
        ),
    )


def with_leader(bounds: FetchingBounds) -> Brokers:
    """Broker 0 leads every partition in epoch 0, and all others fetch from it.

    Every log is empty and every broker is in sync.
    """
    cluster = without_leader(bounds)
    for partition in bounds.partition_ids:
        cluster = _led_by_first(cluster, partition)
    return cluster


def _led_by_first(cluster: Brokers, partition: PartitionId) -> Brokers:
    bounds = cluster.bounds
    leader, *followers = bounds.broker_ids
    directory = bounds.directory_of(partition)
    content = cluster.partition_nodes[partition].content
    assert content is not None, "every partition was initialised"
    content = evolve(content, leader=leader, epoch=Epoch(0))
    ends = tuple(
        None if broker == leader else Offset(0) for broker in bounds.broker_ids
    )
    cluster = cluster.evolve(
        partition_nodes={partition: PartitionNode(content)},
        logs={(leader, partition): PartitionLog().assign(Epoch(0), Offset(0))},
        replicas={
            (leader, partition): Replica().lead(leader, content, directory, Offset(0))
        },
        remotes={(leader, partition): RemoteReplicas(ends)},
    )
    for follower in followers:
        thread = cluster.thread_for(follower, leader, partition)
        fetch_state = PartitionFetchState(FetchingState.FETCHING, Offset(0), Epoch(0))
        cluster = cluster.evolve(
            replicas={(follower, partition): Replica().follow(content, directory)},
            threads={thread.index: FetcherThread(ThreadPhase.MAYBE_TRUNCATE)},
            fetch_states={thread.at(partition): fetch_state},
        )
        if bounds.fetch_size:
            order = cluster.order(thread).move_to_end(partition)
            cluster = cluster.evolve(orders={thread.index: order})
    return cluster
