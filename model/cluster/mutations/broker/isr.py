"""Mutations of who is in sync, and of what is committed."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.broker import replication
from replicheck.model.cluster.broker.high_watermark import commit_up_to_all_of
from replicheck.model.cluster.broker.isr import isr_shrinking
from replicheck.model.cluster.controller.partitions import isr_removal
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, ControllerEpoch, PartitionId, RecordId


def remove_the_last_member(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """The ISR becomes empty (M-8, C-ISR-1)."""

    def without(
        content: LeaderAndIsr, broker: BrokerId, epoch: ControllerEpoch
    ) -> LeaderAndIsr:
        left = isr_removal.without(content, broker, epoch)
        return evolve(left, isr=content.isr - {broker})

    yield from isr_removal.plan_isr_removal(cluster, controller, without)


def remove_without_a_new_epoch(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The leader takes the smaller ISR for what it knew (M-9, C-ISR-1)."""

    def without(
        content: LeaderAndIsr, broker: BrokerId, epoch: ControllerEpoch
    ) -> LeaderAndIsr:
        left = isr_removal.without(content, broker, epoch)
        return evolve(left, epoch=content.epoch)

    yield from isr_removal.plan_isr_removal(cluster, controller, without)


def cache_isr_before_write(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader believes in an ISR that was not written yet (M-25, B-ISR-1)."""
    if not cluster.faults.allow("isr_shrinks"):
        return
    if not isr_shrinking.is_out_of_sync(cluster, leader, follower, partition):
        return
    replica = cluster.replicas[leader][partition]
    cached = replica.with_isr(replica.isr - {follower}, replica.version)
    yield cluster.evolve(
        replicas={(leader, partition): cached},
        faults=cluster.faults.spend("isr_shrinks"),
    )


def leave_the_own_isr(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader takes itself out of the ISR (B-ISR-1)."""
    if leader != follower or not cluster.faults.allow("isr_shrinks"):
        return
    if not cluster.presumes_leadership(leader, partition):
        return
    if not replication.is_version_current(cluster, leader, partition):
        return
    isr = cluster.replicas[leader][partition].isr - {leader}
    after = replication.store_isr(cluster, leader, partition, isr)
    yield after.evolve(faults=cluster.faults.spend("isr_shrinks"))


def let_followers_join_below_the_epoch(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """The start of the leader's epoch is not compared (M-26, B-ISR-2)."""
    yield from replication.serve_fetch(
        cluster, leader, follower, partition, replication.reaches_high_watermark
    )


def commit_alone(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A leader commits what no follower has (M-27, B-HW-1)."""
    if cluster.next_record >= cluster.bounds.records:
        return
    if not cluster.presumes_leadership(leader, partition):
        return
    epoch = cluster.replicas[leader][partition].epoch
    assert epoch is not None, "a replica that leads has an epoch"
    directory = cluster.directory_of(leader, partition)
    record = Record(RecordId(cluster.next_record), epoch)
    log = cluster.logs[leader][partition][directory]
    cluster = cluster.evolve(
        logs={(leader, partition, directory): log.append(record)},
        next_record=RecordId(cluster.next_record + 1),
    )
    yield commit_up_to_all_of(cluster, leader, partition, ())


MUTATIONS: dict[str, Protocol] = {
    "m-8-remove-the-last-member": KAFKA_2_5.replacing(
        isr_removal.read_for_isr_removal, by=remove_the_last_member
    ),
    "m-9-remove-without-a-new-epoch": KAFKA_2_5.replacing(
        isr_removal.read_for_isr_removal, by=remove_without_a_new_epoch
    ),
    "m-25-cache-isr-before-write": KAFKA_2_5.replacing(
        isr_shrinking.shrink_isr, by=cache_isr_before_write
    ),
    "b-isr-1-leave-the-own-isr": KAFKA_2_5.replacing(
        isr_shrinking.shrink_isr, by=leave_the_own_isr
    ),
    "m-26-let-followers-join-below-the-epoch": KAFKA_2_5.replacing(
        replication.fetch, by=let_followers_join_below_the_epoch
    ),
    "m-27-commit-alone": KAFKA_2_5.replacing(replication.append, by=commit_alone),
}
