"""What happens to the brokers from outside, each kind at most so often."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import NO_CALL, EpochAnswer, Error
from replicheck.model.fetching.cells.fetch_state import FetcherThread, ThreadPhase
from replicheck.model.fetching.fetchers.fetcher_manager import die
from replicheck.model.fetching.fetchers.partition_errors import delay_partitions
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.vocabulary import BrokerId, DirectoryId, PartitionId


def fail_directory(
    cluster: Brokers, broker: BrokerId, directory: DirectoryId
) -> Iterator[Brokers]:
    """Accesses to a log directory fail from now on.

    Rules: F-FAIL-6, B-DIR-1.  Source: LogDirFailureChannel.maybeAddOfflineLogDir.
    """
    if not cluster.faults.allow("directory_failures"):
        return
    if not cluster.processes[broker].is_running:
        return
    if not cluster.directories[broker][directory].is_good():
        return
    yield cluster.evolve(
        directories={
            (broker, directory): cluster.directories[broker][directory].fail()
        },
        faults=cluster.faults.spend("directory_failures"),
    )


def corrupt_batch(
    cluster: Brokers,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> Iterator[Brokers]:
    """A record is damaged on its way; the leader still has it.

    Rules: F-FETCH-4, V-4.  Source: CorruptRecordException, InvalidRecordException.
    """
    if not cluster.faults.allow("corrupt_batches"):
        return
    if follower == leader:
        return
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.call(thread, partition).has_record():
        return
    corrupt = cluster.call(thread, partition).corrupt()
    yield cluster.evolve(
        calls={thread.at(partition): corrupt},
        faults=cluster.faults.spend("corrupt_batches"),
    )


def break_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The next append to a log, or cut of it, raises an error that no caller handles.

    Rules: F-FETCH-4, F-DOTRUNC.  Source: Log.append, Log.truncateTo.
    """
    if not cluster.faults.allow("log_errors"):
        return
    if cluster.logs[broker][partition].is_broken:
        return
    broken = cluster.logs[broker][partition].break_once()
    yield cluster.evolve(
        logs={(broker, partition): broken}, faults=cluster.faults.spend("log_errors")
    )


def break_thread(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """An error that nothing catches ends a thread, such as a lack of memory.

    Its manager keeps it with its partitions, and adds others to it.

    Rules: F-THREAD-1.  Source: ShutdownableThread.run.
    """
    if not cluster.faults.allow("thread_errors"):
        return
    thread = ThreadId(follower, leader, fetcher)
    if not cluster.thread(thread).is_running():
        return
    cluster = cluster.evolve(faults=cluster.faults.spend("thread_errors"))
    yield die(cluster, thread)


def fail_call(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """A request gets no answer, since the source's process ended.

    Rules: F-TRUNC-2, F-FETCH-2.
    Source: ReplicaFetcherThread.fetchEpochEndOffsets,
    ReplicaFetcherThread.fetchFromLeader.
    """
    if cluster.processes[leader].is_running:
        return
    yield from lose_answer(cluster, ThreadId(follower, leader, fetcher))


def lose_call(
    cluster: Brokers, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Brokers]:
    """A request gets no answer, since the network lost it, or the answer.

    Rules: F-TRUNC-2, F-FETCH-2.
    Source: ReplicaFetcherThread.fetchEpochEndOffsets,
    ReplicaFetcherThread.fetchFromLeader.
    """
    if follower == leader or not cluster.faults.allow("network_errors"):
        return
    for after in lose_answer(cluster, ThreadId(follower, leader, fetcher)):
        yield after.evolve(faults=after.faults.spend("network_errors"))


def lose_answer(cluster: Brokers, thread: ThreadId) -> Iterator[Brokers]:
    """Answer every question about epochs with an error; delay all for a lost fetch."""
    phase = cluster.thread(thread)
    partitions = cluster.bounds.partition_ids
    if phase.is_at(ThreadPhase.EPOCHS_ASKED) or phase.is_at(
        ThreadPhase.EPOCHS_ANSWERED
    ):
        for partition in partitions:
            if cluster.call(thread, partition).asks_epoch():
                lost = cluster.call(thread, partition).reply(EpochAnswer(Error.NETWORK))
                cluster = cluster.evolve(calls={thread.at(partition): lost})
        answered = FetcherThread(ThreadPhase.EPOCHS_ANSWERED)
        yield cluster.evolve(threads={thread.index: answered})
    elif phase.is_at(ThreadPhase.FETCH_ASKED) or phase.is_at(
        ThreadPhase.FETCH_ANSWERED
    ):
        for partition in partitions:
            cluster = delay_partitions(cluster, thread, partition)
        yield cluster.evolve(
            calls={thread.at(partition): NO_CALL for partition in partitions},
            threads={thread.index: FetcherThread(ThreadPhase.MAYBE_TRUNCATE)},
        )
