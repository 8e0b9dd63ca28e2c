"""What the controller does: elect, and take dead replicas out of the ISR.

Source: KafkaReplication.tla.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.replication.state import Cluster, LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, Epoch


def elect_leader(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """The controller elects a member of the ISR that does not lead yet."""
    if _no_epoch_is_left(cluster):
        return
    if leader not in cluster.partition_state.isr:
        return
    if cluster.partition_state.leader == leader:
        return
    yield _publish(cluster, leader, cluster.partition_state.isr)


def remove_from_isr(cluster: Cluster, replica: BrokerId) -> Iterator[Cluster]:
    """The controller takes a replica that it holds for dead out of the ISR.

    If the replica leads, the partition has no leader from then on. The last member of
    the ISR stays in it when it is the leader that goes.
    """
    if _no_epoch_is_left(cluster):
        return
    state = cluster.partition_state
    isr = state.isr
    if state.leader == replica:
        yield _publish(cluster, None, isr if isr == {replica} else isr - {replica})
    elif replica in isr:
        yield _publish(cluster, state.leader, isr - {replica})


def _no_epoch_is_left(cluster: Cluster) -> bool:
    return cluster.next_leader_epoch > cluster.bounds.max_leader_epoch


def _publish(
    cluster: Cluster, leader: BrokerId | None, isr: frozenset[BrokerId]
) -> Cluster:
    """Store a decision under a new leader epoch, and send it to the replicas."""
    epoch = cluster.next_leader_epoch
    decision = LeaderAndIsr(leader, epoch, isr)
    return cluster.evolve(
        partition_state=decision,
        requests=cluster.requests.send(decision),
        next_leader_epoch=Epoch(epoch + 1),
    )
