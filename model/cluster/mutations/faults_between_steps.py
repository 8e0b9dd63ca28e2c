"""Mutations that show only where a fault comes between two steps of Kafka's own."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import requests
from replicheck.model.cluster.cells.channels import Request
from replicheck.model.cluster.cells.controller.tasks import ReadForIsrRemoval
from replicheck.model.cluster.controller.partitions import isr_removal
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.versions.single_steps import SINGLE_STEPS
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId


def skip_replicas_without_leader(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A replica without known leader and ISR stays online (KAFKA-6650, C-RSM-4)."""
    if not cluster.threads[controller].is_at(ReadForIsrRemoval):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, ReadForIsrRemoval)
    context = cluster.contexts[controller]
    if context.info_of(task.replicas[0][1]) is None:
        yield isr_removal.go_on(cluster, controller, task.replicas, context)
        return
    yield from isr_removal.read_for_isr_removal(cluster, controller)


def call_a_missing_state_an_error(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A replica without a stored state does not go offline (KAFKA-2937, C-RSM-4)."""
    if not cluster.threads[controller].is_at(ReadForIsrRemoval):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, ReadForIsrRemoval)
    if not cluster.partition_nodes[task.replicas[0][1]].exists():
        context = cluster.contexts[controller]
        yield isr_removal.go_on(cluster, controller, task.replicas, context)
        return
    yield from isr_removal.read_for_isr_removal(cluster, controller)


def refuse_any_other_epoch(
    cluster: Cluster, broker: BrokerId, request: Request
) -> bool:
    """A request for a broker epoch yet to be learned is refused (KAFKA-9839)."""
    process = cluster.processes[broker]
    if process.epoch != request.broker_epoch:
        return True
    return process.knows_controller_above(request.controller_epoch)


MUTATIONS: dict[str, Protocol] = {
    "kafka-6650-skip-replicas-without-leader": SINGLE_STEPS.replacing(
        isr_removal.read_for_isr_removal, by=skip_replicas_without_leader
    ),
    "kafka-2937-call-a-missing-state-an-error": SINGLE_STEPS.replacing(
        isr_removal.read_for_isr_removal, by=call_a_missing_state_an_error
    ),
    "kafka-9839-refuse-any-other-epoch": SINGLE_STEPS.replacing(
        requests.is_stale, by=refuse_any_other_epoch
    ),
}
