"""What is true of topics that are deleted."""

from __future__ import annotations

from replicheck.invariants.cluster.subjects.quiescence import is_quiescent
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def deleted_topic_has_no_logs(
    before: Cluster, after: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """A topic's znode is deleted once no assigned broker has a log, offline or not.

    INV-20; holds unless a directory fails while a replica in it is being deleted.
    """
    if after.topic_nodes[partition] is before.topic_nodes[partition]:
        return True
    if after.topic_nodes[partition].exists:
        return True
    if not before.topic_nodes[partition].assigns(broker):
        return True
    return not any(
        before.logs[broker][partition][directory].exists
        for directory in before.bounds.directory_ids
    )


def quiescent_recreated_topic_is_online(
    cluster: Cluster, broker: BrokerId, partition: PartitionId
) -> bool:
    """When quiescent, no marker is left of the topic that had the name before.

    Does not hold in Kafka 2.5.1, whose markers go by names (KAFKA-16157).
    """
    if not cluster.replicas[broker][partition].is_offline():
        return True
    node = cluster.topic_nodes[partition]
    if not node.was_deleted or not node.assigns(broker):
        return True
    directories = cluster.directories[broker]
    if not any(
        directories[directory].is_good() for directory in cluster.bounds.directory_ids
    ):
        return True
    return not is_quiescent(cluster)


SAFETY = (quiescent_recreated_topic_is_online,)
STEPS = (deleted_topic_has_no_logs,)
