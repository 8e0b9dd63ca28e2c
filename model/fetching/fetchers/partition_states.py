"""The map of a thread from partition to fetch state, and the partitions' order.

Abstraction: the order is kept only where answers are limited; it has no effect else.
"""

from __future__ import annotations

from collections.abc import Sequence

from replicheck.model.fetching.cells.fetch_state import UNTRACKED, PartitionFetchState
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.rules import rule
from replicheck.model.vocabulary import PartitionId


@rule
def update_and_move_to_end(
    cluster: Brokers,
    thread: ThreadId,
    partition: PartitionId,
    state: PartitionFetchState,
) -> Brokers:
    """Set a partition's state, and put it behind all others.

    Rules: F-STATE-1.  Source: PartitionStates.updateAndMoveToEnd.
    """
    cluster = cluster.evolve(fetch_states={thread.at(partition): state})
    if not cluster.bounds.fetch_size:
        return cluster
    order = cluster.order(thread).move_to_end(partition)
    return cluster.evolve(orders={thread.index: order})


def remove(cluster: Brokers, thread: ThreadId, partition: PartitionId) -> Brokers:
    """Take a partition out of the map.

    Rules: F-STATE-1.  Source: PartitionStates.remove.
    """
    cluster = cluster.evolve(fetch_states={thread.at(partition): UNTRACKED})
    if not cluster.bounds.fetch_size:
        return cluster
    order = cluster.order(thread).remove(partition)
    return cluster.evolve(orders={thread.index: order})


def forget_order(cluster: Brokers, thread: ThreadId) -> Brokers:
    """Build the map anew, which loses its order.

    Rules: F-STATE-2.  Source: PartitionStates.set.
    """
    if not cluster.bounds.fetch_size:
        return cluster
    return cluster.evolve(orders={thread.index: cluster.order(thread).sort()})


def in_order(cluster: Brokers, thread: ThreadId) -> Sequence[PartitionId]:
    """The partitions in the order of a request; all, if that has no effect."""
    if not cluster.bounds.fetch_size:
        return cluster.bounds.partition_ids
    return tuple(cluster.order(thread).partitions)
