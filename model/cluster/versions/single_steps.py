"""Kafka 2.5.1, where what one step does elsewhere takes the steps that Kafka takes.

Two bugs of Kafka need a fault in between. Everything else is as in `KAFKA_2_5`.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.cells.controller.deletion_tasks import DeleteTopic
from replicheck.model.cluster.cells.controller.events import (
    Reelect,
    RegisterBrokerAndReelect,
)
from replicheck.model.cluster.cells.zookeeper.znodes import ZooKeeperPath
from replicheck.model.cluster.controller import controller_election, sessions
from replicheck.model.cluster.controller.deletion import topic_deletion
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.cluster.watches import fire_watches
from replicheck.model.vocabulary import BrokerId


def delete_state_before_topic(
    cluster: Cluster, controller: BrokerId
) -> Iterator[Cluster]:
    """The controller deletes the partition's state, and in the next step the topic.

    Rules: C-DEL-6, C-RSM-5, Z-FENCE-1.
    Source: KafkaZkClient.deleteTopicZNode, KafkaZkClient.deleteRecursive.
    """
    if not cluster.threads[controller].is_at(DeleteTopic):
        return
    task = cluster.threads[controller].task
    assert isinstance(task, DeleteTopic)
    node = cluster.partition_nodes[task.partition]
    if node.exists() and not controller_election.is_fenced(cluster, controller):
        yield cluster.evolve(partition_nodes={task.partition: node.delete()})
        return
    yield from topic_deletion.delete_topic_node(cluster, controller)


def register_before_knowing(cluster: Cluster, broker: BrokerId) -> Iterator[Cluster]:
    """The broker registers in its new session, and in the next step knows its epoch.

    Rules: Z-IDS-1, Z-IDS-2, Z-WATCH-1.
    Source: KafkaController.processRegisterBrokerAndReelect.
    """
    if not cluster.event_queues[broker].head_is(RegisterBrokerAndReelect):
        return
    if not cluster.threads[broker].may_take(RegisterBrokerAndReelect):
        return
    node = cluster.broker_nodes[broker]
    if not node.is_present:
        cluster = fire_watches(cluster, ZooKeeperPath.BROKER_IDS)
        yield cluster.evolve(broker_nodes={broker: node.register()})
        return
    yield cluster.evolve(
        processes={broker: cluster.processes[broker].register(node.epoch)},
        event_queues={broker: cluster.event_queues[broker].become(Reelect())},
    )


SINGLE_STEPS = (
    KAFKA_2_5.replacing(topic_deletion.delete_topic_node, by=delete_state_before_topic)
    .replacing(sessions.register_again, by=register_before_knowing)
    .named("kafka-2.5.1-in-single-steps")
)
