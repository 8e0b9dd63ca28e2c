"""What the checker found in Kafka 2.5.1, as mutations of the protocol that mends it."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.context import ControllerContext
from replicheck.model.cluster.cells.controller.tasks import Task
from replicheck.model.cluster.controller import controller_election
from replicheck.model.cluster.controller.partitions import replica_states
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.versions.repaired_findings import REPAIRED_FINDINGS
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, ReplicaId


def elect_first(
    cluster: Cluster,
    controller: BrokerId,
    context: ControllerContext,
    replicas: tuple[ReplicaId, ...],
) -> Iterator[tuple[ControllerContext, tuple[Task, ...]]]:
    """Elections come before replicas leave the ISRs (C-OFF-1)."""
    plan = original(replica_states.replicas_become_offline)
    yield from plan(cluster, controller, context, replicas)


def resign_with_answers(cluster: Cluster, controller: BrokerId) -> Cluster:
    """Answers of a term are taken for those of the next (C-Q-3)."""
    return original(controller_election.resign)(cluster, controller)


MUTATIONS: dict[str, Protocol] = {
    "c-off-1-elect-first": REPAIRED_FINDINGS.replacing(
        replica_states.replicas_become_offline, by=elect_first
    ),
    "c-q-3-resign-with-answers": REPAIRED_FINDINGS.replacing(
        controller_election.resign, by=resign_with_answers
    ),
}
