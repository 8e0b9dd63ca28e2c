"""A broker publishes metadata: one image, however many records lie between.

Source: MetadataLoader, BrokerMetadataPublisher, ReplicaManager.applyDelta.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.broker.directories import (
    create_replica,
    open_log,
    queue_assignment,
    set_stray_aside,
)
from replicheck.model.kraft.broker.high_watermark import increment_high_watermark
from replicheck.model.kraft.broker.log_moves import (
    cancel_move,
    end_idle_thread,
    recover_abandoned_log,
    resume_move,
)
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.cells.partition import FollowerState
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, Offset


def publish_metadata(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """A broker applies a later image, which merges all that it had not applied.

    Rules: KR-PUB-1, KR-PUB-2, KR-DELTA-1.
    Source: MetadataLoader.maybePublishMetadata.
    """
    process = cluster.processes[broker]
    if not process.is_running:
        return
    known = process.start - 1 if process.published is None else process.published
    for offset in cluster.metadata.committed_after(known):
        yield apply_delta(cluster, broker, offset)


def apply_delta(cluster: KraftCluster, broker: BrokerId, offset: int) -> KraftCluster:
    """The cluster after a broker went from its image to a later one.

    A partition that is offline ignores it.

    Rules: KR-DELTA-1, KR-DELTA-2, KR-DISK-5.  Source: ReplicaManager.applyDelta.
    """
    process = cluster.processes[broker]
    image = cluster.metadata.at(offset)
    record = image.partition
    is_new = is_changed(cluster, broker, record)
    after = cluster.evolve(
        processes={broker: process.publish(offset)}, caches={broker: image}
    )
    after = after.evolve(metadata=after.metadata.drop_before(oldest_needed(after)))
    if is_of_deleted_topic(cluster, broker, record):
        after = delete_replica(after, broker)
    if not record.has_replica(broker):
        return delete_replica(after, broker)
    if not process.has_published:
        after = set_stray_aside(after, broker, record)
        after = recover_abandoned_log(after, broker, record)
        after = open_log(after, broker, record)
    if not is_new:
        return after
    if not had_replica(cluster, broker, record):
        after = create_replica(after, broker, record)
    after = resume_move(meet_offline(after, broker), broker, record)
    after = end_idle_thread(after, broker)
    if after.partitions[broker].is_offline:
        return after
    if has_other_directories(cluster, broker, record, offset):
        after = queue_assignment(after, broker, record)
    if record.leader == broker:
        return make_leader(after, broker, record)
    return make_follower(after, broker, record)


@rule
def meet_offline(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster after a delta met a replica, which stays offline if it is.

    Rules: KR-DISK-5.  Source: ReplicaManager.getOrCreatePartition.
    """
    return cluster


