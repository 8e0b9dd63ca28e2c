"""The whole state of the fetching brokers."""

from __future__ import annotations

from enum import Enum
from typing import Self

from attrs import field, frozen

from replicheck.model.fetching.bounds import FetcherId, FetchingBounds
from replicheck.model.fetching.cells.calls import Call
from replicheck.model.fetching.cells.fetch_state import (
    FailedPartitions,
    FetcherPool,
    FetcherThread,
    PartitionFetchState,
    PartitionOrder,
)
from replicheck.model.fetching.cells.future_log import FutureLog
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.cells.requests import (
    Inbox,
    RequestHandler,
    StalledUpdate,
)
from replicheck.model.fetching.cells.shutdown_marker import ShutdownMarker
from replicheck.model.rules import Replacements
from replicheck.model.shared.broker_process import Process
from replicheck.model.shared.budgets import Budgets
from replicheck.model.shared.committed import Committed
from replicheck.model.shared.leadership import Leadership
from replicheck.model.shared.log_directory import LogDirectory
from replicheck.model.shared.partition_node import PartitionNode
from replicheck.model.shared.replica import RemoteReplicas, Replica
from replicheck.model.state_base import Cells
from replicheck.model.vocabulary import (
    BrokerId,
    DirectoryId,
    Offset,
    PartitionId,
    RecordId,
)


class FetcherManager(Enum):
    """Which of a broker's two fetcher managers, by client id."""

    REPLICA = "Replica"
    ALTER_LOG_DIRS = "ReplicaAlterLogDirs"


@frozen
class ThreadId:
    """Which thread: its broker, the broker that it fetches from, and its number.

    A thread that fetches from its own broker moves logs from one directory to another.

    Rules: F-MGR-1, F-ALT-1.
    Source: AbstractFetcherManager.BrokerIdAndFetcherId, ReplicaAlterLogDirsThread.
    """

    follower: BrokerId
    leader: BrokerId
    fetcher: FetcherId

    @property
    def manager(self) -> FetcherManager:
        """The fetcher manager of the broker that has the thread."""
        return (
            FetcherManager.ALTER_LOG_DIRS
            if self.moves_logs()
            else FetcherManager.REPLICA
        )

    def moves_logs(self) -> bool:
        """Tell whether the thread writes to future logs."""
        return self.follower == self.leader

    @property
    def index(self) -> tuple[BrokerId, BrokerId, FetcherId]:
        """The index of its cell."""
        return (self.follower, self.leader, self.fetcher)

    def at(self, partition: PartitionId) -> tuple[int, int, int, int]:
        """The index of its cells for a partition."""
        return (self.follower, self.leader, self.fetcher, partition)


@frozen
class FetchingFaults(Budgets):
    """How often each fault can still happen."""

    isr_shrinks: int = 0
    crashes: int = 0
    restarts: int = 0
    checkpoints: int = 0
    lost_tails: int = 0
    directory_failures: int = 0
    lost_requests: int = 0
    repeated_requests: int = 0
    unknown_leaders: int = 0
    aborted_requests: int = 0
    stops: int = 0
    deletions: int = 0
    unclean_elections: int = 0
    network_errors: int = 0
    log_errors: int = 0
    thread_errors: int = 0
    resizes: int = 0
    corrupt_batches: int = 0
    moves: int = 0
    stalled_handlers: int = 0
    caught_up_followers: int = 0
    immediate_answers: int = 0
    lost_log_starts: int = 0
    clean_shutdowns: int = 0
    failed_starts: int = 0
    consumer_reads: int = 0


