"""Brokers in the metadata: registered, fenced, unfenced, in controlled shutdown."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.broker.process import end_process
from replicheck.model.kraft.cells.metadata import (
    BrokerRegistration,
    PartitionRegistration,
)
from replicheck.model.kraft.controller.change_targets import PartitionChange
from replicheck.model.kraft.controller.events import (
    kind_allowed,
    throws,
    without_broker,
    write,
)
from replicheck.model.kraft.controller.offline_directories import (
    awaited_at_shutdown,
    can_send_heartbeat,
    merged,
    report_directories,
)
from replicheck.model.kraft.controller.partition_change import build
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerEpoch, BrokerId


def register_broker(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """The controller registers a new process, after it has left the ISR.

    Rules: KR-REG-1, KR-REG-4, KR-CTL-9.
    Source: ClusterControlManager.registerBroker.
    """
    process = cluster.processes[broker]
    if not process.is_running or process.epoch is not None:
        return
    if is_refused_for_ever(cluster, broker):
        return
    epoch = BrokerEpoch(cluster.registrations[broker].epoch + 1)
    registration = BrokerRegistration(
        epoch,
        offset=cluster.metadata.end + 1,
        directories=process.directories,
        is_fenced=True,
    )
    after = cluster.evolve(
        stored=partition_after_registration(cluster, broker),
        registrations={broker: registration},
        processes={broker: process.register(epoch)},
        shutdown_offsets={broker: None},
        sessions=cluster.sessions | {broker},
    )
    yield from write(cluster, after)


def is_refused_for_ever(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether the registration of a broker ends the controller.

    After an unclean shutdown, the partitions of which the broker is said to be an
    eligible leader are visited. Where the topic is gone, the controller throws and
    resigns, and so does the next. So it is where the last known leader has no replica.

    Rules: KR-SHUT-6, KR-ELR-7, KR-PCB-6.
    Source: ReplicationControlManager.generateLeaderAndIsrUpdates.
    """
    if throws(cluster.stored, partition_after_registration(cluster, broker)):
        return True
    if cluster.stored.replicas or broker not in cluster.elr_index:
        return False
    return cluster.has_elr and not had_clean_shutdown(cluster, broker)


@rule
def partition_after_registration(
    cluster: KraftCluster, broker: BrokerId
) -> PartitionRegistration:
    """A new process leaves the ISR, and the ELR too if the old one ended uncleanly.

    Rules: KR-SHUT-6, KR-UNC-2.
    Source: ReplicationControlManager.handleBrokerShutdown.
    """
    stored = cluster.stored
    if cluster.has_elr and not had_clean_shutdown(cluster, broker):
        return partition_after_unclean_shutdown(cluster, broker)
    if not stored.counts_in_sync(broker):
        return stored
    return without_broker(cluster, broker)


def partition_after_unclean_shutdown(
    cluster: KraftCluster, broker: BrokerId
) -> PartitionRegistration:
    """A broker leaves ISR and ELR; each of the two indexes says whether it is there.

    If both do, as after a change of min.insync.replicas, two records say so.

    Rules: KR-SHUT-6, KR-CTL-4, KR-ELR-7.
    Source: ReplicationControlManager.handleBrokerShutdown.
    """
    stored = cluster.stored
    visits = (stored.counts_in_sync(broker), broker in cluster.elr_index)
    if not any(visits):
        return stored
    once = without_broker(cluster, broker, unclean=frozenset({broker}))
    return merged(stored, once, once) if all(visits) else once


