"""Processes of brokers end and begin; what is on the disk stays, if it was flushed."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.cells.assignment import AssignmentChannel
from replicheck.model.kraft.cells.fetcher import FollowerFetcher
from replicheck.model.kraft.cells.metadata import NOTHING_APPLIED
from replicheck.model.kraft.cells.partition import FollowerState
from replicheck.model.kraft.cells.process import BrokerProcess
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.vocabulary import BrokerId, Offset


def crash(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """A process ends without a word; the controller learns of it by a timeout.

    Rules: KR-UNC-2.  Source: LogManager.loadLogs.
    """
    if not cluster.faults.allow("crashes"):
        return
    process = cluster.processes[broker]
    if process.is_running:
        after = end_process(cluster, broker, process.crash())
        yield after.evolve(faults=cluster.faults.spend("crashes"))


def end_process(
    cluster: KraftCluster, broker: BrokerId, process: BrokerProcess
) -> KraftCluster:
    """The cluster after a process ended: nothing of its memory is left."""
    return cluster.evolve(
        processes={broker: process},
        caches={broker: NOTHING_APPLIED},
        partitions={broker: cluster.partitions[broker].forget()},
        followers={
            (broker, follower): FollowerState()
            for follower in cluster.bounds.broker_ids
        },
        fetchers={broker: FollowerFetcher()},
        moves={broker: cluster.moves[broker].stop()},
        assignments={broker: AssignmentChannel()},
        behind_no_op=cluster.behind_no_op - {broker},
    )


def lose_tail(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """The end of a log was not flushed when the process crashed.

    Rules: KR-LOGC-5.  Source: LogLoader.recoverLog.
    """
    if not cluster.faults.allow("lost_tails"):
        return
    process, log = cluster.processes[broker], cluster.logs[broker]
    if process.is_running or process.clean_epoch is not None:
        return
    if not cluster.disks[broker].has_log():
        return
    for end in range(log.end_offset):
        partition = cluster.partitions[broker]
        kept = min(partition.high_watermark, Offset(end))
        yield cluster.evolve(
            logs={broker: log.truncate_to(Offset(end))},
            partitions={broker: partition.with_high_watermark(kept)},
            faults=cluster.faults.spend("lost_tails"),
        )


def restart(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """A new process starts; it publishes nothing before what is committed by now.

    Rules: KR-START-1, KR-PUB-1, KR-HW-5.  Source: BrokerServer.startup.
    """
    if not cluster.faults.allow("restarts"):
        return
    process = cluster.processes[broker]
    disks = cluster.disks[broker]
    if process.is_running or not disks.has_live:
        return
    yield cluster.evolve(
        processes={broker: process.begin(cluster.metadata.committed, disks.live)},
        faults=cluster.faults.spend("restarts"),
    )