def had_replica(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> bool:
    """Tell whether a broker has a replica in the image before, or had no image.

    A replica of another topic is none.
    """
    if not cluster.processes[broker].has_published:
        return True
    known = cluster.caches[broker].partition
    return known.has_replica(broker) and known.is_of(record.topic_id)


def is_of_deleted_topic(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> bool:
    """Tell whether a broker has a replica of a topic that is gone in a later image.

    The image may already have another topic of the same name.

    Rules: KR-DELTA-2, KR-TOP-3.  Source: TopicsDelta.localChanges.
    """
    if not cluster.processes[broker].has_published:
        return False
    known = cluster.caches[broker].partition
    return known.has_replica(broker) and not known.is_of(record.topic_id)


@rule
def delete_replica(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """A broker that has no replica any more deletes its log, but for an offline one.

    Rules: KR-DEL-1, KR-DISK-6, KR-REA-4, KR-TOP-3.
    Source: ReplicaManager.stopPartitions.
    """
    cluster = cancel_move(cluster, broker)
    partition = cluster.partitions[broker]
    if partition.is_offline:
        return cluster
    return cluster.evolve(
        logs={broker: cluster.empty_log()},
        partitions={broker: partition.begin(partition.topic_id)},
        followers={
            (broker, follower): FollowerState()
            for follower in cluster.bounds.broker_ids
        },
    )


@rule
def has_other_directories(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration, offset: int
) -> bool:
    """Tell whether any record lists directories, or is the first one of its topic.

    A replica that is new to a partition has no directory to compare with: it does not
    count. Entries are compared by identity, so one in a list that changes back does,
    and one at another place in the list.

    Rules: KR-ASG-1.  Source: TopicDelta.localChanges.
    """
    known, published = (
        cluster.caches[broker].partition,
        cluster.processes[broker].published,
    )
    if published is None or not known.is_of(record.topic_id):
        return True
    if not known.has_replica(broker):
        return False
    if record.replicas.index(broker) != known.replicas.index(broker):
        return True
    return any(
        cluster.metadata.at(later).partition.listed_directories
        != known.listed_directories
        for later in range(published + 1, offset + 1)
    )


def oldest_needed(cluster: KraftCluster) -> int:
    """The offset of the oldest image that any process needs, or the committed one."""
    needed = [
        process.oldest_needed
        for process in cluster.processes
        if process.oldest_needed is not None
    ]
    return min([*needed, cluster.metadata.committed])


def is_changed(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> bool:
    """Tell whether the partition differs from that in the broker's image.

    Rules: KR-DELTA-1.  Source: TopicDelta.localChanges.
    """
    if not cluster.processes[broker].has_published:
        return True
    return not cluster.caches[broker].has_same_epoch(record)


@rule
def make_leader(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A broker leads, or goes on to lead; what it asked for is not pending any more.

    A record of the partition epoch that is known already is applied, too.

    Rules: KR-LEAD-1, KR-LEAD-2, KR-PEND-8, KR-PEND-9, KR-EPOCH-1.
    Source: Partition.makeLeader.
    """
    partition = cluster.partitions[broker]
    if partition.is_newer_than(record.partition_epoch):
        return cluster
    begins_epoch = partition.is_behind(record.leader_epoch)
    start = partition.epoch_start
    if begins_epoch:
        start = cluster.logs[broker].end_offset
    after = cluster.evolve(
        partitions={broker: partition.lead(record, start)},
        followers={
            (broker, follower): state
            for follower, state in follower_states(cluster, broker, record).items()
        },
    )
    after = after.evolve(
        followers={
            (broker, follower): FollowerState()
            for follower in cluster.bounds.broker_ids
            if not record.has_replica(follower)
        }
    )
    return increment_high_watermark(after, broker)


@rule
def follower_states(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> dict[BrokerId, FollowerState]:
    """What changes in what a leader knows of followers: all of it if it did not lead.

    Rules: KR-LEAD-3.  Source: Replica.resetReplicaState.
    """
    partition = cluster.partitions[broker]
    if not partition.is_behind(record.leader_epoch) or partition.is_led_by(broker):
        return {}
    return {follower: FollowerState() for follower in cluster.bounds.broker_ids}


@rule
def make_follower(
    cluster: KraftCluster, broker: BrokerId, record: PartitionRegistration
) -> KraftCluster:
    """A broker follows, or has no leader; it forgets what it knew of followers.

    Rules: KR-FOL-1, KR-FOL-2.  Source: Partition.makeFollower.
    """
    partition = cluster.partitions[broker]
    if partition.is_newer_than(record.partition_epoch):
        return cluster
    if partition.is_behind(record.leader_epoch):
        cluster = add_fetcher(cluster, broker)
    return cluster.evolve(
        partitions={broker: partition.follow(record)},
        followers={
            (broker, follower): FollowerState()
            for follower in cluster.bounds.broker_ids
        },
    )


@rule
def add_fetcher(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster after a follower was taken from its thread and added to one.

    It is removed first, and then the end of its log is looked up. A thread does not use
    a late answer for a log without epochs: it cuts that to the high watermark first.

    Rules: KR-FOL-2, KR-TRU-4.  Source: ReplicaManager.applyLocalFollowersDelta.
    """
    fetcher = cluster.fetchers[broker].begin_at(None)
    if not cluster.logs[broker].has(Offset(0)):
        fetcher = fetcher.finish()
    return cluster.evolve(fetchers={broker: fetcher})
