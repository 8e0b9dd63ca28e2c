"""Kafka 2.5.1 with the least changes that end what the checker found.

No version of Kafka has these rules; see ``docs/findings.md``.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import log_dirs, replica_roles
from replicheck.model.cluster.broker.clients import refuse_waiting
from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.tasks import (
    OnBrokerFailure,
    ReadForElection,
    Task,
)
from replicheck.model.cluster.controller import broker_changes, controller_election
from replicheck.model.cluster.controller.partitions import replica_states
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.versions.repaired import REPAIRED
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, PartitionId, ReplicaId


def elect_last(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    replicas: tuple[ReplicaId, ...],
) -> Iterator[tuple[ControllerContext, tuple[Task, ...]]]:
    """Replicas leave the ISRs first, so that no earlier leader adds to them.

    Rules: C-OFF-1.  Source: KafkaController.onReplicasBecomeOffline.
    """
    plan = original(replica_states.replicas_become_offline)
    for after, tasks in plan(cluster, controller, context, replicas):
        elections = [task for task in tasks if isinstance(task, ReadForElection)]
        prior = [task for task in tasks if not isinstance(task, ReadForElection)]
        yield after, (*prior, *elections)


def answer_waiting_producers(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> Cluster:
    """The failure handler answers the producers that wait at what it marks.

    Rules: B-LDF-1, B-LDF-5.  Source: ReplicaManager.handleLogDirFailure.
    """
    after = original(log_dirs.mark_failed)(cluster, broker, partition)
    return refuse_waiting(after, broker, partition)


def resign_and_drop_answers(cluster: Cluster, controller: BrokerId) -> Cluster:
    """Answers of a term end with it.

    Rules: C-Q-3, C-FENCE-1.  Source: KafkaController.onControllerResignation.
    """
    after = original(controller_election.resign)(cluster, controller)
    brokers = frozenset(cluster.bounds.broker_ids)
    queue = cluster.event_queues[controller].drop_answers(brokers)
    return after.evolve(event_queues={controller: queue})


def drop_answers_of_the_failed(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Answers of a registration end with it.

    Rules: C-BRK-3, N-8.  Source: KafkaController.onBrokerFailure.
    """
    for after in broker_changes.on_broker_failure(cluster, controller):
        task = cluster.threads[controller].task
        assert isinstance(task, OnBrokerFailure)
        queue = after.event_queues[controller].drop_answers(task.brokers)
        yield after.evolve(event_queues={controller: queue})


def forget_followers_in_each_epoch(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """What a leader knows of followers ends with its epoch.

    Rules: B-HW-1.  Source: Partition.makeLeader.
    """
    return True


def repair_findings(protocol: Protocol) -> Protocol:
    """The protocol with the four least changes, named ``repaired-findings``."""
    return (
        protocol.replacing(replica_states.replicas_become_offline, by=elect_last)
        .replacing(log_dirs.mark_failed, by=answer_waiting_producers)
        .replacing(controller_election.resign, by=resign_and_drop_answers)
        .replacing(broker_changes.on_broker_failure, by=drop_answers_of_the_failed)
        .named("repaired-findings")
    )


REPAIRED_LEADERS = KAFKA_2_5.replacing(
    replica_roles.is_new_leader, by=forget_followers_in_each_epoch
).named("repaired-leaders")
REPAIRED_FINDINGS = repair_findings(REPAIRED)