@frozen
class Brokers(Cells, Leadership):
    """The whole state.

    ``checkpoints`` are the high watermarks on disk; one that is missing counts as 0.
    ``consumed`` is what consumers have read. ``admitted`` says that a leader let a
    producer append, which has not yet; Kafka does both under one lock.
    Families are by broker and partition, by broker (and directory), or by the follower,
    leader and fetcher id of a thread (and partition); ``in_progress`` is by broker and
    fetcher id. ``locations`` say in which directory each current log is.
    """

    bounds: FetchingBounds = field(eq=False)
    replacements: Replacements = field(eq=False)
    # the controller
    partition_nodes: tuple[PartitionNode, ...]
    inboxes: tuple[tuple[Inbox, ...], ...]
    # brokers
    processes: tuple[Process, ...]
    handlers: tuple[RequestHandler, ...]
    stalled: tuple[StalledUpdate, ...]
    directories: tuple[tuple[LogDirectory, ...], ...]
    logs: tuple[tuple[PartitionLog, ...], ...]
    checkpoints: tuple[tuple[Offset, ...], ...]
    markers: tuple[ShutdownMarker, ...]
    replicas: tuple[tuple[Replica, ...], ...]
    remotes: tuple[tuple[RemoteReplicas, ...], ...]
    admitted: tuple[tuple[bool, ...], ...]
    locations: tuple[tuple[DirectoryId, ...], ...]
    future_logs: tuple[tuple[FutureLog, ...], ...]
    # fetcher managers
    threads: tuple[tuple[tuple[FetcherThread, ...], ...], ...]
    fetch_states: tuple[tuple[tuple[tuple[PartitionFetchState, ...], ...], ...], ...]
    calls: tuple[tuple[tuple[tuple[Call, ...], ...], ...], ...]
    orders: tuple[tuple[tuple[PartitionOrder, ...], ...], ...]
    failed: tuple[FailedPartitions, ...]
    failed_moves: tuple[FailedPartitions, ...]
    in_progress: tuple[tuple[PartitionId | None, ...], ...]
    pools: tuple[FetcherPool, ...]
    # environment and ghosts
    next_records: tuple[RecordId, ...]
    committed: tuple[Committed, ...]
    consumed: tuple[Committed, ...]
    faults: FetchingFaults

    def thread(self, thread: ThreadId) -> FetcherThread:
        """The cell of a thread."""
        return self.threads[thread.follower][thread.leader][thread.fetcher]

    def fetch_state(
        self, thread: ThreadId, partition: PartitionId
    ) -> PartitionFetchState:
        """The fetch state of a partition in a thread."""
        states = self.fetch_states[thread.follower][thread.leader][thread.fetcher]
        return states[partition]

    def call(self, thread: ThreadId, partition: PartitionId) -> Call:
        """The request of a thread for a partition, with its answer."""
        calls = self.calls[thread.follower][thread.leader][thread.fetcher]
        return calls[partition]

    def order(self, thread: ThreadId) -> PartitionOrder:
        """The order in which a thread asks for its partitions."""
        return self.orders[thread.follower][thread.leader][thread.fetcher]

    def threads_of(
        self, broker: BrokerId, manager: FetcherManager = FetcherManager.REPLICA
    ) -> tuple[ThreadId, ...]:
        """All threads that a fetcher manager of a broker can have."""
        threads = (
            ThreadId(broker, leader, fetcher)
            for leader in self.bounds.broker_ids
            for fetcher in self.bounds.fetcher_ids
        )
        return tuple(thread for thread in threads if thread.manager is manager)

    def failed_of(
        self, broker: BrokerId, manager: FetcherManager = FetcherManager.REPLICA
    ) -> FailedPartitions:
        """The failed partitions of a fetcher manager of a broker."""
        if manager is FetcherManager.REPLICA:
            return self.failed[broker]
        return self.failed_moves[broker]

    def with_failed(
        self, broker: BrokerId, failed: FailedPartitions, manager: FetcherManager
    ) -> Self:
        """The state with other failed partitions of a fetcher manager."""
        if manager is FetcherManager.REPLICA:
            return self.evolve(failed={broker: failed})
        return self.evolve(failed_moves={broker: failed})

    def thread_for(
        self, follower: BrokerId, leader: BrokerId, partition: PartitionId
    ) -> ThreadId:
        """The thread that is to fetch a partition from a broker.

        Abstraction: only the pool of the replica manager can be resized.

        Rules: F-MGR-1.  Source: AbstractFetcherManager.getFetcherId.
        """
        size = self.bounds.fetchers
        if follower != leader:
            size = self.pools[follower].size
        return ThreadId(follower, leader, FetcherId(partition % size))

    def directory_of(self, broker: BrokerId, partition: PartitionId) -> LogDirectory:
        """The directory in which a broker has its current log of a partition."""
        return self.directories[broker][self.locations[broker][partition]]
