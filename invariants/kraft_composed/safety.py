"""Invariants of the cluster in KRaft mode with fetcher threads: those of both models.

What is about the controller alone, or about what this model leaves out, is judged with
the model `kraft`.
"""

from __future__ import annotations

from functools import partial

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.invariants.composed import viewed
from replicheck.invariants.fetching import safety as of_fetching
from replicheck.invariants.kraft import safety as of_kraft
from replicheck.model.fetching.bounds import FetcherId
from replicheck.model.kraft_composed.fetcher_view import seen_by_fetchers
from replicheck.model.kraft_composed.state import PARTITION, KraftComposed
from replicheck.model.vocabulary import BrokerId

of_states = partial(viewed.of_states, seen_by_fetchers)
"""A property of the fetching brokers as one of the whole state."""


def follower_is_fetching_or_failed(cluster: KraftComposed, broker: BrokerId) -> bool:
    """A follower fetches from its leader in its leader epoch, or has failed (KINV-17).

    One in controlled shutdown may have been stopped; holds.
    """
    partition, process = cluster.partitions[broker], cluster.processes[broker]
    leader = partition.leader
    if leader is None or leader == broker or partition.is_offline:
        return True
    if process.is_stopping or cluster.failed[broker].has(PARTITION):
        return True
    state = cluster.fetch_states[broker][leader][FetcherId(0)][PARTITION]
    return partition.leader_epoch is not None and state.is_tracked_in(
        partition.leader_epoch
    )


def removed_replica_is_not_fetched(cluster: KraftComposed, broker: BrokerId) -> bool:
    """A broker of which the published metadata has no replica fetches none.

    Nor has it failed there (KR-DEL-1); holds.
    """
    if not cluster.processes[broker].has_published:
        return True
    if cluster.partitions[broker].partition_epoch is not None:
        return True
    return not (cluster.failed[broker].has(PARTITION) or fetches(cluster, broker))


def fetches(cluster: KraftComposed, broker: BrokerId) -> bool:
    """Tell whether a thread of a broker has a partition of the topic."""
    return any(
        state.is_tracked()
        for of_leader in cluster.fetch_states[broker]
        for states in of_leader
        for state in states
    )


FETCHERS: tuple[Predicate, ...] = (
    of_states(of_fetching.failed_partition_has_no_fetcher),
    of_states(of_fetching.partition_has_at_most_one_fetcher),
    of_states(of_fetching.leader_does_not_fetch),
    of_states(of_fetching.offline_replica_has_no_fetcher_state),
    of_states(of_fetching.followers_fetch_from_log_end),
    of_states(of_fetching.leader_epochs_in_log_increase),
    of_states(of_fetching.no_error_ends_fetcher_thread),
)
OFFLINE = FETCHERS[3]
SAFETY: tuple[Predicate, ...] = (
    of_kraft.leader_has_acknowledged_records,
    of_kraft.candidates_have_acknowledged_records,
    of_kraft.known_follower_end_is_held,
    of_kraft.logs_agree_below_high_watermarks,
    of_kraft.high_watermark_is_in_log,
    *FETCHERS,
    follower_is_fetching_or_failed,
    removed_replica_is_not_fetched,
)
