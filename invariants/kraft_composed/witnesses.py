"""What a sound check of KRaft's brokers with fetcher threads must have seen."""

from __future__ import annotations

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.fetching import witnesses as of_fetching
from replicheck.invariants.kraft import witnesses as of_kraft
from replicheck.invariants.kraft_composed.safety import of_states
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import Error, FetchAsked
from replicheck.model.kraft_composed.state import PARTITION, KraftComposed
from replicheck.model.vocabulary import BrokerId


def failed_replica_is_outside_isr(cluster: KraftComposed, broker: BrokerId) -> bool:
    """A replica whose partition failed has left the ISR, its process being healthy."""
    if not cluster.failed[broker].has(PARTITION) or not cluster.is_active(broker):
        return False
    return not cluster.stored.counts_in_sync(broker)


def answer_outlives_leader_epoch(
    cluster: KraftComposed, follower: BrokerId, leader: BrokerId
) -> bool:
    """A thread has the answer to a fetch of an earlier leader epoch."""
    call = cluster.calls[follower][leader][FetcherId(0)][PARTITION]
    state = cluster.fetch_states[follower][leader][FetcherId(0)][PARTITION]
    if call.answer is None or not state.is_tracked():
        return False
    asked = call.request
    return isinstance(asked, FetchAsked) and not state.has_epoch(asked.current_epoch)


def unknown_replica_is_refused(
    cluster: KraftComposed, follower: BrokerId, leader: BrokerId
) -> bool:
    """A leader refused a broker that it does not know as a replica yet."""
    call = cluster.calls[follower][leader][FetcherId(0)][PARTITION]
    if call.answer is None or not cluster.partitions[leader].is_led_by(leader):
        return False
    error = call.answer.error
    if error is not Error.UNKNOWN_LEADER_EPOCH:
        return False
    return not cluster.partitions[leader].has_replica(follower)


WITNESSES: tuple[Predicate, ...] = (
    of_kraft.record_is_acknowledged,
    of_kraft.two_brokers_presume_leadership,
    of_kraft.leader_is_behind_metadata,
    of_kraft.move_is_accepted,
    of_kraft.replica_has_moved,
    of_states(of_fetching.partition_has_failed),
    of_states(of_fetching.partition_is_delayed),
    of_states(of_fetching.fetch_returns_record),
    of_states(of_fetching.fetch_is_fenced),
    of_states(of_fetching.fetch_has_unknown_leader_epoch),
    of_states(of_fetching.fetch_reaches_non_leader),
    failed_replica_is_outside_isr,
    answer_outlives_leader_epoch,
    of_kraft.reassignment_is_in_progress,
    of_kraft.new_leader_is_told,
    unknown_replica_is_refused,
)
