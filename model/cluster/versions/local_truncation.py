"""Kafka 2.5.1, where a log without records is cut without its leader.

There is nothing to cut, so what the follower does next is the same. It matters where it
is seen that the follower went on: its leader may be gone by then, or in another epoch.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.cluster.broker import replication
from replicheck.model.cluster.protocols import KAFKA_2_5
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def truncate(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A new follower cuts its log as its leader says, or alone if that is empty.

    A cache without epochs has nothing to ask the leader for. One that knows an epoch
    without records has, which makes no difference here.

    Rules: B-FETCH-1, B-FETCH-2.  Source: AbstractFetcherThread.truncateToHighWatermark.
    """
    fetcher = cluster.fetchers[follower][partition]
    if not fetcher.truncates_to(leader):
        return
    if replication.end_of(cluster, follower, partition) > Offset(0):
        yield from replication.truncate(cluster, leader, follower, partition)
        return
    yield cluster.evolve(fetchers={(follower, partition): fetcher.truncated()})


LOCAL_TRUNCATION = KAFKA_2_5.replacing(replication.truncate, by=truncate).named(
    "kafka-2.5.1-with-local-truncation"
)
