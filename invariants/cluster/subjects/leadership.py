"""Who leads, and in which epoch."""

from __future__ import annotations

from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def controller_epoch_has_one_controller(
    cluster: Cluster, first: BrokerId, second: BrokerId
) -> bool:
    """Each controller epoch belongs to one broker (INV-1; holds)."""
    if first >= second:
        return True
    if not cluster.contexts[first].is_active():
        return True
    if not cluster.contexts[second].is_active():
        return True
    return cluster.contexts[first].epoch != cluster.contexts[second].epoch


def leader_epoch_has_one_leader(
    cluster: Cluster, first: BrokerId, second: BrokerId, partition: PartitionId
) -> bool:
    """Each leader epoch belongs to one broker (INV-4; holds)."""
    if first >= second:
        return True
    if not cluster.presumes_leadership(first, partition):
        return True
    return not cluster.leads_in(
        second, partition, cluster.replicas[first][partition].epoch
    )


def stored_isr_is_never_empty(cluster: Cluster, partition: PartitionId) -> bool:
    """A replica can always be elected cleanly (INV-5; holds)."""
    content = cluster.partition_nodes[partition].content
    return content is None or len(content.isr) > 0


def stored_leader_is_in_isr(cluster: Cluster, partition: PartitionId) -> bool:
    """The leader of the partition, if it has one, is in the ISR (INV-6; holds)."""
    content = cluster.partition_nodes[partition].content
    return content is None or content.leader is None or content.leader in content.isr


def stored_isr_is_within_assignment(
    cluster: Cluster, member: BrokerId, partition: PartitionId
) -> bool:
    """Every member of the ISR is assigned.

    INV-7; holds unless a reassignment is cancelled.
    """
    if not cluster.partition_nodes[partition].counts_in_sync(member):
        return True
    return cluster.topic_nodes[partition].assigns(member)


def leader_epoch_has_one_process(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """No log has records of the epoch from before the process came to lead in it.

    INV-28; holds unless a restart of the leader is hidden from the controllers, since
    one follows on the other in between (C-INIT-3).
    """
    if not cluster.presumes_leadership(leader, partition):
        return True
    replica = cluster.replicas[leader][partition]
    log = cluster.logs[leader][partition][cluster.directory_of(leader, partition)]
    before = log.up_to(replica.epoch_start)
    epochs = {content.epoch for content in before if content is not None}
    return replica.epoch not in epochs


def leader_knows_stored_isr(
    cluster: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader in the stored epoch has the stored ISR and version.

    While it waits for ZooKeeper to confirm a write, it need not. INV-10; holds.
    """
    if not cluster.presumes_leadership(leader, partition):
        return True
    if cluster.replicas[leader][partition].is_locked():
        return True
    if not cluster.partition_nodes[partition].has_epoch(
        cluster.replicas[leader][partition].epoch
    ):
        return True
    content = cluster.partition_nodes[partition].content
    assert content is not None, "its epoch was compared"
    if cluster.replicas[leader][partition].version != content.version:
        return False
    return cluster.replicas[leader][partition].isr == content.isr


def no_epoch_exceeds_stored_epoch(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """No replica and no controller is ahead of ZooKeeper (type invariant; holds).

    That is, as long as the topic exists.
    """
    if not cluster.topic_nodes[partition].exists:
        return True
    content = cluster.partition_nodes[partition].content
    epoch = cluster.replicas[broker][partition].epoch
    if epoch is not None and (content is None or epoch > content.epoch):
        return False
    info = cluster.contexts[broker].info_of(partition)
    return info is None or (content is not None and info.epoch <= content.epoch)


SAFETY = (
    controller_epoch_has_one_controller,
    leader_epoch_has_one_leader,
    stored_isr_is_never_empty,
    stored_leader_is_in_isr,
    stored_isr_is_within_assignment,
    leader_epoch_has_one_process,
    leader_knows_stored_isr,
    no_epoch_exceeds_stored_epoch,
)
