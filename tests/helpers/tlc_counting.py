"""KIP-320 with steps counted as TLC counts them."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.replication import leader
from replicheck.model.replication.protocols import KIP_320
from replicheck.model.replication.state import AbstractCluster
from replicheck.model.vocabulary import BrokerId


def shrink_isr_by_each_reason(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """As ``fenced_shrink_isr``, but a step for each of the two reasons that holds.

    The specification states the reasons as a disjunction, and TLC generates a successor
    for each disjunct, also where both give the same state.
    """
    replica = cluster.replicas[leader]
    if leader == follower or not cluster.is_true_leader(leader):
        return
    if follower not in replica.isr:
        return
    isr = replica.isr - {follower}
    after = cluster.evolve(
        partition_state=cluster.partition_state.with_isr(isr),
        replicas={leader: evolve(replica, isr=isr)},
    )
    if not cluster.is_following_epoch(leader, follower):
        yield after
    if cluster.logs[follower].end_offset < cluster.logs[leader].end_offset:
        yield after


AS_TLC_COUNTS = KIP_320.replacing(
    leader.fenced_shrink_isr, by=shrink_isr_by_each_reason
)
