"""What is true of every step of the cluster."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects import (
    channels,
    controller_decisions,
    deletion,
    offline_markers,
    reassignment,
)
from replicheck.model.cluster.cells.channels import LeaderAndIsrRequest, Request
from replicheck.model.cluster.cells.controller.state_machines import (
    LEGAL_BEFORE,
    ReplicaState,
)
from replicheck.model.cluster.cells.controller.tasks import (
    StartReplicaStateMachine,
    WriteElection,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def controller_epoch_never_decreases(before: Cluster, after: Cluster) -> bool:
    """The stored controller epoch only grows (INV-1; holds)."""
    if after.controller_nodes is before.controller_nodes:
        return True
    return after.controller_nodes.epoch >= before.controller_nodes.epoch


def stored_leader_epoch_grows_by_one(
    before: Cluster, after: Cluster, partition: PartitionId
) -> bool:
    """A controller's write adds 1 to the leader epoch, a leader's adds nothing.

    INV-3; holds.
    """
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    old, new = (
        before.partition_nodes[partition].content,
        after.partition_nodes[partition].content,
    )
    if new is None:
        return not after.topic_nodes[partition].exists
    if old is None:
        return new.epoch == 0
    if new.version != old.version + 1:
        return False
    if new.epoch == old.epoch:
        return new.leader == old.leader
    return new.epoch == old.epoch + 1


def elected_leader_was_in_isr(
    before: Cluster, after: Cluster, partition: PartitionId
) -> bool:
    """Elections are clean (INV-8; holds unless unclean ones are allowed)."""
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    if before.bounds.allows_unclean_elections:
        return True
    old, new = (
        before.partition_nodes[partition].content,
        after.partition_nodes[partition].content,
    )
    if old is None or new is None or new.epoch == old.epoch:
        return True
    return new.leader is None or new.leader in old.isr


def unclean_election_is_last_resort(
    before: Cluster, after: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """No replica out of sync is elected while one in sync is online (INV-8; holds).

    Online, that is, as far as the controller knows that elects.
    """
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    if after.threads[controller] is before.threads[controller]:
        return True
    if not before.threads[controller].is_at(WriteElection):
        return True
    old = before.partition_nodes[partition].content
    new = after.partition_nodes[partition].content
    assert old is not None and new is not None, "there was an election"
    context = before.contexts[controller]
    return new.leader in old.isr or not any(
        context.is_live(broker) and not context.holds_offline(broker, partition)
        for broker in sorted(old.isr)
    )


def controller_elects_only_online_replicas(
    before: Cluster, after: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """No controller elects whom it knows to be dead or offline (INV-9; holds).

    Written out, so that a mutation of the controller's own question cannot hide here.
    """
    if after.partition_nodes[partition] is before.partition_nodes[partition]:
        return True
    if after.threads[controller] is before.threads[controller]:
        return True
    if not before.threads[controller].is_at(WriteElection):
        return True
    content = after.partition_nodes[partition].content
    if content is None or content.leader is None:
        return False
    if not before.contexts[controller].is_live(content.leader):
        return False
    return not before.contexts[controller].holds_offline(content.leader, partition)


def deposed_controller_writes_nothing(
    before: Cluster, after: Cluster, controller: BrokerId, partition: PartitionId
) -> bool:
    """Every write of a controller is made in the stored controller epoch.

    INV-2; holds.
    """
    if (
        after.partition_nodes[partition] is before.partition_nodes[partition]
        and after.topic_nodes[partition] is before.topic_nodes[partition]
        and after.notifications is before.notifications
    ):
        return True
    if after.threads[controller] is before.threads[controller]:
        return True
    if not before.contexts[controller].is_active():
        return True
    epoch = before.contexts[controller].epoch
    return before.controller_nodes.has_epoch(epoch)


def replica_leader_epoch_never_decreases(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """While a replica stays online, its leader epoch only grows (INV-18; holds)."""
    if after.replicas[broker][partition] is before.replicas[broker][partition]:
        return True
    if not before.replicas[broker][partition].is_online():
        return True
    if not after.replicas[broker][partition].is_online():
        return True
    old, new = (
        before.replicas[broker][partition].epoch,
        after.replicas[broker][partition].epoch,
    )
    return old is None or (new is not None and new >= old)


def stale_request_changes_nothing(
    before: Cluster,
    after: Cluster,
    controller: BrokerId,
    broker: BrokerId,
    partition: PartitionId,
) -> bool:
    """Requests of deposed controllers, or to earlier processes, are not obeyed.

    INV-19; holds.
    """
    if after.channels[controller][broker] is before.channels[controller][broker]:
        return True
    if _changes_no_replica(before, after, broker, partition):
        return True
    if not before.channels[controller][broker].awaits(object):
        return True
    if not after.processes[broker].is_running:
        return True
    return _is_current(before, broker, before.channels[controller][broker].head)


def _changes_no_replica(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """Tell whether a step changes nothing that requests to a broker are about."""
    return (
        after.replicas[broker][partition] is before.replicas[broker][partition]
        and after.fetchers[broker][partition] is before.fetchers[broker][partition]
        and after.metadata[broker] is before.metadata[broker]
    )


def _is_current(cluster: Cluster, broker: BrokerId, request: Request) -> bool:
    """Tell whether a request is for this process, and of no deposed controller."""
    process = cluster.processes[broker]
    return (
        request.broker_epoch >= process.epoch
        and request.controller_epoch >= process.controller_epoch
    )


def no_log_recreated_beside_offline_directory(
    before: Cluster,
    after: Cluster,
    controller: BrokerId,
    broker: BrokerId,
    partition: PartitionId,
) -> bool:
    """A log might be on a directory that is offline; then no other is begun.

    INV-14; holds.
    """
    if after.channels[controller][broker] is before.channels[controller][broker]:
        return True
    every = before.bounds.directory_ids
    new, old = after.logs[broker][partition], before.logs[broker][partition]
    if not any(
        new[directory].exists and not old[directory].exists for directory in every
    ):
        return True
    if not before.channels[controller][broker].awaits(LeaderAndIsrRequest):
        return True
    request = before.channels[controller][broker].head
    assert isinstance(request, LeaderAndIsrRequest)
    if any(
        asked.is_new and asked.partition == partition for asked in request.partitions
    ):
        return True
    return not any(
        before.directories[broker][directory].is_offline() for directory in every
    )


def stale_duplicate_changes_nothing(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A request that is handled again is checked again (INV-19; holds)."""
    if after.duplicate_requests[broker] is before.duplicate_requests[broker]:
        return True
    if _changes_no_replica(before, after, broker, partition):
        return True
    if not after.processes[broker].is_running:
        return True
    if before.duplicate_requests[broker].is_empty():
        return True
    return _is_current(before, broker, before.duplicate_requests[broker].head)


