"""The leader's side of AlterPartition: it proposes an ISR, and waits for the answer.

Source: Partition.maybeExpandIsr, Partition.maybeShrinkIsr.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from replicheck.model.kraft.broker.high_watermark import increment_high_watermark
from replicheck.model.kraft.cells.alter_partition import (
    AlterPartitionChannel,
    AlterPartitionError,
    AlterPartitionRequest,
)
from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId

TO_LAST_COMMITTED = frozenset({AlterPartitionError.INELIGIBLE_REPLICA})
"""Errors after which a leader is back in its last committed state."""
TO_SEND_AGAIN = frozenset(
    {AlterPartitionError.NOT_CONTROLLER, AlterPartitionError.STALE_BROKER_EPOCH}
)
"""Errors after which a leader sends its request again."""


def expand_isr(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[KraftCluster]:
    """A leader proposes an ISR with a follower that has caught up.

    Rules: KR-PEND-1, KR-PEND-2.  Source: Partition.maybeExpandIsr.
    """
    partition = cluster.partitions[leader]
    if leader == follower or not may_propose(cluster, leader):
        return
    if partition.counts_in_sync(follower) or not partition.has_replica(follower):
        return
    if not is_follower_in_sync(cluster, leader, follower):
        return
    if is_isr_eligible(cluster, leader, follower):
        yield submit(cluster, leader, partition.isr | {follower})


@rule
def is_follower_in_sync(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> bool:
    """Tell whether a follower has what is committed, and what the leader began with.

    Rules: KR-PEND-2.  Source: Partition.isFollowerInSync.
    """
    partition = cluster.partitions[leader]
    needed = max(partition.high_watermark, partition.epoch_start)
    return cluster.followers[leader][follower].reaches(needed)


@rule
def is_isr_eligible(
    cluster: KraftCluster, leader: BrokerId, follower: BrokerId
) -> bool:
    """Tell whether a follower is active in the leader's image, and of its epoch there.

    Rules: KR-PEND-2, KR-FET-4.  Source: Partition.isReplicaIsrEligible.
    """
    epoch = cluster.followers[leader][follower].epoch
    return cluster.caches[leader].has_active(follower, epoch)


def shrink_isr(cluster: KraftCluster, leader: BrokerId) -> Iterator[KraftCluster]:
    """A leader proposes an ISR without some followers that lag.

    Rules: KR-PEND-3.  Source: Partition.maybeShrinkIsr.
    """
    if not cluster.faults.allow("isr_shrinks") or not may_propose(cluster, leader):
        return
    partition, end = cluster.partitions[leader], cluster.logs[leader].end_offset
    lagging = [
        member
        for member in sorted(partition.isr - {leader})
        if not cluster.followers[leader][member].is_at(end)
    ]
    for count in range(1, len(lagging) + 1):
        for members in combinations(lagging, count):
            after = submit(cluster, leader, partition.isr - frozenset(members))
            yield after.evolve(faults=cluster.faults.spend("isr_shrinks"))


def may_propose(cluster: KraftCluster, leader: BrokerId) -> bool:
    """Tell whether a broker leads, and waits for no answer.

    Rules: KR-PEND-1, KR-PEND-6.  Source: DefaultAlterPartitionManager.submit.
    """
    if not cluster.leads(leader) or cluster.partitions[leader].is_pending():
        return False
    return cluster.channels[leader].is_free()


def submit(
    cluster: KraftCluster, leader: BrokerId, isr: frozenset[BrokerId]
) -> KraftCluster:
    """The cluster with a change of the ISR pending, and its request on its way.

    Rules: KR-PEND-5, KR-PEND-6.  Source: Partition.submitAlterPartition.
    """
    partition = cluster.partitions[leader]
    assert partition.leader_epoch is not None, "a leader has a leader epoch"
    assert partition.partition_epoch is not None, "a leader has a partition epoch"
    request = AlterPartitionRequest(
        broker_epoch=cluster.processes[leader].epoch,
        leader_epoch=partition.leader_epoch,
        partition_epoch=partition.partition_epoch,
        isr=isr,
        member_epochs=frozenset(
            (member, cluster.followers[leader][member].epoch)
            for member in isr - {leader}
        ),
        topic_id=partition.topic_id,
    )
    return cluster.evolve(
        partitions={leader: partition.propose(isr)},
        channels={leader: cluster.channels[leader].submit(request)},
    )


def handle_alter_partition_response(
    cluster: KraftCluster, leader: BrokerId
) -> Iterator[KraftCluster]:
    """A leader learns what became of its proposal, if it still waits for it.

    Rules: KR-PEND-7.  Source: Partition.submitAlterPartition.
    """
    channel = cluster.channels[leader]
    if not is_answered(cluster, leader):
        return
    answer, request = channel.answer, channel.request
    assert request is not None, "an answer is to a request"
    if not is_of_this_process(cluster, leader, request):
        yield cluster.evolve(channels={leader: AlterPartitionChannel()})
    elif answer in TO_SEND_AGAIN:
        yield cluster.evolve(channels={leader: channel.send_again()})
    else:
        freed = cluster.evolve(channels={leader: AlterPartitionChannel()})
        yield complete(freed, leader, request, answer)


@rule
def is_answered(cluster: KraftCluster, leader: BrokerId) -> bool:
    """Tell whether the controller has answered, and what it says is committed.

    Rules: KR-CTL-2.  Source: DeferredEventQueue.completeUpTo.
    """
    return cluster.channels[leader].is_answered(cluster.metadata.committed)


def is_of_this_process(
    cluster: KraftCluster, leader: BrokerId, request: AlterPartitionRequest
) -> bool:
    """Tell whether the process that sent a request still runs.

    Rules: KR-REG-7.  Source: BrokerLifecycleManager.BrokerHeartbeatResponseEvent.
    """
    process = cluster.processes[leader]
    return process.is_running and process.epoch == request.broker_epoch


@rule
def complete(
    cluster: KraftCluster,
    leader: BrokerId,
    request: AlterPartitionRequest,
    answer: PartitionRegistration | AlterPartitionError | None,
) -> KraftCluster:
    """The cluster after an answer, which counts only for the change that is pending.

    Other errors leave the change pending until metadata overrides it.

    Rules: KR-PEND-4, KR-PEND-7, KR-PEND-8.
    Source: Partition.handleAlterPartitionUpdate, Partition.handleAlterPartitionError.
    """
    partition = cluster.partitions[leader]
    if not answers_pending(cluster, leader, request):
        return cluster
    if answer in TO_LAST_COMMITTED:
        return cluster.evolve(partitions={leader: partition.give_up()})
    if not isinstance(answer, PartitionRegistration):
        return cluster
    if answer.leader_epoch != partition.leader_epoch:
        return cluster
    if partition.is_newer_than(answer.partition_epoch):
        return cluster
    after = cluster.evolve(partitions={leader: partition.commit(answer)})
    return increment_high_watermark(after, leader)


def answers_pending(
    cluster: KraftCluster, leader: BrokerId, request: AlterPartitionRequest
) -> bool:
    """Tell whether a request is the one for which the partition waits."""
    partition = cluster.partitions[leader]
    return (
        partition.is_of(request.topic_id)
        and partition.proposed == request.isr
        and partition.leader_epoch == request.leader_epoch
        and partition.partition_epoch == request.partition_epoch
    )
