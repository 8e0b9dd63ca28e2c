"""The controller, reduced to its decisions.

Abstraction: an election reads and writes ZooKeeper and sends its requests at once, at
any time; which failure moved the controller is left open.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching.state import Brokers
from replicheck.model.rules import rule
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId


def elect_leader(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A live member of the ISR comes to lead in the next epoch, maybe once more.

    Who is not live leaves the ISR.

    Rules: B-CTRL.  Source: KafkaController, PartitionStateMachine.
    """
    if not cluster.partition_nodes[partition].counts_in_sync(leader):
        return
    if not is_live(cluster, leader, partition):
        return
    content = cluster.partition_nodes[partition].content
    assert content is not None, "it has an ISR"
    isr = frozenset(
        member for member in sorted(content.isr) if is_live(cluster, member, partition)
    )
    yield from send_leader_and_isr(cluster, partition, content, leader, isr)


def elect_leader_uncleanly(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """No member of the ISR is live, and another replica comes to lead, alone in sync.

    Rules: B-CTRL.  Source: PartitionLeaderElectionAlgorithms.
    """
    if not cluster.faults.allow("unclean_elections"):
        return
    if not is_live(cluster, leader, partition):
        return
    content = cluster.partition_nodes[partition].content
    assert content is not None, "every partition was initialised"
    if any(is_live(cluster, member, partition) for member in sorted(content.isr)):
        return
    cluster = cluster.evolve(faults=cluster.faults.spend("unclean_elections"))
    isr = frozenset({leader})
    yield from send_leader_and_isr(cluster, partition, content, leader, isr)


@rule
def is_live(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> bool:
    """Tell whether a broker runs, and its replica is not marked offline."""
    if not cluster.processes[broker].is_running:
        return False
    return not cluster.replicas[broker][partition].is_offline()


def send_leader_and_isr(
    cluster: Brokers,
    partition: PartitionId,
    content: LeaderAndIsr,
    leader: BrokerId,
    isr: frozenset[BrokerId],
) -> Iterator[Brokers]:
    """Store a decision in the next epoch, and send it to the brokers."""
    if content.epoch >= cluster.bounds.max_leader_epoch:
        return
    content = content.decided(leader, isr, content.controller_epoch)
    yield cluster.evolve(
        partition_nodes={partition: cluster.partition_nodes[partition].write(content)},
        inboxes={
            (broker, partition): cluster.inboxes[broker][partition].send(content)
            for broker in brokers_to_tell(cluster, partition, leader)
        },
    )


@rule
def brokers_to_tell(
    cluster: Brokers, partition: PartitionId, leader: BrokerId
) -> tuple[BrokerId, ...]:
    """The brokers that are sent a decision: all that run, also who led before.

    Rules: B-CTRL.
    Source: AbstractControllerBrokerRequestBatch.addLeaderAndIsrRequestForBrokers.
    """
    return tuple(
        broker
        for broker in cluster.bounds.broker_ids
        if cluster.processes[broker].is_running
    )


def lose_request(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A broker never obeys a decision of a controller that ends.

    The next controller sends every broker what is stored by then. That may be a newer
    decision, which the last one stored and did not send. Or its leader has died since,
    so that the broker ignores it (``unknown_leaders``).

    Rules: B-CTRL.
    Source: KafkaController.onControllerFailover, ReplicaStateMachine.startup,
    ReplicaManager.makeFollowers.
    """
    if not cluster.faults.allow("lost_requests"):
        return
    if cluster.inboxes[broker][partition].is_empty():
        return
    left = cluster.inboxes[broker][partition].pop()
    yield cluster.evolve(
        inboxes={(broker, partition): left},
        faults=cluster.faults.spend("lost_requests"),
    )


def repeat_request(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A new controller tells a broker what is stored, which it may know.

    Rules: B-CTRL.  Source: KafkaController.onControllerFailover.
    """
    if not cluster.faults.allow("repeated_requests"):
        return
    if not cluster.processes[broker].is_running:
        return
    content = cluster.partition_nodes[partition].content
    assert content is not None, "every partition was initialised"
    inbox = cluster.inboxes[broker][partition].send(content)
    yield cluster.evolve(
        inboxes={(broker, partition): inbox},
        faults=cluster.faults.spend("repeated_requests"),
    )
