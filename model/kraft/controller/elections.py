"""What an operator or a timer asks of the controller."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.controller.change_targets import (
    ElectionKind,
    PartitionChange,
)
from replicheck.model.kraft.controller.events import without_broker, write
from replicheck.model.kraft.controller.offline_directories import merged
from replicheck.model.kraft.controller.partition_change import build
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId


def elect_preferred_leader(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """The first replica leads again, if it is in the ISR and active.

    Rules: KR-ELE-1, KR-ELE-3.  Source: ReplicationControlManager.electLeader.
    """
    if not cluster.faults.allow("preferred_elections"):
        return
    if any(map(cluster.stored.is_led_by, cluster.stored.replicas[:1])):
        return
    yield from _elect(cluster, preferred_kind(cluster), "preferred_elections")


@rule
def preferred_kind(cluster: KraftCluster) -> ElectionKind:
    """A preferred election elects nothing but what can lead cleanly.

    Rules: KR-ELE-1.  Source: ReplicationControlManager.electLeader.
    """
    return ElectionKind.PREFERRED


def elect_unclean_leader(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """A leaderless partition gets any active replica, whatever is configured.

    Rules: KR-ELE-2, KR-ELE-4.  Source: ReplicationControlManager.electLeader.
    """
    if not cluster.faults.allow("unclean_elections"):
        return
    if not cluster.stored.is_leaderless():
        return
    yield from _elect(cluster, ElectionKind.UNCLEAN, "unclean_elections")


def _elect(
    cluster: KraftCluster, kind: ElectionKind, budget: str
) -> Iterator[KraftCluster]:
    change = PartitionChange(cluster.stored.isr, cluster.acceptable(), kind)
    partition = build(cluster, change)
    if partition == cluster.stored:
        return
    after = cluster.evolve(stored=partition, faults=cluster.faults.spend(budget))
    yield from write(cluster, after)


def change_min_isr(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """An operator sets another min.insync.replicas, and the ELR is cleared.

    Rules: KR-ELR-7.
    Source: ConfigurationControlManager.createClearElrRecordsAsNeeded.
    """
    if not cluster.faults.allow("min_isr_changes"):
        return
    for least in range(1, cluster.bounds.brokers + 1):
        if least != cluster.min_isr:
            after = cluster.evolve(
                min_isr=least,
                stored=cleared(cluster),
                faults=cluster.faults.spend("min_isr_changes"),
            )
            yield from write(cluster, after)


def switch_elr_off(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """An operator switches the feature of eligible leader replicas off.

    Nothing changes at once. The next change of the partition clears its ELR.

    Rules: KR-ELR-5.  Source: FeatureControlManager.updateFeatures.
    """
    if not cluster.faults.allow("elr_downgrades") or not cluster.has_elr:
        return
    after = cluster.evolve(has_elr=False, faults=cluster.faults.spend("elr_downgrades"))
    yield from write(cluster, after)


@rule
def cleared(cluster: KraftCluster) -> PartitionRegistration:
    """The partition without ELR and last known leader, in a new partition epoch.

    Rules: KR-ELR-7.  Source: ReplicationControlManager.removeTopicElrs.
    """
    partition = cluster.stored
    if not cluster.has_elr:
        return partition
    if not partition.elr and partition.last_known_leader is None:
        return partition
    return evolve(
        partition,
        elr=frozenset(),
        last_known_leader=None,
        partition_epoch=partition.partition_epoch + 1,
    )


def unregister_broker(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """An operator takes a broker out of the cluster: it leaves the ISR, not the ELR.

    Its process is not told, and never registers again.

    Rules: KR-UNC-3, KR-REG-7, KR-CTL-4.
    Source: ReplicationControlManager.unregisterBroker.
    """
    registration = cluster.registrations[broker]
    if not cluster.faults.allow("unregistrations") or registration.is_unregistered:
        return
    if not cluster.stored.replicas and broker in cluster.elr_index:
        return
    after = cluster.evolve(
        stored=partition_without_unregistered(cluster, broker),
        registrations={broker: registration.unregister()},
        shutdown_offsets={broker: None},
        faults=cluster.faults.spend("unregistrations"),
    )
    yield from write(cluster, after)


def partition_without_unregistered(
    cluster: KraftCluster, broker: BrokerId
) -> PartitionRegistration:
    """The partition after a broker was taken out, once for each index that has it.

    Rules: KR-UNC-3.  Source: ReplicationControlManager.handleBrokerUnregistered.
    """
    stored = cluster.stored
    visits = (stored.counts_in_sync(broker), broker in cluster.elr_index)
    if not any(visits):
        return stored
    once = without_broker(cluster, broker)
    return merged(stored, once, once) if all(visits) else once
