"""What the controller does: elect, and take dead replicas out of the ISR.

Source: KafkaReplication.tla.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from replicheck.model.replication.state import AbstractCluster, QuorumState
from replicheck.model.vocabulary import BrokerId, Epoch


def elect_leader(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """The controller elects a member of the ISR that does not lead yet."""
    if _no_epoch_is_left(cluster):
        return
    if leader not in cluster.partition_state.isr:
        return
    if cluster.partition_state.leader == leader:
        return
    yield _publish(cluster, leader, cluster.partition_state.isr)


def elect_leader_among_live(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """The controller elects any member of the ISR; dead brokers leave the ISR at once.

    Who is dead is left open. The specification has no such step; Kafka 2.5.1 has.

    Rules: B-CTRL.  Source: PartitionStateMachine, PartitionLeaderElectionAlgorithms.
    """
    if _no_epoch_is_left(cluster):
        return
    if leader not in cluster.partition_state.isr:
        return
    members = sorted(cluster.partition_state.isr - {leader})
    for number in range(len(members) + 1):
        for live in combinations(members, number):
            yield _publish(cluster, leader, frozenset({leader, *live}))


def remove_from_isr(
    cluster: AbstractCluster, replica: BrokerId
) -> Iterator[AbstractCluster]:
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


def _no_epoch_is_left(cluster: AbstractCluster) -> bool:
    return cluster.next_leader_epoch > cluster.bounds.max_leader_epoch


def _publish(
    cluster: AbstractCluster, leader: BrokerId | None, isr: frozenset[BrokerId]
) -> AbstractCluster:
    """Store a decision under a new leader epoch, and send it to the replicas."""
    epoch = cluster.next_leader_epoch
    decision = QuorumState(leader, epoch, isr)
    return cluster.evolve(
        partition_state=decision,
        requests=cluster.requests.send(decision),
        next_leader_epoch=Epoch(epoch + 1),
    )
