"""Rules of brokers in KRaft, each broken as Kafka broke it, or without a guard."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.kraft.broker import (
    directories,
    fetch_answers,
    high_watermark,
    metadata_publisher,
    process,
    replication,
)
from replicheck.model.kraft.cells.fetcher import FetchAnswer
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.cells.partition import FollowerState
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import original
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, Offset


def keeps_high_watermark_never(cluster: KraftCluster, leader: BrokerId) -> bool:
    """The high watermark moves however small the ISR is (KAFKA-15583)."""
    return False


def awaited_of_committed_isr(
    cluster: KraftCluster, leader: BrokerId
) -> frozenset[BrokerId]:
    """A follower that is about to join is not waited for (KIP-497)."""
    return cluster.partitions[leader].isr - {leader}


def is_answered_before_commit(cluster: KraftCluster, leader: BrokerId) -> bool:
    """The controller answers before its decision is committed."""
    return cluster.channels[leader].is_answered(cluster.metadata.end)


def lower_high_watermark(cluster: KraftCluster, leader: BrokerId) -> KraftCluster:
    """The high watermark is the least end of all, even if that is lower."""
    end = high_watermark.end_of_all(
        cluster, leader, high_watermark.awaited(cluster, leader)
    )
    partition = cluster.partitions[leader]
    if end is not None and end < partition.high_watermark:
        return cluster.evolve(partitions={leader: partition.with_high_watermark(end)})
    return original(high_watermark.increment_high_watermark)(cluster, leader)


def diverge_never(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> Offset | None:
    """A fetch is answered without a look at the follower's last epoch (KAFKA-15510)."""
    return None


def make_offline_replica_anew(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """A delta makes a replica that is offline anew, on a healthy disk (KAFKA-16234)."""
    partition, disks = cluster.partitions[broker], cluster.disks[broker]
    if not partition.is_offline:
        return cluster
    directory = directories.directory_of_new_log(cluster, broker, None)
    return cluster.evolve(
        logs={broker: cluster.empty_log()},
        disks={broker: disks.use(directory)},
        partitions={broker: partition.forget().with_high_watermark(Offset(0))},
    )


def queue_assignment_never(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A broker does not tell where its replica lies."""
    return cluster


def keep_offline_replica_by_name(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """An offline replica stays so for another topic of the name (KAFKA-16157)."""
    if cluster.partitions[broker].is_offline:
        return cluster
    return original(directories.create_replica)(cluster, broker, record)


def keep_removed_replica(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """A broker goes on with a replica that was reassigned away (KAFKA-13198)."""
    return cluster


def keep_replica_of_deleted_topic(
    cluster: KraftCluster, broker: BrokerId
) -> KraftCluster:
    """A broker does not learn that a topic was deleted (KAFKA-12403)."""
    if not cluster.caches[broker].partition.replicas:
        return cluster
    return original(metadata_publisher.delete_replica)(cluster, broker)


def delete_replica_at_start(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A new process deletes the logs that it should keep, as stray (KAFKA-13127)."""
    deleted = original(metadata_publisher.delete_replica)(cluster, broker)
    return original(directories.open_log)(deleted, broker, record)


def follow_with_leader_only(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A broker that leads goes on if there is no leader any more (KAFKA-13161)."""
    if record.is_leaderless():
        return cluster
    return original(metadata_publisher.make_follower)(cluster, broker, record)


def follow_unless_stopping(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A broker in controlled shutdown does not begin to follow (KAFKA-14296)."""
    if cluster.processes[broker].is_stopping:
        return cluster
    return original(metadata_publisher.make_follower)(cluster, broker, record)


def lead_in_known_partition_epoch(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A leader does not take the partition epoch of a record (KAFKA-12367)."""
    known = cluster.partitions[broker].partition_epoch or 0
    after = original(metadata_publisher.make_leader)(cluster, broker, record)
    partition = evolve(after.partitions[broker], partition_epoch=known)
    return after.evolve(partitions={broker: partition})


def restart_with_any_image(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A new process publishes before it has caught up with the log (KAFKA-14857)."""
    for started in process.restart(cluster, broker):
        begun = evolve(started.processes[broker], start=cluster.metadata.first)
        yield started.evolve(processes={broker: begun})


def lead_by_any_record(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A leader applies a record that is older than what it knows (KAFKA-13790)."""
    known = cluster.partitions[broker]
    forgotten = evolve(known, partition_epoch=None)
    after = cluster.evolve(partitions={broker: forgotten})
    return original(metadata_publisher.make_leader)(after, broker, record)


def keep_end_of_older_process(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> KraftCluster:
    """A new process of a follower is credited with the old one's end (KAFKA-15221)."""
    known = cluster.followers[leader][follower]
    end = max(known.end or Offset(0), cluster.logs[follower].end_offset)
    state = FollowerState(end, cluster.processes[follower].epoch)
    after = cluster.evolve(followers={(leader, follower): state})
    return high_watermark.increment_high_watermark(after, leader)


def raise_before_truncation(
    cluster: KraftCluster, follower: BrokerId, end: Offset
) -> KraftCluster:
    """A follower takes the leader's high watermark, and cuts later (KAFKA-14704)."""
    leader = cluster.partitions[follower].leader
    assert leader is not None, "a follower that is answered has a leader"
    told = cluster.partitions[leader].high_watermark
    after = original(replication.truncate)(cluster, follower, end)
    raised = after.partitions[follower].raise_high_watermark(told)
    return after.evolve(partitions={follower: raised})


def is_at_same_offset(
    cluster: KraftCluster, follower: BrokerId, answer: FetchAnswer
) -> bool:
    """An answer is used in whichever leader epoch it was asked for (KAFKA-18991)."""
    return answer.offset == cluster.logs[follower].end_offset


def record_when_sent(
    cluster: KraftCluster, follower: BrokerId, answer: FetchAnswer
) -> Record | None:
    """An answer has what the leader's log has when it is sent (KAFKA-18723)."""
    log = cluster.logs[answer.leader]
    if answer.record is None or not log.has(answer.offset):
        return answer.record
    return log.record_at(answer.offset)


def note_end_before_removal(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The end of the log is looked up while the old thread appends (KAFKA-13266)."""
    end = cluster.logs[broker].end_offset
    fetcher = cluster.fetchers[broker]
    answer, after = fetcher.answer, cluster
    if answer is not None and fetch_answers.is_current(cluster, broker, answer):
        after = replication.process_partition_data(
            cluster, broker, answer.record, answer.high_watermark
        )
        fetcher = fetcher.finish()
    return after.evolve(fetchers={broker: fetcher.begin_at(end)})


def use_answer_of_deleted_topic(
    cluster: KraftCluster, broker: BrokerId
) -> KraftCluster:
    """A thread fetches for a new replica at once, and takes a late answer for its."""
    return cluster.evolve(fetchers={broker: cluster.fetchers[broker].begin_at(None)})


def serve_stray_log(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A log is taken for that of another topic of the same name (KAFKA-14616)."""
    partition = evolve(cluster.partitions[broker], topic_id=record.topic_id)
    return cluster.evolve(partitions={broker: partition})
