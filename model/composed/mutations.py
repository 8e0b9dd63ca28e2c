"""Mutations of the cluster with fetcher threads: of both models, and where they meet.

The former have the names that they have there, after ``composed-``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from replicheck.model.cluster.broker import deletion, log_dirs
from replicheck.model.cluster.broker.high_watermark import commit_up_to_all_of
from replicheck.model.cluster.cells.channels import Answer
from replicheck.model.composed import broker, leader, moves
from replicheck.model.composed.fetcher_view import (
    place_of_log,
    seen_by_fetchers,
    whole_of,
)
from replicheck.model.composed.inherited_mutations import of_both
from replicheck.model.composed.protocols import KAFKA_2_5, on_fetchers
from replicheck.model.composed.state import Composed
from replicheck.model.fetching.broker import epoch_requests, fetch_requests
from replicheck.model.fetching.broker import leader as of_leaders
from replicheck.model.fetching.cells.future_log import NO_FUTURE_LOG
from replicheck.model.fetching.fetchers.fetcher_manager import (
    add_fetcher_for_partitions,
)
from replicheck.model.fetching.log_moves import log_replacement
from replicheck.model.fetching.state import Brokers
from replicheck.model.fetching.thread_loop import truncating
from replicheck.model.fetching.versions.history import ask_for_no_epoch
from replicheck.model.protocol import mutations_of
from replicheck.model.rules import original
from replicheck.model.vocabulary import BrokerId, PartitionId


def add_without_removing(
    cluster: Composed, follower: BrokerId, partition: PartitionId
) -> Composed:
    """The old leader's thread keeps the partition (B-FOLLOW)."""
    told = cluster.fetchers[follower][partition]
    if told.is_idle():
        return original(broker.move_fetcher)(cluster, follower, partition)
    assert told.leader is not None and told.epoch is not None, "it is not idle"
    offset = cluster.replicas[follower][partition].high_watermark
    view = seen_by_fetchers(cluster)
    view = add_fetcher_for_partitions(
        view, follower, partition, told.leader, told.epoch, offset
    )
    return whole_of(view)


def keep_stopped_replicas_in_thread(
    cluster: Composed, follower: BrokerId, partition: PartitionId
) -> Composed:
    """A replica that is to fetch no more stays in its thread (B-LEAD, B-STOP-1)."""
    if cluster.fetchers[follower][partition].is_idle():
        return cluster
    return original(broker.move_fetcher)(cluster, follower, partition)


def cut_the_log_of_a_leader(
    after: Composed, before: Composed, follower: BrokerId
) -> Composed:
    """A new leader cuts its log to the high watermark (L-LEAD, D-7)."""
    for partition in after.bounds.partition_ids:
        if after.presumes_leadership(follower, partition):
            view = seen_by_fetchers(after)
            offset = after.replicas[follower][partition].high_watermark
            log = view.logs[follower][partition].truncate_to(offset)
            after = whole_of(view.evolve(logs={(follower, partition): log}))
    return original(broker.cache_epochs)(after, before, follower)


def commit_alone(view: Brokers, broker: BrokerId, partition: PartitionId) -> Brokers:
    """The leader waits for no follower (L-HW)."""
    committed = commit_up_to_all_of(whole_of(view), broker, partition, ())
    return seen_by_fetchers(cast(Composed, committed))


def answer_without_deleting(
    cluster: Composed, broker: BrokerId, partition: PartitionId
) -> Iterator[tuple[Composed, Answer]]:
    """A replica that is to be deleted stays (B-STOP-1)."""
    yield cluster, Answer.NONE


def go_on_moving(
    cluster: Composed, follower: BrokerId, partition: PartitionId
) -> Composed:
    """A replica that is stopped or offline is moved on (B-STOP-1, B-DIR-1)."""
    return cluster


def drop_the_copy_and_go_on_moving(
    cluster: Composed, follower: BrokerId, partition: PartitionId
) -> Composed:
    """The directory of a copy fails, and its thread goes on (B-DIR-1)."""
    return cluster.evolve(future_logs={(follower, partition): NO_FUTURE_LOG})


def keep_replaced_logs(
    view: Brokers, follower: BrokerId, partition: PartitionId
) -> Brokers:
    """What a future log replaces is not deleted (F-ALT-6)."""
    before = whole_of(view)
    place = (follower, partition, place_of_log(before, follower, partition))
    log = before.logs[follower][partition][place[-1]]
    after = moves.replace_current_with_future_log(view, follower, partition)
    return seen_by_fetchers(whole_of(after).evolve(logs={place: log}))


MUTATIONS = mutations_of(
    KAFKA_2_5,
    {
        "composed-b-dir-1-mark-offline-and-go-on-fetching": KAFKA_2_5.replacing(
            broker.mark_replicas_offline, by=log_dirs.mark_replicas_offline
        ),
        "composed-k-1-truncate-to-high-watermark": KAFKA_2_5.replacing(
            truncating.classify, by=ask_for_no_epoch
        ),
        "composed-b-follow-add-without-removing": KAFKA_2_5.replacing(
            broker.move_fetcher, by=add_without_removing
        ),
        "composed-b-lead-keep-stopped-replicas-in-thread": KAFKA_2_5.replacing(
            broker.move_fetcher, by=keep_stopped_replicas_in_thread
        ),
        "composed-l-lead-cut-the-log-of-a-leader": KAFKA_2_5.replacing(
            broker.cache_epochs, by=cut_the_log_of_a_leader
        ),
        "composed-l-hw-commit-alone": KAFKA_2_5.replacing(
            of_leaders.maybe_increment_leader_hw, by=commit_alone
        ),
        "composed-b-stop-1-answer-without-deleting": KAFKA_2_5.replacing(
            deletion.delete_replica, by=answer_without_deleting
        ),
        "composed-n-7-answer-whatever-zookeeper-says": KAFKA_2_5.replacing(
            leader.handle_fetch_request,
            by=on_fetchers(fetch_requests.handle_fetch_request),
        ),
        "composed-z-state-2-say-where-epochs-end-at-once": KAFKA_2_5.replacing(
            leader.handle_offset_for_leader_epoch_request,
            by=on_fetchers(epoch_requests.handle_offset_for_leader_epoch_request),
        ),
        "composed-b-dir-1-mark-offline-and-go-on-moving": KAFKA_2_5.replacing(
            moves.stop_move, by=go_on_moving
        ),
        "composed-b-dir-1-drop-the-copy-and-go-on-moving": KAFKA_2_5.replacing(
            moves.give_up_move, by=drop_the_copy_and_go_on_moving
        ),
        "composed-f-alt-6-keep-replaced-logs": KAFKA_2_5.replacing(
            log_replacement.replace_current_with_future_log, by=keep_replaced_logs
        ),
        **{f"composed-{name}": protocol for name, protocol in of_both()},
    },
)
