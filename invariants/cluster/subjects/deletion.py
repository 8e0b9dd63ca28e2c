"""What is true of topics that are deleted."""

from __future__ import annotations

from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId


def a_topic_is_gone_only_when_its_logs_are(
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


STEPS = (a_topic_is_gone_only_when_its_logs_are,)