def acknowledgement_requires_min_insync_replicas(
    before: Cluster, after: Cluster, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader acknowledges with min.insync.replicas in its ISR (B-PROD-1; holds).

    Written out, so that a mutation of the leader's own question cannot hide here.
    """
    if after.acknowledged[partition] is before.acknowledged[partition]:
        return True
    if after.produces[leader][partition] is before.produces[leader][partition]:
        return True
    return len(before.replicas[leader][partition].isr) >= before.bounds.min_isr


def replica_state_transitions_are_valid(
    before: Cluster,
    after: Cluster,
    controller: BrokerId,
    replica: BrokerId,
    partition: PartitionId,
) -> bool:
    """Every transition is in the table of the replica state machine.

    The start of the state machine, which sets states directly, is left out. INV-22;
    holds.
    """
    if after.contexts[controller] is before.contexts[controller]:
        return True
    if before.threads[controller].is_at(StartReplicaStateMachine):
        return True
    new = after.contexts[controller].state_of(replica, partition)
    old = before.contexts[controller].state_of(replica, partition)
    return new is old or new is ReplicaState.NON_EXISTENT or old in LEGAL_BEFORE[new]


STEPS = (
    controller_epoch_never_decreases,
    stored_leader_epoch_grows_by_one,
    elected_leader_was_in_isr,
    unclean_election_is_last_resort,
    controller_elects_only_online_replicas,
    deposed_controller_writes_nothing,
    replica_leader_epoch_never_decreases,
    stale_request_changes_nothing,
    no_log_recreated_beside_offline_directory,
    stale_duplicate_changes_nothing,
    acknowledgement_requires_min_insync_replicas,
    replica_state_transitions_are_valid,
    *channels.STEPS,
    *controller_decisions.STEPS,
    *deletion.STEPS,
    *offline_markers.STEPS,
    *reassignment.STEPS,
)
