"""Assignments to log directories: a queue, and one request on its way.

Where no replica is moved, `assign_replica_to_directory` is all three steps in one.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.kraft.cells.assignment import SentAssignment
from replicheck.model.kraft.cells.log_move import Promotion
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.rules import rule
from replicheck.model.vocabulary import BrokerEpoch, BrokerId, DirectoryId


def enqueue(
    cluster: KraftCluster, broker: BrokerId, directory: DirectoryId, promotes: bool
) -> KraftCluster:
    """The cluster with an assignment queued, in the place of one that was not sent.

    Rules: KR-ASG-2.  Source: AssignmentsManager.onAssignment.
    """
    return cluster.evolve(
        processes={broker: cluster.processes[broker].assign(directory)},
        assignments={broker: cluster.assignments[broker].expect(promotes)},
    )


def send_assignment(cluster: KraftCluster, broker: BrokerId) -> Iterator[KraftCluster]:
    """A broker sends what is queued, if it has the replica in its image.

    Rules: KR-ASG-2.  Source: AssignmentsManager.maybeSendAssignments.
    """
    process, channel = cluster.processes[broker], cluster.assignments[broker]
    if process.assignment is None or not channel.is_free():
        return
    if not process.has_published:
        return
    emptied = cluster.evolve(processes={broker: process.assign(None)})
    if not is_valid(cluster, broker):
        yield emptied.evolve(assignments={broker: channel.expect(promotes=False)})
        return
    topic_id = cluster.partitions[broker].topic_id
    epoch = epoch_of_assignment(cluster, broker)
    sent = channel.send(process.assignment, topic_id, epoch)
    yield emptied.evolve(assignments={broker: sent})


@rule
def epoch_of_assignment(cluster: KraftCluster, broker: BrokerId) -> BrokerEpoch | None:
    """The broker epoch of an assignment: that of the image that the broker published.

    It can be that of the process before, and there is none if the image has no such
    broker.

    Rules: KR-ASG-2.  Source: AssignmentsManager.maybeSendAssignments.
    """
    registration = cluster.caches[broker].brokers[broker]
    return None if registration.is_unregistered else registration.epoch


@rule
def is_valid(cluster: KraftCluster, broker: BrokerId) -> bool:
    """Tell whether the replica is in the broker's image.

    Rules: KR-ASG-2.  Source: Assignment.valid.
    """
    return cluster.caches[broker].partition.has_replica(broker)


def receive_assignment_answer(
    cluster: KraftCluster, broker: BrokerId
) -> Iterator[KraftCluster]:
    """A broker learns that an assignment is committed, and tells the move of it.

    Rules: KR-ASG-3, KR-MOVE-2, KR-MOVE-4.
    Source: AssignmentsManager.handleAssignmentResponse.
    """
    channel = cluster.assignments[broker]
    if channel.sent is None or not channel.is_answered(cluster.metadata.committed):
        return
    after = cluster.evolve(assignments={broker: channel.finish()})
    if is_told_to_move(cluster, broker, channel.sent):
        accepted = cluster.moves[broker].reach(Promotion.ACCEPTED)
        after = after.evolve(moves={broker: accepted})
    yield after


@rule
def is_told_to_move(
    cluster: KraftCluster, broker: BrokerId, sent: SentAssignment
) -> bool:
    """Tell whether a move is under way when its answer comes, to whatever directory.

    Rules: KR-MOVE-4.  Source: ReplicaAlterLogDirsThread.updateReassignmentState.
    """
    return sent.promotes and cluster.moves[broker].is_copied


def queue_again(
    cluster: KraftCluster, broker: BrokerId, sent: SentAssignment
) -> KraftCluster:
    """The cluster with a refused assignment in the queue, unless a newer one is there.

    It is dropped if the broker has learned that its topic is gone.

    Rules: KR-ASG-2, KR-ASG-3.  Source: AssignmentsManager.handleAssignmentResponse.
    """
    freed = cluster.evolve(assignments={broker: cluster.assignments[broker].finish()})
    if cluster.processes[broker].assignment is not None:
        return freed
    if not cluster.partitions[broker].is_of(sent.topic_id):
        return freed
    return enqueue(freed, broker, sent.directory, sent.promotes)
