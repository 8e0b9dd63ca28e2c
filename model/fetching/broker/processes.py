"""The end and the start of a broker's process, and what is on disk in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replicheck.model.fetching import controller
from replicheck.model.fetching.cells.fetch_state import FailedPartitions
from replicheck.model.fetching.cells.future_log import NO_FUTURE_LOG, FutureLog
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.cells.requests import IDLE, NO_UPDATE, Inbox
from replicheck.model.fetching.cells.shutdown_marker import NO_MARKER
from replicheck.model.fetching.fetchers.fetcher_manager import end_thread
from replicheck.model.fetching.log_moves.checkpoint_files import write_high_watermarks
from replicheck.model.fetching.state import Brokers, FetcherManager
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, Offset, PartitionId


def crash(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """A broker's process ends; its disks stay as they are.

    Rules: G-LOAD, F-MGR-6.  Source: KafkaServer, LogManager.loadLogs.
    """
    if not cluster.faults.allow("crashes"):
        return
    if not cluster.processes[broker].is_running:
        return
    yield end_process(cluster.evolve(faults=cluster.faults.spend("crashes")), broker)


def end_process(cluster: Brokers, broker: BrokerId) -> Brokers:
    """Lose all that is not on disk: threads, requests, failures, replicas."""
    for partition in cluster.bounds.partition_ids:
        cluster = lose_memory(cluster, broker, partition)
    for manager in FetcherManager:
        for thread in cluster.threads_of(broker, manager):
            cluster = end_thread(cluster, thread)
    return cluster.evolve(
        processes={broker: cluster.processes[broker].stop()},
        handlers={broker: IDLE},
        stalled={broker: NO_UPDATE},
        failed={broker: FailedPartitions()},
        failed_moves={broker: FailedPartitions()},
        pools={broker: cluster.pools[broker].settle()},
        directories={
            (broker, directory): cluster.directories[broker][directory].stop()
            for directory in cluster.bounds.directory_ids
        },
    )


def lose_memory(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> Brokers:
    """Forget a partition, all but its log and the checkpoint of its high watermark.

    Rules: G-LOAD.  Source: LogManager.loadLogs.
    """
    index = (broker, partition)
    return cluster.evolve(
        inboxes={index: Inbox()},
        admitted={index: False},
        replicas={index: cluster.replicas[broker][partition].forget()},
        remotes={index: cluster.remotes[broker][partition].forget()},
        logs={index: load_log(cluster, broker, partition)},
        future_logs={index: load_future_log(cluster, broker, partition)},
    )


@rule
def load_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> PartitionLog:
    """The log that the next process reads from disk.

    The process before did not end by itself, or all was flushed.

    Rules: G-LOAD.  Source: Log.loadSegments, Log.recoverSegment.
    """
    return cluster.logs[broker][partition].recover()


def load_future_log(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> FutureLog:
    """The future log that a new process finds: none in a bad directory.

    Rules: G-LOAD.  Source: LogManager.loadLogs.
    """
    future = cluster.future_logs[broker][partition]
    if future.directory is None:
        return future
    if not cluster.directories[broker][future.directory].is_good():
        return NO_FUTURE_LOG
    return future.load()


def lose_tail(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The last record was not flushed when the machine stopped, and is lost.

    Kafka does not flush before it answers.

    Rules: G-LOAD.  Source: Log.recoverLog.
    """
    if not cluster.faults.allow("lost_tails"):
        return
    if cluster.processes[broker].is_running:
        return
    if cluster.markers[broker].is_clean:
        return
    if cluster.logs[broker][partition].is_empty():
        return
    end = Offset(cluster.logs[broker][partition].end_offset - 1)
    yield cluster.evolve(
        logs={(broker, partition): cluster.logs[broker][partition].truncate_to(end)},
        faults=cluster.faults.spend("lost_tails"),
    )


def lose_log_start(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """The start of a log was not on disk yet, and a deleted record is there again.

    Starts are written once a minute. Abstraction: record by record.

    Rules: G-LSO, G-LOAD.  Source: LogManager.checkpointLogStartOffsets.
    """
    if not cluster.faults.allow("lost_log_starts"):
        return
    if cluster.processes[broker].is_running:
        return
    if not cluster.logs[broker][partition].deleted:
        return
    yield cluster.evolve(
        logs={(broker, partition): cluster.logs[broker][partition].bring_back()},
        faults=cluster.faults.spend("lost_log_starts"),
    )


def checkpoint_high_watermarks(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """A broker writes the high watermarks of all replicas to disk.

    Rules: G-LOAD, B-LAI-2.  Source: ReplicaManager.checkpointHighWatermarks.
    """
    if not cluster.faults.allow("checkpoints"):
        return
    if not cluster.processes[broker].is_running:
        return
    if not has_begun_to_checkpoint(cluster, broker):
        return
    written = write_high_watermarks(cluster, broker)
    yield written.evolve(faults=cluster.faults.spend("checkpoints"))


@rule
def has_begun_to_checkpoint(cluster: Brokers, broker: BrokerId) -> bool:
    """Tell whether the first request, which names every partition, was obeyed.

    Abstraction: here a request names one partition, so none must be on its way.

    Rules: B-LAI-2.  Source: ReplicaManager.startHighWatermarkCheckPointThread.
    """
    partitions = cluster.bounds.partition_ids
    unknown = [p for p in partitions if cluster.replicas[broker][p].is_unknown()]
    if len(unknown) == len(partitions):
        return False
    return all(cluster.inboxes[broker][p].is_empty() for p in unknown)


def restart(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """A broker's process starts, and is sent what is stored.

    The controller notices the end of every process (KIP-380). So a leader that was not
    replaced is elected anew, in the next epoch.

    Rules: B-LAI-0, B-CTRL, G-LOAD.  Source: KafkaController.onBrokerStartup.
    """
    if not cluster.faults.allow("restarts"):
        return
    if cluster.processes[broker].is_running:
        return
    started = cluster.evolve(
        processes={broker: cluster.processes[broker].start(BrokerEpoch(1))},
        markers={broker: NO_MARKER},
        faults=cluster.faults.spend("restarts"),
    )
    yield from send_stored_leaders(started, broker, cluster.bounds.partition_ids)


def send_stored_leaders(
    cluster: Brokers, broker: BrokerId, partitions: Sequence[PartitionId]
) -> Iterator[Brokers]:
    """Send a broker the leaders of partitions, of which it cannot be one."""
    if not partitions:
        yield cluster
        return
    partition, *others = partitions
    content = cluster.partition_nodes[partition].content
    assert content is not None, "every partition was initialised"
    if content.leader == broker:
        for after in controller.elect_leader(cluster, broker, partition):
            yield from send_stored_leaders(after, broker, others)
        return
    inbox = cluster.inboxes[broker][partition].send(content)
    told = cluster.evolve(inboxes={(broker, partition): inbox})
    yield from send_stored_leaders(told, broker, others)