@rule
def had_clean_shutdown(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether the clean-shutdown files name the last registration.

    A directory that is configured and dead has no such file; one that was taken out of
    log.dirs is not asked for.

    Rules: KR-UNC-1, KR-UNC-2.  Source: ClusterControlManager.registerBroker.
    """
    if cluster.disks[broker].has_offline:
        return False
    known = cluster.processes[broker].clean_epoch
    return cluster.is_registered(broker, known)


def fence_broker(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """The session of a broker that runs ends, and it leaves the ISR; the ELR keeps it.

    Rules: KR-FEN-1, KR-FEN-2, KR-FEN-3.
    Source: ReplicationControlManager.handleBrokerFenced.
    """
    if not cluster.faults.allow("fences") or not cluster.is_alive(broker):
        return
    if cluster.registrations[broker].is_fenced:
        return
    after = fenced(cluster, broker)
    after = after.evolve(faults=cluster.faults.spend("fences"))
    yield from write(cluster, after)


def fence_stale_broker(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """The session of a broker ends whose process has ended, if the controller has one.

    Rules: KR-FEN-1, KR-FEN-2, KR-CTL-8.
    Source: QuorumController.maybeFenceStaleBroker.
    """
    if cluster.is_alive(broker) or broker not in cluster.sessions:
        return
    if not cluster.registrations[broker].is_fenced:
        yield from write(cluster, fenced(cluster, broker))


def fenced(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster in which a broker is fenced, and in no ISR but as the last member."""
    registration = cluster.registrations[broker].fence()
    after = cluster.evolve(
        registrations={broker: registration}, shutdown_offsets={broker: None}
    )
    if cluster.stored.counts_in_sync(broker):
        after = after.evolve(stored=without_broker(cluster, broker))
    return after


def unfence_broker(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """A broker that has applied its registration is unfenced; it may lead at once.

    A new process opens its ports then.

    Rules: KR-START-1, KR-HB-3, KR-FEN-4, KR-FEN-5.
    Source: ReplicationControlManager.handleBrokerUnfenced.
    """
    registration = cluster.registrations[broker]
    if not registration.is_fenced or cluster.processes[broker].is_stopping:
        return
    if not can_send_heartbeat(cluster, broker) or not is_caught_up(cluster, broker):
        return
    yield from write(cluster, heartbeat_unfences(cluster, broker))


@rule
def heartbeat_unfences(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster after a heartbeat that ends a fencing, and reports directories.

    The second part does not see what the first has done.

    Rules: KR-HB-5, KR-HB-6, KR-CTL-4.
    Source: ReplicationControlManager.processBrokerHeartbeat.
    """
    return report_directories(cluster, unfenced(cluster, broker), broker)


def unfenced(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster in which a broker is not fenced, and may lead what has no leader."""
    registration = cluster.registrations[broker].unfence()
    after = cluster.evolve(
        registrations={broker: registration},
        processes={broker: cluster.processes[broker].serve()},
    )
    if not cluster.stored.is_leaderless():
        return after
    change = PartitionChange(
        isr=cluster.stored.isr,
        acceptable=after.acceptable(),
        kind=kind_allowed(cluster),
    )
    return after.evolve(stored=build(cluster, change))


@rule
def is_caught_up(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether a broker has applied the record that registered it.

    Rules: KR-HB-3, KR-HB-7.  Source: BrokerHeartbeatManager.calculateNextBrokerState.
    """
    offset = cluster.registrations[broker].offset
    return cluster.processes[broker].has_applied(offset)


def begin_controlled_shutdown(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A broker asks to shut down, and leaves the ISR; others lead.

    It is released at once if it leads nothing. It asks again, without a budget, where a
    failover has lost what it asked for.

    Rules: KR-SHUT-1, KR-SHUT-2, KR-HB-3, KR-HB-5.
    Source: ReplicationControlManager.handleBrokerInControlledShutdown.
    """
    if not can_send_heartbeat(cluster, broker) or not cluster.is_active(broker):
        return
    asked = cluster
    if not cluster.processes[broker].is_stopping:
        if not cluster.faults.allow("shutdowns"):
            return
        asked = cluster.evolve(
            processes={broker: cluster.processes[broker].stop_accepting()},
            faults=cluster.faults.spend("shutdowns"),
        )
    if cluster.stored.is_led_by(broker):
        yield from write(cluster, in_controlled_shutdown(asked, broker))
    else:
        yield from write(cluster, released(asked, broker))


def in_controlled_shutdown(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster in which a broker leads nothing, but is not released yet.

    Rules: KR-SHUT-2, KR-HB-5.
    Source: ReplicationControlManager.handleBrokerInControlledShutdown.
    """
    after = cluster.evolve(
        registrations={broker: cluster.registrations[broker].shut_down()},
        shutdown_offsets={broker: cluster.metadata.end + 1},
    )
    if cluster.stored.counts_in_sync(broker):
        after = after.evolve(stored=without_broker(cluster, broker))
    return report_directories(cluster, after, broker)


def end_controlled_shutdown(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """The controller releases a broker that leads nothing, and its process ends.

    Rules: KR-SHUT-4, KR-SHUT-5, KR-CTL-8, KR-UNC-1.
    Source: BrokerHeartbeatManager.calculateNextBrokerState.
    """
    if not can_send_heartbeat(cluster, broker):
        return
    if not cluster.processes[broker].is_stopping:
        return
    if cluster.stored.is_led_by(broker) or cluster.is_active(broker):
        return
    offset = cluster.shutdown_offsets[broker]
    if offset is not None and not is_applied_by_all(cluster, offset):
        return
    yield from write(cluster, released(cluster, broker))


def released(cluster: KraftCluster, broker: BrokerId) -> KraftCluster:
    """The cluster after a heartbeat by which a process may end: it fences the broker.

    Rules: KR-HB-5, KR-SHUT-4.
    Source: ReplicationControlManager.processBrokerHeartbeat.
    """
    after = report_directories(cluster, fenced(cluster, broker), broker)
    return end_process(after, broker, after.processes[broker].stop())


@rule
def is_applied_by_all(cluster: KraftCluster, offset: int) -> bool:
    """Tell whether every broker that is awaited has applied the image at an offset."""
    return all(
        cluster.processes[broker].has_applied(offset)
        for broker in awaited_at_shutdown(cluster)
    )
