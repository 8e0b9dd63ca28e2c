"""Mutations of KIP-320, each of which breaks one thing on purpose."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from replicheck.model.protocol import Protocol
from replicheck.model.replication import controller, leader
from replicheck.model.replication.protocols import KIP_320
from replicheck.model.replication.state import Cluster, LeaderAndIsr, Record
from replicheck.model.vocabulary import BrokerId, Epoch, Offset, RecordId


def commit_alone(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """A leader commits what no follower has."""
    replica = cluster.replicas[leader]
    if not cluster.presumes_leadership(leader):
        return
    if replica.high_watermark >= cluster.logs[leader].end_offset:
        return
    after = replica.with_high_watermark(Offset(replica.high_watermark + 1))
    yield cluster.evolve(replicas={leader: after})


def commit_what_is_not_there(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """A leader's high watermark goes up for ever."""
    if cluster.presumes_leadership(leader):
        replica = cluster.replicas[leader]
        after = replica.with_high_watermark(Offset(replica.high_watermark + 1))
        yield cluster.evolve(replicas={leader: after})


def remove_the_leader_that_stays(
    cluster: Cluster, replica: BrokerId
) -> Iterator[Cluster]:
    """The controller takes the leader out of the ISR, and lets it lead."""
    state = cluster.partition_state
    if cluster.next_leader_epoch > cluster.bounds.max_leader_epoch:
        return
    if state.leader == replica:
        isr = state.isr - {replica}
        yield publish(cluster, LeaderAndIsr(replica, cluster.next_leader_epoch, isr))


def elect_without_end(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """The controller elects in epochs that the bounds do not have."""
    state = cluster.partition_state
    if leader in state.isr and leader != state.leader:
        request = LeaderAndIsr(leader, cluster.next_leader_epoch, state.isr)
        yield publish(cluster, request)


def append_to_a_full_log(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """A leader appends one record more than its log can hold."""
    yield from append(cluster, leader, cluster.bounds.log_size + 1)


def append_for_ever(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """Producers send more records than there are."""
    if cluster.next_record <= cluster.bounds.records:
        yield cluster.evolve(next_record=RecordId(cluster.next_record + 1))


def obey_any_request(cluster: Cluster, leader: BrokerId) -> Iterator[Cluster]:
    """A replica takes leadership in an epoch that is past."""
    for epoch in cluster.requests.from_leader(leader, None):
        request = LeaderAndIsr(leader, epoch, cluster.requests.isr_in(epoch))
        yield cluster.evolve(replicas={leader: cluster.replicas[leader].obey(request)})


def append(cluster: Cluster, leader: BrokerId, size: int) -> Iterator[Cluster]:
    """Append a record to a log that holds at most ``size``."""
    epoch = cluster.replicas[leader].epoch
    if not cluster.presumes_leadership(leader) or epoch is None:
        return
    if cluster.logs[leader].end_offset < size:
        record = Record(RecordId(0), epoch)
        yield cluster.evolve(logs={leader: cluster.logs[leader].append(record)})


def publish(cluster: Cluster, request: LeaderAndIsr) -> Cluster:
    """Store a decision and send it."""
    return cluster.evolve(
        partition_state=request,
        requests=cluster.requests.send(request),
        next_leader_epoch=Epoch(cluster.next_leader_epoch + 1),
    )


MUTANTS: dict[str, Protocol] = {
    "a_leaders_isr_holds_every_record_that_it_committed": KIP_320.replacing(
        leader.fenced_increment_high_watermark, by=commit_alone
    ),
    "the_stored_isr_holds_every_record_that_a_leader_committed": KIP_320.replacing(
        leader.fenced_increment_high_watermark, by=commit_alone
    ),
    "the_stored_leader_is_in_the_stored_isr": KIP_320.replacing(
        controller.remove_from_isr, by=remove_the_leader_that_stays
    ),
    "logs_are_within_their_bounds": KIP_320.replacing(
        leader.append_to_leader, by=append_to_a_full_log
    ),
    "replicas_are_within_their_bounds": KIP_320.replacing(
        leader.fenced_increment_high_watermark, by=commit_what_is_not_there
    ),
    "decisions_are_within_their_bounds": KIP_320.replacing(
        controller.elect_leader, by=elect_without_end
    ),
    "counters_are_within_their_bounds": KIP_320.replacing(
        leader.append_to_leader, by=append_for_ever
    ),
    "a_replicas_leader_epoch_never_goes_back": KIP_320.replacing(
        leader.become_leader, by=obey_any_request
    ),
}
"""For each invariant and step property a protocol that breaks it."""


def shrink_isr_by_each_reason(
    cluster: Cluster, leader: BrokerId, follower: BrokerId
) -> Iterator[Cluster]:
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
