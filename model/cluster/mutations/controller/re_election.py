"""Mutations of what becomes of a request, and of a broker that is controller again."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.events import TopicChange
from replicheck.model.cluster.cells.controller.reassignment_tasks import DropRequest
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller import controller_election, events, failover
from replicheck.model.cluster.controller.reassignment import reassignment_requests
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId


def keep_reassignments(cluster: Cluster, controller: BrokerId) -> Cluster:
    """A resigned controller remembers what it was to move (KAFKA-2437, C-FENCE-1)."""
    after = original(controller_election.resign)(cluster, controller)
    known, context = cluster.contexts[controller], after.contexts[controller]
    for partition in cluster.bounds.partition_ids:
        if known.partitions[partition].is_being_reassigned:
            assignment = known.full_assignment_of(partition)
            context = context.assign(partition, assignment).begin_reassignment(
                partition
            )
    return after.evolve(contexts={controller: context})


def resume_own_reassignments(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A new controller goes on with its own reassignments of before (KAFKA-2437)."""
    known = cluster.contexts[controller]
    for after in failover.read_topics(cluster, controller):
        context = after.contexts[controller]
        for partition in cluster.bounds.partition_ids:
            if known.partitions[partition].is_being_reassigned:
                assignment = known.full_assignment_of(partition)
                context = context.assign(partition, assignment)
                context = context.begin_reassignment(partition)
        yield after.evolve(contexts={controller: context})


def leave_the_request(cluster: Cluster, controller: BrokerId) -> Iterator[Cluster]:
    """A request that is overridden stays for the next controller (KAFKA-9089)."""
    for after in reassignment_requests.handle_alter_reassignment(cluster, controller):
        if after.threads[controller].is_at(DropRequest):
            thread = after.threads[controller].finish(())
            after = after.evolve(threads={controller: thread})
        yield after


def ignore_topics_in_later_terms(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """A re-elected controller sees no new topic (KAFKA-928, C-TOPIC-1).

    The first controller, that is: any later epoch of it is a second term.
    """
    if not controller_election.may_handle(cluster, controller, TopicChange):
        return
    is_first = controller == cluster.bounds.assignment[-1]
    epoch = cluster.contexts[controller].epoch
    if not is_first or epoch == cluster.bounds.first_controller_epoch:
        yield from events.handle_topic_change(cluster, controller)
        return
    watches = cluster.watches[controller].arm(ZooKeeperPath.TOPICS)
    yield cluster.evolve(
        watches={controller: watches},
        event_queues={controller: cluster.event_queues[controller].pop()},
    )


MUTATIONS: dict[str, Protocol] = {
    "kafka-2437-keep-reassignments": KAFKA_2_5.replacing(
        controller_election.resign, by=keep_reassignments
    ).replacing(failover.read_topics, by=resume_own_reassignments),
    "kafka-9089-leave-the-request": KAFKA_2_5.replacing(
        reassignment_requests.handle_alter_reassignment, by=leave_the_request
    ),
    "kafka-928-ignore-topics-in-later-terms": KAFKA_2_5.replacing(
        events.handle_topic_change, by=ignore_topics_in_later_terms
    ),
}
