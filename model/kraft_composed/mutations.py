"""Rules broken on purpose: of the fetching brokers, and where both models meet.

The former have the names that they have there, after ``kraft-composed-``.
"""

from __future__ import annotations

from replicheck.model.fetching.broker import replica_manager
from replicheck.model.fetching.cells.calls import Call, FetchAnswer, FetchAsked
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
)
from replicheck.model.fetching.mutations.mutated_protocols import (
    MUTATIONS as OF_FETCHING,
)
from replicheck.model.fetching.state import Brokers, ThreadId
from replicheck.model.fetching.thread_loop import fetching
from replicheck.model.kraft.broker import high_watermark as of_leaders
from replicheck.model.kraft_composed import broker, leader
from replicheck.model.kraft_composed.fetcher_view import seen_by_fetchers, whole_of
from replicheck.model.kraft_composed.protocols import KAFKA_4_1
from replicheck.model.kraft_composed.state import PARTITION, KraftComposed
from replicheck.model.protocol import Protocol, mutations_of
from replicheck.model.rules import function_named, original
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, PartitionId

TAKEN_OVER = (
    "e-1-keep-an-epoch-that-has-no-record",
    "f-fail-1-fail-without-removing",
    "f-fetch-4-let-errors-end-the-thread",
    "f-ppd-3-skip-the-high-watermark",
)
"""Mutations of the fetching brokers, each of single rules."""


def as_one_of_the_whole(mutation: Protocol) -> Protocol:
    """A mutation of rules of the fetching brokers as one of the whole."""
    assert mutation.original is not None, "it is a mutation"
    whole = KAFKA_4_1
    changed = {*mutation.replacements} - {*mutation.original.replacements}
    for rule, by in sorted(changed):
        whole = whole.replacing(function_named(rule), by=function_named(by))
    return whole


def add_without_removing(cluster: KraftComposed, follower: BrokerId) -> KraftComposed:
    """The old leader's thread keeps the partition (KR-FOL-2)."""
    partition = cluster.partitions[follower]
    leader, epoch = partition.leader, partition.leader_epoch
    if leader is None or epoch is None or leader == follower:
        return original(broker.move_fetcher)(cluster, follower)
    view = seen_by_fetchers(cluster)
    offset = cluster.logs[follower].end_offset
    return whole_of(
        add_fetcher_for_partitions(view, follower, PARTITION, leader, epoch, offset)
    )


def move_to_new_leaders_only(
    before: KraftComposed, after: KraftComposed, follower: BrokerId
) -> bool:
    """A leader that is elected again is fetched from as before (KR-FOL-2)."""
    leader = before.partitions[follower].leader
    return after.partitions[follower].leader != leader


def move_at_each_partition_epoch(
    before: KraftComposed, after: KraftComposed, follower: BrokerId
) -> bool:
    """A partition that failed is tried again by any change of it (KR-FAIL-1)."""
    if not after.failed[follower].has(PARTITION):
        return original(broker.is_to_be_moved)(before, after, follower)
    return True


def keep_fetching(cluster: KraftComposed, follower: BrokerId) -> KraftComposed:
    """Who leads, or has no log, fetches on (KR-LEAD-1, KR-DISK-2, KR-DEL-1)."""
    return cluster


def serve_any_broker(
    view: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> FetchAnswer:
    """A leader reads for a broker that it does not know as a replica (KR-FET-2)."""
    return leader.read_for_live_process(view, thread, partition, asked)


def follow_while_stopping(cluster: KraftComposed, follower: BrokerId) -> bool:
    """A broker in controlled shutdown fetches on (KR-FOL-4, KAFKA-13858)."""
    return False


def begin_at_high_watermark(
    view: Brokers, follower: BrokerId, partition: PartitionId, content: LeaderAndIsr
) -> Brokers:
    """A log with epochs is fetched from its high watermark (KR-FOL-2)."""
    rule = original(replica_manager.move_fetcher)
    return rule(view, follower, partition, content)


def ask_without_last_epoch(view: Brokers, thread: ThreadId) -> dict[PartitionId, Call]:
    """No fetch says in which epoch the record below is (KR-FET-3)."""
    return original(fetching.build_fetch)(view, thread)


def use_answers_of_former_epochs(
    view: Brokers, thread: ThreadId, partition: PartitionId, asked: FetchAsked
) -> bool:
    """An answer is of use in any leader epoch (KR-TRU-1, KAFKA-18991)."""
    return original(fetching.is_asked_offset)(view, thread, partition, asked)


def commit_alone(cluster: KraftComposed, leader: BrokerId) -> frozenset[BrokerId]:
    """The leader waits for no follower (KR-HW-1)."""
    return frozenset()


MUTATIONS = mutations_of(
    KAFKA_4_1,
    {
        "kraft-composed-kr-fol-2-add-without-removing": KAFKA_4_1.replacing(
            broker.move_fetcher, by=add_without_removing
        ),
        "kraft-composed-kr-fol-2-move-to-new-leaders-only": KAFKA_4_1.replacing(
            broker.is_to_be_moved, by=move_to_new_leaders_only
        ),
        "kraft-composed-kr-fail-1-move-at-each-partition-epoch": KAFKA_4_1.replacing(
            broker.is_to_be_moved, by=move_at_each_partition_epoch
        ),
        "kraft-composed-kr-lead-1-keep-fetching": KAFKA_4_1.replacing(
            broker.stop_fetching, by=keep_fetching
        ),
        "kraft-composed-kr-del-1-keep-fetching": KAFKA_4_1.replacing(
            broker.stop_partition, by=keep_fetching
        ),
        "kraft-composed-kr-fet-2-serve-any-broker": KAFKA_4_1.replacing(
            leader.read_for_replica, by=serve_any_broker
        ),
        "kraft-composed-kr-fol-4-follow-while-stopping": KAFKA_4_1.replacing(
            broker.is_stopped, by=follow_while_stopping
        ),
        "kraft-composed-kr-fol-2-begin-at-high-watermark": KAFKA_4_1.replacing(
            replica_manager.move_fetcher, by=begin_at_high_watermark
        ),
        "kraft-composed-kr-fet-3-ask-without-last-epoch": KAFKA_4_1.replacing(
            fetching.build_fetch, by=ask_without_last_epoch
        ),
        "kraft-composed-kr-tru-1-use-answers-of-former-epochs": KAFKA_4_1.replacing(
            fetching.is_asked_offset, by=use_answers_of_former_epochs
        ),
        "kraft-composed-kr-hw-1-commit-alone": KAFKA_4_1.replacing(
            of_leaders.awaited, by=commit_alone
        ),
        **{
            f"kraft-composed-{mutation.name}": as_one_of_the_whole(mutation)
            for mutation in OF_FETCHING
            if mutation.name in TAKEN_OVER
        },
    },
)
