"""Log directories in the metadata: which failed, and where a replica lies."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import asdict, evolve

from replicheck.model.kraft.broker import assignments_manager
from replicheck.model.kraft.cells.metadata import (
    BrokerRegistration,
    PartitionRegistration,
)
from replicheck.model.kraft.controller.change_targets import PartitionChange
from replicheck.model.kraft.controller.events import without_broker, write
from replicheck.model.kraft.controller.partition_change import build
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, Epoch


def report_offline_directories(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A heartbeat says which directories have failed, and replicas there leave the ISR.

    Rules: KR-DIR-2, KR-DIR-4, KR-DIR-5, KR-DISK-3, KR-HB-5.
    Source: ReplicationControlManager.handleDirectoriesOffline.
    """
    if not can_send_heartbeat(cluster, broker):
        return
    if cluster.processes[broker].awaits_answer:
        return
    if is_changed_by_heartbeat(cluster, broker):
        return
    after = report_directories(cluster, cluster, broker)
    if after != cluster:
        yield from write(cluster, after)


def can_send_heartbeat(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a process is registered, and no heartbeat of it ends the controller.

    Rules: KR-CTL-5.  Source: ReplicationControlManager.processBrokerHeartbeat.
    """
    if not cluster.is_alive(broker):
        return False
    return not reports_deleted_topic(cluster, broker)


def reports_deleted_topic(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a failed directory is said to have a partition of a deleted topic.

    The controller looks for the topic, throws, and resigns; so does the next one.

    Rules: KR-TOP-3, KR-DIR-4, KR-CTL-5.
    Source: ReplicationControlManager.generateLeaderAndIsrUpdates.
    """
    if cluster.stored.replicas:
        return False
    return cluster.stored.lies_in(broker, newly_offline(cluster, broker))


def is_changed_by_heartbeat(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a process is stopping, and each heartbeat of it changes more.

    Its controlled shutdown begins, or it is released.

    Rules: KR-HB-3, KR-CTL-8.  Source: BrokerHeartbeatManager.calculateNextBrokerState.
    """
    if not cluster.processes[broker].is_stopping:
        return False
    registration = cluster.registrations[broker]
    if registration.is_active or registration.is_fenced:
        return True
    if cluster.stored.is_led_by(broker):
        return False
    is_known = cluster.shutdown_offsets[broker] is not None
    return not is_known or not awaited_at_shutdown(cluster)


def awaited_at_shutdown(cluster: KraftCluster) -> tuple[BrokerId, ...]:
    """The brokers that have to apply a shutdown before it ends.

    One whose own shutdown the controller has forgotten is among them.

    Rules: KR-SHUT-4, KR-CTL-8.  Source: BrokerHeartbeatManager.lowestActiveOffset.
    """
    return tuple(
        broker
        for broker in cluster.bounds.broker_ids
        if not cluster.registrations[broker].is_fenced
        if cluster.shutdown_offsets[broker] is None
    )


def report_directories(
    before: KraftCluster, after: KraftCluster, broker: BrokerId
) -> KraftCluster:
    """The cluster after an event, and after the report of directories in the same one.

    What the report makes of the partition is computed from what was before the event.

    Rules: KR-CTL-4, KR-DIR-4, KR-HB-5.
    Source: ReplicationControlManager.handleDirectoriesOffline.
    """
    failed = newly_offline(before, broker)
    if not failed:
        return after
    partition = after.stored
    if before.stored.lies_in(broker, failed):
        second = without_broker(before, broker)
        partition = merged(before.stored, after.stored, second)
    return after.evolve(
        stored=partition,
        registrations={broker: without_directories(after, broker, failed)},
        processes={broker: after.processes[broker].send_heartbeat()},
    )


@rule
def without_directories(
    cluster: KraftCluster, broker: BrokerId, failed: frozenset[DirectoryId]
) -> BrokerRegistration:
    """A broker's registration without some directories; an empty list changes nothing.

    Rules: KR-DIR-4.  Source: ClusterControlManager.replay.
    """
    return cluster.registrations[broker].without_directories(failed)


def newly_offline(cluster: KraftCluster, broker: BrokerId) -> frozenset[DirectoryId]:
    """The failed directories of a broker that count as online in its registration."""
    offline = cluster.processes[broker].offline
    return offline & cluster.registrations[broker].directories


def merged(
    base: PartitionRegistration,
    first: PartitionRegistration,
    second: PartitionRegistration,
) -> PartitionRegistration:
    """The partition after two records of one event, both computed from one base.

    The second overwrites what it names, and knows nothing of the first.

    Rules: KR-CTL-4, KR-REC-1.  Source: PartitionRegistration.merge.
    """
    if second == base:
        return first
    named = {
        name: value
        for name, value in asdict(second, recurse=False).items()
        if value != getattr(base, name)
    }
    if second.leader_epoch != base.leader_epoch:
        named |= {"leader": second.leader}
        named |= {"leader_epoch": Epoch(first.leader_epoch + 1)}
    named |= {"partition_epoch": first.partition_epoch + 1}
    return evolve(first, **named)


def assign_replica_to_directory(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A broker says in which directory its replica lies, though it may have failed.

    It asks again until it sees it.

    Rules: KR-DIR-6, KR-ASG-2, KR-ASG-3, KR-ASG-4.
    Source: ReplicationControlManager.handleAssignReplicasToDirs.
    """
    if cluster.bounds.moves_replicas:
        return
    directory = cluster.processes[broker].assignment
    if directory is None or not cluster.processes[broker].has_published:
        return
    epoch = assignments_manager.epoch_of_assignment(cluster, broker)
    if not cluster.is_registered(broker, epoch):
        return
    if cluster.stored.is_assigned(broker, directory):
        return
    if not cluster.stored.has_replica(broker):
        return
    if not cluster.partitions[broker].is_of(cluster.stored.topic_id):
        return
    partition = assigned(cluster, broker, directory)
    yield from write(cluster, cluster.evolve(stored=partition))


def handle_assignment(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """The controller stores where a replica lies; its answer waits for the commit.

    It refuses a request whose broker epoch, topic or replica it does not have.

    Rules: KR-DIR-6, KR-DIR-7, KR-ASG-3.
    Source: ReplicationControlManager.handleAssignReplicasToDirs.
    """
    channel = cluster.assignments[broker]
    if channel.sent is None or not channel.awaits_controller:
        return
    sent, stored = channel.sent, cluster.stored
    is_known = stored.is_of(sent.topic_id) and stored.has_replica(broker)
    if not is_known or not cluster.is_registered(broker, sent.epoch):
        yield assignments_manager.queue_again(cluster, broker, sent)
        return
    partition, end = assigned(cluster, broker, sent.directory), cluster.metadata.end
    if partition == cluster.stored:
        yield cluster.evolve(assignments={broker: channel.reply(end)})
        return
    answered = cluster.evolve(
        stored=partition, assignments={broker: channel.reply(end + 1)}
    )
    yield from write(cluster, answered)


def assigned(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> PartitionRegistration:
    """The partition with a replica assigned to a directory, online or not.

    Who can lead is judged by the directory before.

    Rules: KR-DIR-6, KR-DIR-7.
    Source: ReplicationControlManager.handleAssignReplicasToDirs.
    """
    change = PartitionChange(
        isr=cluster.stored.isr,
        acceptable=cluster.acceptable(),
        directories=with_directory(cluster, broker, directory),
        knows_elr=knows_elr_at_assignment(cluster),
    )
    partition = build(cluster, change)
    if leaves_with_assignment(cluster, broker, directory):
        second = without_broker(cluster, broker)
        partition = merged(cluster.stored, partition, second)
    return partition


@rule
def leaves_with_assignment(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> bool:
    """Tell whether a broker leaves the ISR, as its directory has failed meanwhile.

    Rules: KR-DIR-6.  Source: ReplicationControlManager.handleAssignReplicasToDirs.
    """
    return not cluster.registrations[broker].has_online(directory)


@rule
def knows_elr_at_assignment(cluster: KraftCluster) -> bool:
    """Tell whether the builder is told of ELR where a directory is assigned: not so.

    Rules: KR-ELR-6.  Source: ReplicationControlManager.handleAssignReplicasToDirs.
    """
    return False


def with_directory(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId
) -> tuple[DirectoryId | None, ...]:
    """The directories of all replicas, that of one broker being another."""
    known = cluster.stored.directories
    return (*known[:broker], directory, *known[broker + 1 :])


def refresh_registration(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A process registers once more, with the directories that it had at its start.

    Those that have failed since count as online until the next heartbeat.

    Rules: KR-REG-1, KR-REG-3, KR-REG-5.
    Source: ClusterControlManager.registerBroker.
    """
    if not cluster.faults.allow("registration_refreshes"):
        return
    if not cluster.is_alive(broker):
        return
    after = cluster.evolve(
        registrations={broker: refreshed(cluster, broker)},
        shutdown_offsets={broker: None},
        faults=cluster.faults.spend("registration_refreshes"),
    )
    yield from write(cluster, after)


@rule
def refreshed(cluster: KraftCluster, broker: BrokerId) -> BrokerRegistration:
    """The registration of a process that was registered: fenced or not, as before.

    Rules: KR-REG-5.  Source: ClusterControlManager.registerBroker.
    """
    return cluster.registrations[broker].refresh(
        cluster.metadata.end + 1, cluster.processes[broker].directories
    )
