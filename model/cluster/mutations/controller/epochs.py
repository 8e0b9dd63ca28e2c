"""Mutations of epochs: the controller's, and those in which leaders are elected."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.cluster.cells.controller.tasks import WriteElection
from replicheck.model.cluster.cells.zookeeper.znodes import ControllerNodes
from replicheck.model.cluster.controller import controller_election
from replicheck.model.cluster.controller.partitions import partition_states
from replicheck.model.cluster.environment import faults
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, ControllerEpoch, Epoch


def elect_in_the_same_controller_epoch(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller takes over the epoch of the one before (Z-CTRL-1)."""
    for after in controller_election.elect(cluster, controller):
        if after.controller_nodes is cluster.controller_nodes:
            yield after
            continue
        epoch = cluster.controller_nodes.epoch
        yield after.evolve(
            controller_nodes=ControllerNodes(controller, epoch),
            contexts={controller: after.contexts[controller].start(epoch)},
        )


def delete_the_controller_epoch(cluster: Cluster) -> Iterator[Cluster]:
    """The controller epoch is lost with ``/controller`` (Z-CTRL-2)."""
    for after in faults.move_controller(cluster):
        yield after.evolve(controller_nodes=ControllerNodes(None, ControllerEpoch(0)))


def elect_in_the_same_leader_epoch(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """Another leader is elected, and its epoch is that of the old one (C-ELECT-6)."""
    thread = cluster.threads[controller]
    if thread.is_at(WriteElection):
        task = thread.task
        assert isinstance(task, WriteElection)
        content = evolve(task.content, epoch=Epoch(task.content.epoch - 1))
        unchanged = thread.finish((evolve(task, content=content),))
        cluster = cluster.evolve(threads={controller: unchanged})
    yield from partition_states.write_election(cluster, controller)


def cache_election_before_write(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller believes in an election that was not written yet (C-CTX-3)."""
    for after in partition_states.read_for_election(cluster, controller):
        if after.threads[controller].is_at(WriteElection):
            task = after.threads[controller].task
            assert isinstance(task, WriteElection)
            context = after.contexts[controller]
            context = context.with_info(task.reading.partition, task.content)
            after = after.evolve(contexts={controller: context})
        yield after


MUTATIONS: dict[str, Protocol] = {
    "z-ctrl-1-elect-in-the-same-controller-epoch": KAFKA_2_5.replacing(
        controller_election.elect, by=elect_in_the_same_controller_epoch
    ),
    "z-ctrl-2-delete-the-controller-epoch": KAFKA_2_5.replacing(
        faults.move_controller, by=delete_the_controller_epoch
    ),
    "c-elect-6-elect-in-the-same-leader-epoch": KAFKA_2_5.replacing(
        partition_states.write_election, by=elect_in_the_same_leader_epoch
    ),
    "c-ctx-3-cache-election-before-write": KAFKA_2_5.replacing(
        partition_states.read_for_election, by=cache_election_before_write
    ),
}
