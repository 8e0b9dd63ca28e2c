"""Properties of single steps of the cluster in KRaft mode with fetcher threads."""

from __future__ import annotations

from functools import partial

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.composed import viewed
from replicheck.invariants.fetching import failures as of_failures
from replicheck.invariants.fetching import steps as of_fetching
from replicheck.invariants.kraft import steps as of_kraft
from replicheck.invariants.kraft_composed.safety import fetches
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.fetching.cells.calls import Error, FetchAnswer
from replicheck.model.kraft_composed.fetcher_view import seen_by_fetchers
from replicheck.model.kraft_composed.state import PARTITION, KraftComposed
from replicheck.model.vocabulary import BrokerId

of_steps = partial(viewed.of_steps, seen_by_fetchers)
"""A property of a step of the fetching brokers as one of the whole."""


def only_leader_epoch_clears_failure(
    before: KraftComposed, after: KraftComposed, broker: BrokerId
) -> bool:
    """A partition that failed stays so until its broker is in another leader epoch.

    Or until the process ends, the log goes offline, or a broker in controlled shutdown
    stops to follow (KR-FAIL-1); holds.
    """
    if after.failed[broker] is before.failed[broker]:
        return True
    if not before.failed[broker].has(PARTITION) or after.failed[broker].has(PARTITION):
        return True
    if not after.processes[broker].is_running or after.processes[broker].is_stopping:
        return True
    old, new = before.partitions[broker], after.partitions[broker]
    return new.is_offline or old.leader_epoch != new.leader_epoch


def replica_outside_isr_stops_fetching(
    before: KraftComposed, after: KraftComposed, broker: BrokerId
) -> bool:
    """A broker in controlled shutdown fetches no more once metadata has it outside.

    That is said of the metadata that changes the partition, with a leader or without
    (KR-FOL-4); holds.
    """
    old, new = before.partitions[broker], after.partitions[broker]
    if new is old or old.partition_epoch == new.partition_epoch:
        return True
    if new.is_led_by(broker):
        return True
    if (
        not after.processes[broker].is_running
        or not after.processes[broker].is_stopping
    ):
        return True
    if after.caches[broker].partition.counts_in_sync(broker):
        return True
    return not fetches(after, broker)


def records_are_served_to_replicas_only(
    before: KraftComposed, after: KraftComposed, follower: BrokerId, leader: BrokerId
) -> bool:
    """A leader reads records for brokers only that have a replica, as far as it knows.

    That is KR-FET-2; holds.
    """
    old = before.calls[follower][leader][FetcherId(0)][PARTITION]
    new = after.calls[follower][leader][FetcherId(0)][PARTITION]
    if new is old or old.answer is not None:
        return True
    if not isinstance(new.answer, FetchAnswer) or new.answer.error is not Error.NONE:
        return True
    return before.partitions[leader].has_replica(follower)


IN_REQUEST_EPOCH = of_steps(of_fetching.response_is_used_in_request_epoch)
OUT_OF_RANGE = of_steps(of_failures.out_of_range_fetch_makes_progress)
STEPS: tuple[Predicate, ...] = (
    IN_REQUEST_EPOCH,
    OUT_OF_RANGE,
    of_kraft.own_assignment_keeps_move,
    only_leader_epoch_clears_failure,
    replica_outside_isr_stops_fetching,
    records_are_served_to_replicas_only,
)
