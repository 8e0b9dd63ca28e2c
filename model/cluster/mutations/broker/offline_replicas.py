"""Mutations of what a broker does with a replica that is marked offline."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import deletion
from replicheck.model.cluster.broker.isr import isr_shrinking
from replicheck.model.cluster.broker.processes import forget_replica
from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import store_partition_state
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, PartitionId


def shrink_isr_of_stale_partition(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """The ISR shrinks for a partition object of before the failure (KAFKA-7837).

    Its version counts as current as long as the broker is the stored leader: that is
    so if no other member left the ISR since.
    """
    if not cluster.replicas[leader][partition].is_offline():
        yield from isr_shrinking.shrink_isr(cluster, leader, follower, partition)
        return
    if leader == follower or not cluster.faults.allow("isr_shrinks"):
        return
    content = cluster.partition_nodes[partition].content
    if content is None or content.leader != leader or follower not in content.isr:
        return
    smaller = content.with_isr(content.isr - {follower})
    cluster = store_partition_state(cluster, partition, smaller)
    yield cluster.evolve(faults=cluster.faults.spend("isr_shrinks"))


def forget_before_looking(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Cluster, Answer]]:
    """Deleting an offline replica is refused, and its marker is gone (KAFKA-7313)."""
    if cluster.replicas[broker][partition].is_offline():
        yield forget_replica(cluster, broker, partition), Answer.STORAGE_ERROR
        return
    yield from original(deletion.delete_replica)(cluster, broker, partition)


MUTATIONS: dict[str, Protocol] = {
    "kafka-7837-shrink-isr-of-stale-partition": KAFKA_2_5.replacing(
        isr_shrinking.shrink_isr, by=shrink_isr_of_stale_partition
    ),
    "kafka-7313-forget-before-looking": KAFKA_2_5.replacing(
        deletion.delete_replica, by=forget_before_looking
    ),
}
