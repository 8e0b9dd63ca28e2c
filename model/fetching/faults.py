"""What happens to the brokers from outside, each kind at most so often."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import NO_CALL, EpochAnswer, Error
from replicheck.model.fetching.cells.fetch_state import (
    FailedPartitions,
    FetcherThread,
    Phase,
)
from replicheck.model.fetching.cells.future_log import NO_FUTURE_LOG, FutureLog
from replicheck.model.fetching.cells.requests import IDLE, Inbox
from replicheck.model.fetching.fetcher_manager import end_thread
from replicheck.model.fetching.partition_errors import delay_partitions
from replicheck.model.fetching.state import Cluster, Manager, Thread
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, DirectoryId, PartitionId


def crash(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker's process ends; its logs stay as they are.

    The next process finds no checkpoint, and begins with high watermark 0.

    Rules: G-LOAD, F-MGR-6.  Source: KafkaServer, LogManager.loadLogs.
    """
    if not cluster.faults.allow("crashes"):
        return
    if not cluster.processes[broker].is_running:
        return
    for partition in cluster.bounds.partition_ids:
        cluster = lose_memory(cluster, broker, partition)
    for manager in Manager:
        for thread in cluster.threads_of(broker, manager):
            cluster = end_thread(cluster, thread)
    yield cluster.evolve(
        processes={broker: cluster.processes[broker].stop()},
        handlers={broker: IDLE},
        failed={broker: FailedPartitions()},
        failed_moves={broker: FailedPartitions()},
        directories={
            (broker, each): cluster.directories[broker][each].stop()
            for each in cluster.bounds.directory_ids
        },
        faults=cluster.faults.spend("crashes"),
    )


def lose_memory(cluster: Cluster, broker: BrokerId, partition: PartitionId) -> Cluster:
    """Forget a partition, all but its log, where a new process begins anew.

    Rules: G-LOAD.  Source: LogManager.loadLogs.
    """
    index = (broker, partition)
    start = cluster.logs[broker][partition].start_offset
    replica = cluster.replicas[broker][partition].forget()
    return cluster.evolve(
        inboxes={index: Inbox()},
        replicas={index: replica.with_high_watermark(start)},
        remotes={index: cluster.remotes[broker][partition].forget()},
        logs={index: cluster.logs[broker][partition].load()},
        future_logs={index: load_future_log(cluster, broker, partition)},
    )


def load_future_log(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> FutureLog:
    """Return what a new process finds of a future log: nothing in a bad directory.

    Rules: G-LOAD.  Source: LogManager.loadLogs.
    """
    directory = cluster.future_logs[broker][partition].directory
    if directory is None or not cluster.directories[broker][directory].is_good():
        return NO_FUTURE_LOG
    return cluster.future_logs[broker][partition].load()


def restart(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """A broker's process starts, and is sent what is stored.

    Rules: B-LAI-0, G-LOAD.  Source: KafkaController.onBrokerStartup.
    """
    if not cluster.faults.allow("restarts"):
        return
    if cluster.processes[broker].is_running:
        return
    for partition in cluster.bounds.partition_ids:
        content = cluster.partition_nodes[partition].content
        assert content is not None, "every partition was initialised"
        inbox = cluster.inboxes[broker][partition].send(content)
        cluster = cluster.evolve(inboxes={(broker, partition): inbox})
    yield cluster.evolve(
        processes={broker: cluster.processes[broker].start(BrokerEpoch(1))},
        faults=cluster.faults.spend("restarts"),
    )


def fail_directory(
    cluster: Cluster, broker: BrokerId, directory: DirectoryId
) -> Iterator[Cluster]:
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
    cluster: Cluster,
    follower: BrokerId,
    leader: BrokerId,
    fetcher: FetcherId,
    partition: PartitionId,
) -> Iterator[Cluster]:
    """A record is damaged on its way; the leader still has it.

    Rules: F-FETCH-4, V-4.  Source: CorruptRecordException, InvalidRecordException.
    """
    if not cluster.faults.allow("corrupt_batches"):
        return
    if follower == leader:
        return
    thread = Thread(follower, leader, fetcher)
    if not cluster.call(thread, partition).has_record():
        return
    corrupt = cluster.call(thread, partition).corrupt()
    yield cluster.evolve(
        calls={thread.at(partition): corrupt},
        faults=cluster.faults.spend("corrupt_batches"),
    )


def break_log(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """The next append to a log, or cut of it, raises an error that nobody expects.

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


def fail_call(
    cluster: Cluster, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Cluster]:
    """A request gets no answer, since the source's process ended.

    Rules: F-TRUNC-2, F-FETCH-2.
    Source: ReplicaFetcherThread.fetchEpochEndOffsets, fetchFromLeader.
    """
    if cluster.processes[leader].is_running:
        return
    yield from lose_answer(cluster, Thread(follower, leader, fetcher))


def lose_call(
    cluster: Cluster, follower: BrokerId, leader: BrokerId, fetcher: FetcherId
) -> Iterator[Cluster]:
    """A request gets no answer, since the network lost it, or the answer.

    Rules: F-TRUNC-2, F-FETCH-2.
    Source: ReplicaFetcherThread.fetchEpochEndOffsets, fetchFromLeader.
    """
    if follower == leader or not cluster.faults.allow("network_errors"):
        return
    for after in lose_answer(cluster, Thread(follower, leader, fetcher)):
        yield after.evolve(faults=after.faults.spend("network_errors"))


def lose_answer(cluster: Cluster, thread: Thread) -> Iterator[Cluster]:
    """Answer every question about epochs with an error; delay all for a lost fetch."""
    phase = cluster.thread(thread)
    partitions = cluster.bounds.partition_ids
    if phase.is_at(Phase.EPOCHS_ASKED) or phase.is_at(Phase.EPOCHS_ANSWERED):
        for partition in partitions:
            if cluster.call(thread, partition).asks_epoch():
                lost = cluster.call(thread, partition).reply(EpochAnswer(Error.NETWORK))
                cluster = cluster.evolve(calls={thread.at(partition): lost})
        answered = FetcherThread(Phase.EPOCHS_ANSWERED)
        yield cluster.evolve(threads={thread.index: answered})
    elif phase.is_at(Phase.FETCH_ASKED) or phase.is_at(Phase.FETCH_ANSWERED):
        for partition in partitions:
            cluster = delay_partitions(cluster, thread, partition)
        yield cluster.evolve(
            calls={thread.at(partition): NO_CALL for partition in partitions},
            threads={thread.index: FetcherThread(Phase.MAYBE_TRUNCATE)},
        )
