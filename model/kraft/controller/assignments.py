"""Replicas that come and go: with a reassignment, its end, and with a topic."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from attrs import evolve

from replicheck.model.kraft.cells.metadata import PartitionRegistration
from replicheck.model.kraft.controller.change_targets import Assignment, PartitionChange
from replicheck.model.kraft.controller.events import kind_allowed, write
from replicheck.model.kraft.controller.partition_change import build
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, Epoch, TopicId


def reassign_partition(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """An operator names other replicas; it may be complete at once.

    What has nothing to add keeps what is added already, and likewise for removal.

    Rules: KR-REA-1, KR-REA-2.
    Source: ReplicationControlManager.changePartitionReassignment.
    """
    stored = cluster.stored
    if not cluster.faults.allow("reassignments") or not stored.replicas:
        return
    for target in targets(cluster):
        if frozenset(target) == stored.target and not stored.is_reassigned():
            continue
        change = PartitionChange(
            isr=stored.isr,
            acceptable=cluster.acceptable(),
            assignment=assignment_to(cluster, target),
        )
        after = cluster.evolve(
            stored=build(cluster, change),
            asked_replicas=frozenset(target),
            faults=cluster.faults.spend("reassignments"),
        )
        yield from write(cluster, after)


def targets(cluster: KraftCluster) -> Iterator[tuple[BrokerId, ...]]:
    """All sets of replicas that can be asked for, each in the order of the ids.

    A broker that is not registered is refused.

    Rules: KR-REA-1, KR-TOP-1.
    Source: ReplicationControlManager.validateManualPartitionAssignment.
    """
    brokers = cluster.registered()
    for count in range(1, len(brokers) + 1):
        yield from combinations(brokers, count)


@rule
def assignment_to(cluster: KraftCluster, target: tuple[BrokerId, ...]) -> Assignment:
    """The replicas on the way to a target.

    Rules: KR-REA-1.  Source: PartitionReassignmentReplicas.
    """
    stored = cluster.stored
    others = tuple(sorted(frozenset(stored.replicas) - frozenset(target)))
    adding = frozenset(target) - frozenset(stored.replicas)
    removing = frozenset(others)
    return Assignment(
        replicas=(*target, *others),
        adding=adding or stored.adding,
        removing=removing or stored.removing,
    )


def cancel_reassignment(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """An operator takes a reassignment back: added replicas go, and the others stay.

    If none of them is in the ISR, the first one is put there, where the topic allows
    unclean elections.

    Rules: KR-REA-3.  Source: ReplicationControlManager.cancelPartitionReassignment.
    """
    stored = cluster.stored
    if not cluster.faults.allow("reassignment_cancels") or not stored.is_reassigned():
        return
    rest = tuple(broker for broker in stored.replicas if broker not in stored.adding)
    isr = stored.isr - stored.adding
    if not rest:
        return
    if not isr and not cluster.bounds.allows_unclean_elections:
        return
    change = PartitionChange(
        isr=isr or frozenset(rest[:1]),
        acceptable=cluster.acceptable(),
        kind=kind_allowed(cluster),
        assignment=Assignment(rest, frozenset(), frozenset()),
    )
    after = cluster.evolve(
        stored=build(cluster, change),
        asked_replicas=frozenset(),
        faults=cluster.faults.spend("reassignment_cancels"),
    )
    yield from write(cluster, after)


@rule
def directories_left(cluster: KraftCluster) -> tuple[DirectoryId | None, ...]:
    """The directories that still have the partition for the controller, once deleted.

    Its index is cleared for each member of the ISR, and not at all if there is none.

    Rules: KR-TOP-3, KR-DIR-4.  Source: ReplicationControlManager.replay.
    """
    if not cluster.stored.isr:
        return cluster.stored.directories
    return tuple(None for _ in cluster.bounds.broker_ids)


def delete_topic(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """The topic is deleted in one record; it waits for no replica.

    Rules: KR-TOP-3.  Source: ReplicationControlManager.deleteTopic.
    """
    stored = cluster.stored
    if not cluster.faults.allow("topic_deletions") or not stored.replicas:
        return
    deleted = evolve(
        stored,
        isr=frozenset(),
        elr=frozenset(),
        leader=None,
        last_known_leader=None,
        replicas=(),
        adding=frozenset(),
        removing=frozenset(),
        directories=directories_left(cluster),
        leader_epoch=Epoch(stored.leader_epoch + 1),
        partition_epoch=stored.partition_epoch + 1,
    )
    after = cluster.evolve(
        stored=deleted,
        asked_replicas=frozenset(),
        acknowledged=cluster.acknowledged.forget(deleted.leader_epoch),
        faults=cluster.faults.spend("topic_deletions"),
    )
    yield from write(cluster, after)


def create_topic(cluster: KraftCluster) -> Iterator[KraftCluster]:
    """A topic of the same name is created, with another id and epochs that begin at 0.

    Its first ISR has the replicas that are active, of which the first one leads.
    Another partition of a topic is created in the same way.

    Rules: KR-TOP-1, KR-TOP-2, KR-REC-2.
    Source: ReplicationControlManager.createTopic.
    """
    if not cluster.faults.allow("topic_creations") or cluster.stored.replicas:
        return
    if leaves_entries(cluster):
        return
    for replicas in targets(cluster):
        created = new_topic(cluster, replicas)
        if created.leader is None:
            continue
        after = cluster.evolve(
            stored=created,
            acknowledged=cluster.acknowledged.begin(created.topic_id),
            faults=cluster.faults.spend("topic_creations"),
        )
        yield from write(cluster, after)


def leaves_entries(cluster: KraftCluster) -> bool:
    """Tell whether an index of the controller still has the topic that was deleted.

    Such a cluster is broken, and no other topic is created in it.
    """
    known = (directory is not None for directory in cluster.stored.directories)
    return any(known) or len(cluster.elr_index) > 0


@rule
def new_topic(
    cluster: KraftCluster, replicas: tuple[BrokerId, ...]
) -> PartitionRegistration:
    """The partition of a topic that is created; without an active replica none leads.

    Rules: KR-TOP-1, KR-PCB-12, KR-DIR-2.
    Source: ReplicationControlManager.buildPartitionRegistration.
    """
    isr = tuple(filter(cluster.is_active, replicas))
    return PartitionRegistration(
        isr=frozenset(isr),
        leader=isr[0] if isr else None,
        directories=tuple(
            cluster.registrations[broker].default_directory
            if broker in replicas
            else None
            for broker in cluster.bounds.broker_ids
        ),
        replicas=replicas,
        topic_id=TopicId(cluster.stored.topic_id + 1),
    )
