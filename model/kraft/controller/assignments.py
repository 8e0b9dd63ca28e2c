"""Replicas that come and go: reassignment, its end, and the end of a topic."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from attrs import evolve

from replicheck.model.kraft.controller.change_targets import Assignment, PartitionChange
from replicheck.model.kraft.controller.events import kind_allowed, write
from replicheck.model.kraft.controller.partition_change import build
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerId, DirectoryId, Epoch


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
    """All sets of replicas that can be asked for, each in the order of the ids."""
    brokers = cluster.bounds.broker_ids
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
