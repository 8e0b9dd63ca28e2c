"""Mutations of KIP-320, each of which breaks one thing on purpose."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.protocol import mutations_of
from replicheck.model.replication import controller, leader
from replicheck.model.replication.follower import (
    fenced_become_follower_and_truncate,
    fenced_fetch,
)
from replicheck.model.replication.protocols import KIP_320
from replicheck.model.replication.state import AbstractCluster, QuorumState
from replicheck.model.shared.records import Record
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, RecordId


def commit_alone(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """A leader commits what no follower has."""
    replica = cluster.replicas[leader]
    if not cluster.presumes_leadership(leader):
        return
    if replica.high_watermark >= cluster.logs[leader].end_offset:
        return
    after = replica.with_high_watermark(Offset(replica.high_watermark + 1))
    yield cluster.evolve(replicas={leader: after})


def raise_high_watermark_for_ever(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """A leader's high watermark goes up for ever."""
    if cluster.presumes_leadership(leader):
        replica = cluster.replicas[leader]
        after = replica.with_high_watermark(Offset(replica.high_watermark + 1))
        yield cluster.evolve(replicas={leader: after})


def remove_the_leader_that_stays(
    cluster: AbstractCluster, replica: BrokerId
) -> Iterator[AbstractCluster]:
    """The controller takes the leader out of the ISR, and lets it lead."""
    state = cluster.partition_state
    if cluster.next_leader_epoch > cluster.bounds.max_leader_epoch:
        return
    if state.leader == replica:
        isr = state.isr - {replica}
        yield publish(cluster, QuorumState(replica, cluster.next_leader_epoch, isr))


def elect_without_end(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """The controller elects in epochs that the bounds do not have."""
    state = cluster.partition_state
    if leader in state.isr and leader != state.leader:
        request = QuorumState(leader, cluster.next_leader_epoch, state.isr)
        yield publish(cluster, request)


def append_to_a_full_log(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """A leader appends one record more than its log can hold."""
    yield from append(cluster, leader, cluster.bounds.log_size + 1)


def append_for_ever(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """Producers send more records than there are."""
    if cluster.next_record <= cluster.bounds.records:
        yield cluster.evolve(next_record=RecordId(cluster.next_record + 1))


def obey_any_request(
    cluster: AbstractCluster, leader: BrokerId
) -> Iterator[AbstractCluster]:
    """A replica takes leadership in an epoch that is past."""
    for epoch in cluster.requests.from_leader(leader, None):
        request = QuorumState(leader, epoch, cluster.requests.isr_in(epoch))
        yield cluster.evolve(replicas={leader: cluster.replicas[leader].obey(request)})


def serve_followers_as_consumers(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A follower gets only what is committed, and so nothing comes to be committed."""
    committed = cluster.replicas[leader].high_watermark
    if not cluster.logs[follower].reaches(committed):
        yield from fenced_fetch(cluster, leader, follower)


def follow_once(
    cluster: AbstractCluster, leader: BrokerId, follower: BrokerId
) -> Iterator[AbstractCluster]:
    """A replica that follows in some epoch obeys no later request to follow."""
    if cluster.replicas[follower].epoch is None:
        yield from fenced_become_follower_and_truncate(cluster, leader, follower)


def append(
    cluster: AbstractCluster, leader: BrokerId, size: int
) -> Iterator[AbstractCluster]:
    """Append a record to a log that holds at most ``size``."""
    epoch = cluster.replicas[leader].epoch
    if not cluster.presumes_leadership(leader) or epoch is None:
        return
    if cluster.logs[leader].end_offset < size:
        record = Record(RecordId(0), epoch)
        yield cluster.evolve(logs={leader: cluster.logs[leader].append(record)})


def publish(cluster: AbstractCluster, request: QuorumState) -> AbstractCluster:
    """Store a decision and send it."""
    return cluster.evolve(
        partition_state=request,
        requests=cluster.requests.send(request),
        next_leader_epoch=Epoch(cluster.next_leader_epoch + 1),
    )


MUTATIONS = mutations_of(
    KIP_320,
    {
        "commit-alone": KIP_320.replacing(
            leader.fenced_increment_high_watermark, by=commit_alone
        ),
        "remove-the-leader-that-stays": KIP_320.replacing(
            controller.remove_from_isr, by=remove_the_leader_that_stays
        ),
        "append-to-a-full-log": KIP_320.replacing(
            leader.append_to_leader, by=append_to_a_full_log
        ),
        "raise-high-watermark-for-ever": KIP_320.replacing(
            leader.fenced_increment_high_watermark, by=raise_high_watermark_for_ever
        ),
        "elect-without-end": KIP_320.replacing(
            controller.elect_leader, by=elect_without_end
        ),
        "append-for-ever": KIP_320.replacing(
            leader.append_to_leader, by=append_for_ever
        ),
        "serve-followers-as-consumers": KIP_320.replacing(
            fenced_fetch, by=serve_followers_as_consumers
        ),
        "follow-once": KIP_320.replacing(
            fenced_become_follower_and_truncate, by=follow_once
        ),
        "obey-any-request": KIP_320.replacing(
            leader.become_leader, by=obey_any_request
        ),
    },
)
"""Each mutation as a protocol."""
