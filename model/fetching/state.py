"""The whole state of the fetching brokers, and the states in which runs begin."""

from __future__ import annotations

from attrs import evolve, field, frozen

from replicheck.model.cells import Cells
from replicheck.model.cluster.cells.disks import LogDirectory
from replicheck.model.cluster.cells.environment import Budgets, Committed
from replicheck.model.cluster.cells.process import Process
from replicheck.model.cluster.cells.replica import RemoteReplicas, Replica
from replicheck.model.cluster.cells.znodes import LeaderAndIsr, PartitionNode
from replicheck.model.fetching.bounds import Bounds, FetcherId
from replicheck.model.fetching.cells.calls import NO_CALL, Call
from replicheck.model.fetching.cells.fetch_state import (
    UNTRACKED,
    FailedPartitions,
    FetcherThread,
    PartitionFetchState,
    PartitionOrder,
    Phase,
    ReplicaState,
)
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.cells.requests import IDLE, Inbox, RequestHandler
from replicheck.model.rules import Replacements
from replicheck.model.vocabulary import (
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    Epoch,
    Offset,
    PartitionId,
    RecordId,
)


@frozen
class Thread:
    """Which thread: its broker, the broker that it fetches from, and its number.

    Rules: F-MGR-1.  Source: AbstractFetcherManager.BrokerIdAndFetcherId.
    """

    follower: BrokerId
    leader: BrokerId
    fetcher: FetcherId

    @property
    def index(self) -> tuple[BrokerId, BrokerId, FetcherId]:
        """Return where its cell is."""
        return (self.follower, self.leader, self.fetcher)

    def at(self, partition: PartitionId) -> tuple[int, int, int, int]:
        """Return where its cells for a partition are."""
        return (self.follower, self.leader, self.fetcher, partition)


@frozen
class Faults(Budgets):
    """How often each fault can still happen."""

    isr_shrinks: int = 0
    crashes: int = 0
    restarts: int = 0
    directory_failures: int = 0
    lost_requests: int = 0
    repeated_requests: int = 0
    stops: int = 0
    deletions: int = 0
    unclean_elections: int = 0
    network_errors: int = 0
    log_errors: int = 0
    corrupt_batches: int = 0


@frozen
class Cluster(Cells):
    """The whole state.

    Families are by broker and partition, by broker (and directory), or by the follower,
    leader and fetcher id of a thread (and partition).
    """

    bounds: Bounds = field(eq=False)
    replacements: Replacements = field(eq=False)
    # the controller
    partition_nodes: tuple[PartitionNode, ...]
    inboxes: tuple[tuple[Inbox, ...], ...]
    # brokers
    processes: tuple[Process, ...]
    handlers: tuple[RequestHandler, ...]
    directories: tuple[tuple[LogDirectory, ...], ...]
    logs: tuple[tuple[PartitionLog, ...], ...]
    replicas: tuple[tuple[Replica, ...], ...]
    remotes: tuple[tuple[RemoteReplicas, ...], ...]
    # replica fetcher managers
    threads: tuple[tuple[tuple[FetcherThread, ...], ...], ...]
    fetch_states: tuple[tuple[tuple[tuple[PartitionFetchState, ...], ...], ...], ...]
    calls: tuple[tuple[tuple[tuple[Call, ...], ...], ...], ...]
    orders: tuple[tuple[tuple[PartitionOrder, ...], ...], ...]
    failed: tuple[FailedPartitions, ...]
    # environment and ghosts
    next_records: tuple[RecordId, ...]
    committed: tuple[Committed, ...]
    faults: Faults

    def thread(self, thread: Thread) -> FetcherThread:
        """Return the cell of a thread."""
        return self.threads[thread.follower][thread.leader][thread.fetcher]

    def fetch_state(
        self, thread: Thread, partition: PartitionId
    ) -> PartitionFetchState:
        """Return what a thread knows of a partition."""
        states = self.fetch_states[thread.follower][thread.leader][thread.fetcher]
        return states[partition]

    def call(self, thread: Thread, partition: PartitionId) -> Call:
        """Return what a thread has asked of a partition."""
        calls = self.calls[thread.follower][thread.leader][thread.fetcher]
        return calls[partition]

    def order(self, thread: Thread) -> PartitionOrder:
        """Return the order in which a thread asks for its partitions."""
        return self.orders[thread.follower][thread.leader][thread.fetcher]

    def threads_of(self, broker: BrokerId) -> tuple[Thread, ...]:
        """Return all threads that a broker's replica fetcher manager can have."""
        return tuple(
            Thread(broker, leader, fetcher)
            for leader in self.bounds.broker_ids
            if leader != broker
            for fetcher in self.bounds.fetcher_ids
        )

    def directory_of(self, broker: BrokerId, partition: PartitionId) -> LogDirectory:
        """Return the directory in which a broker has its log of a partition."""
        return self.directories[broker][self.bounds.directory_of(partition)]

    def leads_in(
        self, broker: BrokerId, partition: PartitionId, epoch: Epoch | None
    ) -> bool:
        """Tell whether a broker believes that it leads in an epoch."""
        if not self.replicas[broker][partition].is_online():
            return False
        return self.replicas[broker][partition].is_in(broker, epoch)

    def presumes_leadership(self, broker: BrokerId, partition: PartitionId) -> bool:
        """Tell whether a broker believes that it leads, in whatever epoch."""
        if not self.replicas[broker][partition].is_online():
            return False
        return self.replicas[broker][partition].is_led_by(broker)


