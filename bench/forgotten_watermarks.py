"""A cluster whose leaders forget how far their followers are: it has more runs.

Where nothing shows high watermarks, and no producer waits for one, they matter for two
questions alone: whether a follower that is not in sync has caught up, and whether one
that is in sync lags. Here both may be answered in either way, and nothing is kept that
only they ask for. So a fetch that brings no record changes nothing, and need not be put
before or behind other steps. What no run of this cluster shows no run of the model
shows; not the other way around.

Where a run of the model ends at rest, the same run of this cluster ends where no
sequence of own steps shows anything that asks neither question. For such a sequence is
one of the model, too, from there on, but for a fetch with which the model's follower
joins the ISR: that is a write to ZooKeeper, so the model would not be at rest. A leader
without session answers no fetch of a follower that would join, so here it answers none.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import wraps

from replicheck.model.cluster.broker.replication import (
    InSync,
    end_of,
    fetch,
    serve_fetch,
)
from replicheck.model.cluster.state import Cluster
from replicheck.model.protocol import Protocol
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId

SHOW_WATERMARKS = frozenset({"lead", "high_watermark"})
"""Kinds of events that show high watermarks."""
ASK_FOR_WATERMARKS = ("acknowledgements", "caught_up_followers")
"""Bounds that are 0 where high watermarks matter for no more than these questions."""
ASKING = frozenset({"shrink_isr"})
"""Actions that the answer to one of the questions enables; in `fetch` it is a part."""


def forgetting_watermarks(protocol: Protocol) -> Protocol:
    """The protocol in which leaders forget what fetches say, its actions as named.

    Raises:
        ValueError: if it serves fetches in its own way.
    """
    if fetch not in protocol.actions:
        raise ValueError(f"{protocol.name} has its own way to {fetch.__name__}")
    return protocol.replacing(fetch, by=_fetch)


def joining_no_isr(protocol: Protocol) -> Protocol:
    """The protocol whose fetches ask neither question, by which rest is told."""
    return protocol.replacing(fetch, by=_copy)


@wraps(fetch)
def _fetch(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A follower copies the next record, and may join the ISR, or may not yet."""
    for in_sync in (_is_at_epoch_start, _is_behind):
        yield from _forgotten(cluster, leader, follower, partition, in_sync)


@wraps(fetch)
def _copy(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> Iterator[Cluster]:
    """A follower copies the next record, and does not join the ISR."""
    if not cluster.processes[leader].is_cut_off:
        yield from _forgotten(cluster, leader, follower, partition, _is_behind)


def _forgotten(
    cluster: Cluster,
    leader: BrokerId,
    follower: BrokerId,
    partition: PartitionId,
    in_sync: InSync,
) -> Iterator[Cluster]:
    """What a fetch comes to, less the high watermark and the end that it tells."""
    before = cluster.replicas[follower][partition].high_watermark
    for after in serve_fetch(cluster, leader, follower, partition, in_sync):
        remotes = after.remotes[leader][partition].forget()
        replica = after.replicas[follower][partition].with_high_watermark(before)
        yield after.evolve(
            remotes={(leader, partition): remotes},
            replicas={(follower, partition): replica},
        )


def _is_at_epoch_start(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    if cluster.replicas[leader][partition].counts_in_sync(follower):
        return False
    end: Offset = end_of(cluster, follower, partition)
    return end >= cluster.replicas[leader][partition].epoch_start


def _is_behind(
    cluster: Cluster, leader: BrokerId, follower: BrokerId, partition: PartitionId
) -> bool:
    return False
