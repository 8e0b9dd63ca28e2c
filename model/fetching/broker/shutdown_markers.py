"""Clean shutdowns, what they leave on disk, and starts that do not succeed."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.broker.processes import end_process
from replicheck.model.fetching.cells.shutdown_marker import ShutdownMarker
from replicheck.model.fetching.log_moves.checkpoint_files import write_high_watermarks
from replicheck.model.fetching.state import Brokers
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


def shut_down(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """A broker's process flushes its logs, writes its checkpoints, and ends.

    Abstraction: the controller notices the end, and was not asked before; segments that
    were flushed are not read by a later recovery.

    Rules: G-LOAD.  Source: LogManager.shutdown, ReplicaManager.shutdown.
    """
    if not cluster.faults.allow("clean_shutdowns"):
        return
    if not cluster.processes[broker].is_running:
        return
    if not cluster.handlers[broker].is_idle():
        return
    cluster = write_high_watermarks(cluster, broker)
    flushed = {
        (broker, partition): cluster.logs[broker][partition].flush()
        for partition in cluster.bounds.partition_ids
    }
    cluster = cluster.evolve(
        logs=flushed, faults=cluster.faults.spend("clean_shutdowns")
    )
    marked = cluster.markers[broker].write()
    yield end_process(cluster, broker).evolve(markers={broker: marked})


def crash_while_loading(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """A process that starts after a clean shutdown is killed while it loads its logs.

    Loading writes to them: it deletes files, and takes new snapshots.

    Rules: G-LOAD.  Source: LogManager.loadLogs.
    """
    if not cluster.faults.allow("failed_starts"):
        return
    if cluster.processes[broker].is_running:
        return
    if not cluster.markers[broker].is_present:
        return
    yield cluster.evolve(
        markers={broker: marker_while_loading(cluster, broker)},
        faults=cluster.faults.spend("failed_starts"),
    )


@rule
def marker_while_loading(cluster: Brokers, broker: BrokerId) -> ShutdownMarker:
    """The marker as long as logs are loaded: it is deleted when all of them are.

    Rules: G-LOAD.  Source: LogManager.loadLogs.
    """
    return cluster.markers[broker].touch_logs()


def fail_to_start(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """A process that recovers its logs finds the disk full, and ends.

    Rules: G-LOAD.  Source: KafkaServer.startup, LogManager.loadLogs.
    """
    if not cluster.faults.allow("failed_starts"):
        return
    if cluster.processes[broker].is_running:
        return
    if cluster.markers[broker].is_present:
        return
    yield cluster.evolve(
        markers={broker: marker_after_failed_start(cluster, broker)},
        faults=cluster.faults.spend("failed_starts"),
    )


@rule
def marker_after_failed_start(cluster: Brokers, broker: BrokerId) -> ShutdownMarker:
    """The marker that is left if logs could not be loaded: none.

    There is no log manager yet that could be shut down.

    Rules: G-LOAD.  Source: KafkaServer.shutdown.
    """
    return cluster.markers[broker]
