"""What clients get: acknowledgements, records, metadata; and what is measured."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from attrs import frozen

from replicheck.model.cluster.state import Cluster
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, PartitionId


class ClientError(Enum):
    """How a broker refuses to append or to read.

    Rules: B-LDF-7.  Source: ReplicaManager.getPartitionOrError.
    """

    STORAGE_ERROR = "KAFKA_STORAGE_ERROR"
    NOT_LEADER = "NOT_LEADER_FOR_PARTITION"
    UNKNOWN = "UNKNOWN_TOPIC_OR_PARTITION"


def client_error(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> ClientError | None:
    """Why a broker serves no client; None is that it does.

    Rules: B-LDF-7, B-DIR-3.  Source: ReplicaManager.getPartitionOrError.
    """
    if cluster.replicas[broker][partition].is_offline():
        return ClientError.STORAGE_ERROR
    if cluster.replicas[broker][partition].is_unknown():
        return ClientError.UNKNOWN
    if not cluster.presumes_leadership(broker, partition):
        return ClientError.NOT_LEADER
    return None


def complete_produce(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A producer is answered, as its record is below the high watermark.

    With too few replicas in sync at that time the answer is an error, and the record
    stays.

    Rules: B-PROD-1.
    Source: DelayedProduce.tryComplete, Partition.checkEnoughReplicasReachOffset.
    """
    if cluster.produces[leader][partition].is_empty():
        return
    if client_error(cluster, leader, partition) is not None:
        return
    if cluster.replicas[leader][partition].is_locked():
        return
    replica = cluster.replicas[leader][partition]
    if not cluster.produces[leader][partition].is_due(replica.high_watermark):
        return
    produces = cluster.produces[leader][partition]
    offset = produces.next
    cluster = cluster.evolve(produces={(leader, partition): produces.pop()})
    if has_enough_in_sync(cluster, leader, partition):
        directory = cluster.directory_of(leader, partition)
        record = cluster.logs[leader][partition][directory].record_at(offset)
        known = cluster.acknowledged[partition].add(offset, record)
        cluster = cluster.evolve(acknowledged={partition: known})
    yield cluster


def accepts_record(cluster: Cluster, leader: BrokerId, partition: PartitionId) -> bool:
    """Tell whether a producer's next record can be appended at a broker.

    It is wherever a broker believes that it leads, unless its partition is locked.

    Rules: B-DIR-3, B-PROD-1.  Source: Partition.appendRecordsToLeader.
    """
    if cluster.next_record >= cluster.bounds.records:
        return False
    if not cluster.presumes_leadership(leader, partition):
        return False
    if cluster.replicas[leader][partition].is_locked():
        return False
    return not refuses_producer(cluster, leader, partition)


def refuses_producer(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a producer that waits for all in sync finds too few of them.

    Rules: B-PROD-1.  Source: Partition.appendRecordsToLeader.
    """
    if not cluster.bounds.acknowledgements:
        return False
    return not has_enough_in_sync(cluster, leader, partition)


def await_acknowledgement(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Cluster:
    """Let the producer of the next record wait, if producers do.

    Rules: B-PROD-1.  Source: ReplicaManager.appendRecords.
    """
    if not cluster.bounds.acknowledgements:
        return cluster
    directory = cluster.directory_of(leader, partition)
    offset = cluster.logs[leader][partition][directory].end_offset
    produces = cluster.produces[leader][partition].append(offset)
    return cluster.evolve(produces={(leader, partition): produces})


def has_enough_in_sync(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether the ISR that a leader knows has min.insync.replicas members.

    Rules: B-PROD-1.  Source: Partition.appendRecordsToLeader.
    """
    least = cluster.bounds.min_isr
    return cluster.replicas[leader][partition].has_in_sync(least)


def refuse_waiting(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Cluster:
    """Answer all who wait with an error, as the broker leads no more.

    This is not done when the failure handler marks a replica offline, but left to the
    controller's StopReplica.

    Rules: B-LDF-5, B-STOP-1, B-LIR-6.
    Source: ReplicaManager.completeDelayedFetchOrProduceRequests.
    """
    if client_error(cluster, broker, partition) is None:
        return cluster
    answered = cluster.produces[broker][partition].clear()
    return cluster.evolve(produces={(broker, partition): answered})


def consumable(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> tuple[Record, ...]:
    """Records that consumers can read: a leader's log below its high watermark.

    Rules: B-HW-1, B-LDF-7.  Source: Partition.readRecords.
    """
    if client_error(cluster, broker, partition) is not None:
        return ()
    directory = cluster.directory_of(broker, partition)
    high_watermark = cluster.replicas[broker][partition].high_watermark
    records: tuple[Record, ...] = cluster.logs[broker][partition][directory].up_to(
        high_watermark
    )
    return records


@frozen
class MetadataResponse:
    """What a broker says of a partition to any client that asks.

    ``leader`` is None where there is none, or where its broker is not known to live.
    """

    leader: BrokerId | None
    isr: frozenset[BrokerId]
    offline_replicas: frozenset[BrokerId]


def metadata_response(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> MetadataResponse | None:
    """Metadata that a broker's cache has of a partition; None is that it is unknown.

    The broker's own markers are not in it.

    Rules: B-META-2.  Source: MetadataCache.getPartitionMetadata.
    """
    cached = cluster.metadata[broker].partitions[partition]
    if cached is None:
        return None
    leader = cached.leader
    if leader is not None and not cluster.metadata[broker].knows(leader):
        leader = None
    return MetadataResponse(leader, cached.isr, cached.offline)


def offline_replica_count(cluster: Cluster, broker: BrokerId) -> int:
    """The metric OfflineReplicaCount: the markers of the process.

    Rules: B-LDF-8.  Source: ReplicaManager.offlinePartitionCount.
    """
    return sum(
        cluster.replicas[broker][partition].is_offline()
        for partition in cluster.bounds.partition_ids
    )


def offline_log_directory_count(cluster: Cluster, broker: BrokerId) -> int:
    """The metric OfflineLogDirectoryCount: the directories out of use.

    Rules: B-LDF-8.  Source: LogManager.offlineLogDirs.
    """
    return sum(
        cluster.directories[broker][directory].is_offline()
        for directory in cluster.bounds.directory_ids
    )