def without_leader(bounds: Bounds) -> Cluster:
    """All brokers run, every log is empty, and nobody leads yet; all are in sync."""
    brokers, partitions = bounds.broker_ids, bounds.partition_ids
    content = LeaderAndIsr(None, Epoch(-1), frozenset(brokers), ControllerEpoch(1), 0)
    return Cluster(
        bounds=bounds,
        replacements=(),
        partition_nodes=tuple(PartitionNode(content) for _ in partitions),
        inboxes=tuple(tuple(Inbox() for _ in partitions) for _ in brokers),
        processes=tuple(Process(True, BrokerEpoch(1)) for _ in brokers),
        handlers=tuple(IDLE for _ in brokers),
        directories=tuple(
            tuple(LogDirectory() for _ in bounds.directory_ids) for _ in brokers
        ),
        logs=tuple(tuple(PartitionLog() for _ in partitions) for _ in brokers),
        replicas=tuple(tuple(Replica() for _ in partitions) for _ in brokers),
        remotes=tuple(
            tuple(RemoteReplicas((None,) * len(brokers)) for _ in partitions)
            for _ in brokers
        ),
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
        next_records=tuple(RecordId(0) for _ in partitions),
        committed=tuple(Committed() for _ in partitions),
        faults=Faults(
            **{each: getattr(bounds, each) for each in Faults.__annotations__}
        ),
    )


def with_leader(bounds: Bounds) -> Cluster:
    """Broker 0 leads every partition in epoch 0, and all others fetch from it.

    Every log is empty and every broker is in sync.
    """
    cluster = without_leader(bounds)
    for partition in bounds.partition_ids:
        cluster = _led_by_first(cluster, partition)
    return cluster


def _led_by_first(cluster: Cluster, partition: PartitionId) -> Cluster:
    bounds = cluster.bounds
    leader, *followers = bounds.broker_ids
    directory = bounds.directory_of(partition)
    content = cluster.partition_nodes[partition].content
    assert content is not None, "every partition was initialised"
    content = evolve(content, leader=leader, epoch=Epoch(0))
    ends = tuple(None if each == leader else Offset(0) for each in bounds.broker_ids)
    cluster = cluster.evolve(
        partition_nodes={partition: PartitionNode(content)},
        logs={(leader, partition): PartitionLog().assign(Epoch(0), Offset(0))},
        replicas={
            (leader, partition): Replica().lead(leader, content, directory, Offset(0))
        },
        remotes={(leader, partition): RemoteReplicas(ends)},
    )
    for follower in followers:
        thread = Thread(follower, leader, bounds.fetcher_of(partition))
        fetching = PartitionFetchState(ReplicaState.FETCHING, Offset(0), Epoch(0))
        cluster = cluster.evolve(
            replicas={(follower, partition): Replica().follow(content, directory)},
            threads={thread.index: FetcherThread(Phase.MAYBE_TRUNCATE)},
            fetch_states={thread.at(partition): fetching},
        )
        if bounds.fetch_size:
            order = cluster.order(thread).move_to_end(partition)
            cluster = cluster.evolve(orders={thread.index: order})
    return cluster
