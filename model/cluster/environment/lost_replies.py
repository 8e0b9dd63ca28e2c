"""ZooKeeper does what it was asked for, and its reply gets lost.

The client asks again, and finds what it wrote itself. What that leads to differs: a
leader compares and goes on, a controller computes anew, and a notification is there
twice. Where the repetition shows in nothing there is no action: the znodes of
controllers and brokers, and deletions.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import replication
from replicheck.model.cluster.broker.high_watermark import increment_high_watermark
from replicheck.model.cluster.broker.isr import isr_shrinking
from replicheck.model.cluster.broker.isr.isr_changes import record_isr_change
from replicheck.model.cluster.cells.controller.tasks import (
    InitializePartition,
    ReadForIsrRemoval,
    WriteElection,
    WriteIsrRemoval,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller.controller_election import is_fenced
from replicheck.model.cluster.controller.partitions.partition_states import (
    first_leader_and_isr,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches, store_partition_state
from replicheck.model.protocol import Action
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId


def lose_reply_to_initialization(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A partition's znode is created, and the controller is told that it exists.

    It does not look which controller wrote it, so the partition stays new.

    Rules: C-PSM-2.
    Source: ZkPartitionStateMachine.initializeLeaderAndIsrForPartitions.
    """
    if not cluster.faults.allow("lost_replies"):
        return
    if not cluster.threads[controller].is_at(InitializePartition):
        return
    if is_fenced(cluster, controller):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, InitializePartition)
    if cluster.partition_nodes[task.partition].exists():
        return
    content = first_leader_and_isr(cluster, controller, task.partition)
    if content is not None:
        yield _write(cluster, task.partition, content)


def lose_reply_to_election(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A new leader is stored, and the controller reads and elects once more.

    Rules: X-2, Z-STATE-2, C-PSM-3.
    Source: ZkPartitionStateMachine.electLeaderForPartitions.
    """
    if not cluster.faults.allow("lost_replies"):
        return
    if not cluster.threads[controller].is_at(WriteElection):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, WriteElection)
    if not _would_succeed(cluster, controller, task.reading.partition, task.content):
        return
    again = cluster.threads[controller].finish((task.reading,))
    written = _write(cluster, task.reading.partition, task.content)
    yield written.evolve(threads={controller: again})


def lose_reply_to_isr_removal(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A replica is taken out of the ISR, and the controller reads once more.

    Rules: X-2, Z-STATE-2, C-ISR-1.
    Source: ZkReplicaStateMachine.removeReplicasFromIsr.
    """
    if not cluster.faults.allow("lost_replies"):
        return
    if not cluster.threads[controller].is_at(WriteIsrRemoval):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, WriteIsrRemoval)
    _broker, partition = task.replicas[0]
    if not _would_succeed(cluster, controller, partition, task.content):
        return
    again = cluster.threads[controller].finish((ReadForIsrRemoval(task.replicas),))
    written = _write(cluster, partition, task.content)
    yield written.evolve(threads={controller: again})


def lose_reply_to_notification(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """The failure handler creates its notification twice.

    Rules: Z-LDE-1, Z-LDE-2.  Source: KafkaZkClient.propagateLogDirEvent.
    """
    if not cluster.faults.allow("lost_replies"):
        return
    if not cluster.handlers[broker].has_closed():
        return
    if cluster.processes[broker].is_cut_off:
        return
    cluster = fire_watches(cluster, ZooKeeperPath.LOG_DIR_EVENTS)
    yield cluster.evolve(
        faults=cluster.faults.spend("lost_replies"),
        notifications=cluster.notifications.create(broker),
    )


def lose_reply_to_expansion(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader stores an ISR with one more member, and does not know it yet.

    Rules: Z-STATE-2, B-ISR-2.  Source: Partition.expandIsr.
    """
    if not cluster.faults.allow("lost_replies"):
        return
    if not replication.may_serve(cluster, leader, follower, partition):
        return
    if not replication.reaches_epoch_start(cluster, leader, follower, partition):
        return
    isr = cluster.replicas[leader][partition].isr | {follower}
    yield from leave_unconfirmed(cluster, leader, partition, isr)


def lose_reply_to_shrink(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader stores an ISR with one member less, and does not know it yet.

    Rules: Z-STATE-2, B-ISR-1.  Source: Partition.shrinkIsr.
    """
    if not cluster.faults.allow("lost_replies"):
        return
    if not cluster.faults.allow("isr_shrinks"):
        return
    if not isr_shrinking.is_out_of_sync(cluster, leader, follower, partition):
        return
    isr = cluster.replicas[leader][partition].isr - {follower}
    cluster = cluster.evolve(faults=cluster.faults.spend("isr_shrinks"))
    yield from leave_unconfirmed(cluster, leader, partition, isr)


def confirm_isr(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader whose write was refused reads, and compares with what it wrote.

    If another wrote since, it keeps the ISR that it had. Until then the partition is
    locked: it appends nothing, and serves no follower and obeys no controller.

    Rules: Z-STATE-2.  Source: ReplicationUtils.checkLeaderAndIsrZkData.
    """
    if not cluster.replicas[leader][partition].is_locked():
        return
    if cluster.processes[leader].is_cut_off:
        return
    replica = cluster.replicas[leader][partition]
    isr = replica.unconfirmed
    content = cluster.partition_nodes[partition].content
    assert isr is not None, "the partition is locked"
    assert content is not None, "it was written"
    settled = replica.settle()
    if content.isr != isr or not replica.is_in(content.leader, content.epoch):
        yield cluster.evolve(replicas={(leader, partition): settled})
        return
    known = settled.with_isr(isr, content.version)
    cluster = cluster.evolve(replicas={(leader, partition): known})
    cluster = record_isr_change(cluster, leader, partition)
    yield increment_high_watermark(cluster, leader, partition)


def leave_unconfirmed(
    cluster: Cluster, leader: BrokerId, partition: PartitionId, isr: frozenset[BrokerId]
) -> Iterator[Cluster]:
    """Write the ISR, if the leader can, and lock the partition.

    Rules: Z-STATE-2.  Source: Partition.expandIsr, Partition.shrinkIsr.
    """
    if cluster.processes[leader].is_cut_off:
        return
    if not replication.is_version_current(cluster, leader, partition):
        return
    content = cluster.partition_nodes[partition].content
    assert content is not None, "the version was compared"
    locked = cluster.replicas[leader][partition].await_confirmation(isr)
    written = _write(cluster, partition, content.with_isr(isr))
    yield written.evolve(replicas={(leader, partition): locked})


def _would_succeed(
    cluster: Cluster, controller: BrokerId, partition: PartitionId, new: LeaderAndIsr
) -> bool:
    if is_fenced(cluster, controller):
        return False
    return cluster.partition_nodes[partition].has_version(new.version - 1)


def _write(cluster: Cluster, partition: PartitionId, content: LeaderAndIsr) -> Cluster:
    cluster = store_partition_state(cluster, partition, content)
    return cluster.evolve(faults=cluster.faults.spend("lost_replies"))


ACTIONS: tuple[Action, ...] = (
    lose_reply_to_initialization,
    lose_reply_to_election,
    lose_reply_to_isr_removal,
    lose_reply_to_notification,
    lose_reply_to_expansion,
    lose_reply_to_shrink,
    confirm_isr,
)
