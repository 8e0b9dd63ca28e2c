"""Bugs that Kafka had in how brokers lead, obey the controller, and stop replicas."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.model.fetching import client_reads, controller
from replicheck.model.fetching.broker import leader as leading
from replicheck.model.fetching.broker import replica_manager, replica_removal
from replicheck.model.fetching.cells.requests import Becoming
from replicheck.model.fetching.log_moves import alter_log_dirs
from replicheck.model.fetching.mutations.leading import commit_alone
from replicheck.model.fetching.protocols import KAFKA_2_5
from replicheck.model.fetching.state import Brokers
from replicheck.model.fetching.versions.repaired import is_led_in_a_new_epoch
from replicheck.model.protocol import Protocol
from replicheck.model.rules import original
from replicheck.model.shared.partition_node import LeaderAndIsr
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId


def delete_with_the_fetcher_at_work(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A replica is deleted before its fetcher is removed (KAFKA-10371)."""
    if cluster.replicas[broker][partition].is_unknown():
        if any(
            cluster.fetch_state(thread, partition).is_tracked()
            for thread in cluster.threads_of(broker)
        ):
            yield replica_removal.stop_fetching(cluster, broker, partition)
    elif replica_removal.can_delete(cluster, broker, partition):
        cluster = cluster.evolve(faults=cluster.faults.spend("stops"))
        yield replica_removal.delete(cluster, broker, partition)


def fetch_before_following(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A broker begins to fetch from a new leader while it still leads (KAFKA-1154)."""
    if not cluster.inboxes[broker][partition].tells_to_follow(broker):
        return
    if not replica_manager.accepts(cluster, broker, partition):
        return
    content = cluster.inboxes[broker][partition].head
    cluster = replica_manager.take_request(
        cluster, broker, partition, Becoming.FOLLOWER
    )
    yield replica_manager.move_fetcher(cluster, broker, partition, content)


def follow_after_fetching(cluster: Brokers, broker: BrokerId) -> Iterator[Brokers]:
    """The broker gives leadership up once it has begun to fetch (KAFKA-1154)."""
    if not cluster.handlers[broker].is_making(Becoming.FOLLOWER):
        return
    partition, content = replica_manager.request_under_way(cluster, broker)
    directory = cluster.locations[broker][partition]
    follower = cluster.replicas[broker][partition].follow(content, directory)
    unknown = cluster.remotes[broker][partition].forget()
    cluster = cluster.evolve(
        replicas={(broker, partition): follower},
        remotes={(broker, partition): unknown},
    )
    yield alter_log_dirs.find_future_log(cluster, broker, partition)


def follow_the_same_leader_without_truncating(
    cluster: Brokers, broker: BrokerId, partition: PartitionId, content: LeaderAndIsr
) -> Brokers:
    """A new epoch of the same leader changes the epoch, and cuts nothing (KAFKA-7164).

    The follower may have missed that another led in between.
    """
    assert content.leader is not None, "a follower is told its leader"
    thread = cluster.thread_for(broker, content.leader, partition)
    state = cluster.fetch_state(thread, partition)
    if not state.is_tracked():
        rule = original(replica_manager.move_fetcher)
        return rule(cluster, broker, partition, content)
    state = state.in_epoch(content.epoch)
    return cluster.evolve(fetch_states={thread.at(partition): state})


def append_after_a_check(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Iterator[Brokers]:
    """A leader is asked whether it leads, and appends later (KAFKA-860)."""
    if cluster.next_records[partition] >= cluster.bounds.records:
        return
    if not cluster.admitted[leader][partition]:
        if cluster.presumes_leadership(leader, partition):
            yield cluster.evolve(admitted={(leader, partition): True})
    elif cluster.replicas[leader][partition].is_online():
        appended = cluster.evolve(admitted={(leader, partition): False})
        yield leading.append_next_record(appended, leader, partition)


def write_to_a_closed_log(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> bool:
    """A leader's log takes records although its directory failed (KAFKA-6027)."""
    return True


def delete_uncommitted_records(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Offset:
    """Retention deletes records above the high watermark (KAFKA-5634)."""
    return cluster.logs[leader][partition].end_offset


def remove_idle_followers(
    cluster: Brokers, leader: BrokerId, partition: PartitionId, follower: BrokerId
) -> bool:
    """Time alone takes a follower out of the ISR (KAFKA-7152)."""
    return True


def commit_alone_during_a_request(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Brokers:
    """While a request is obeyed, a leader knows of no follower (KAFKA-10301)."""
    handler = cluster.handlers[leader]
    if handler.is_making(Becoming.LEADER) and handler.partition == partition:
        return commit_alone(cluster, leader, partition)
    rule = original(leading.maybe_increment_leader_hw)
    return rule(cluster, leader, partition)


def tell_only_the_leader(
    cluster: Brokers, partition: PartitionId, leader: BrokerId
) -> tuple[BrokerId, ...]:
    """A new epoch of the same leader is sent to the leader only (KAFKA-1188)."""
    brokers = original(controller.brokers_to_tell)(cluster, partition, leader)
    content = cluster.partition_nodes[partition].content
    assert content is not None, "every partition was initialised"
    if content.leader != leader:
        return brokers
    return tuple(broker for broker in brokers if broker == leader)


def tell_clients_the_high_watermark(
    cluster: Brokers, leader: BrokerId, partition: PartitionId
) -> Offset | None:
    """Clients are told a high watermark that lags the last leader's (KAFKA-2334)."""
    return cluster.replicas[leader][partition].high_watermark


MUTATIONS: dict[str, Protocol] = {
    "kafka-10371-delete-with-the-fetcher-at-work": KAFKA_2_5.replacing(
        replica_removal.stop_and_delete_replica, by=delete_with_the_fetcher_at_work
    ),
    "kafka-860-append-after-a-check": KAFKA_2_5.replacing(
        leading.append_records_to_leader, by=append_after_a_check
    ),
    "kafka-1154-fetch-before-following": KAFKA_2_5.replacing(
        replica_manager.make_followers, by=fetch_before_following
    ).replacing(replica_manager.replace_fetcher, by=follow_after_fetching),
    "kafka-7164-follow-the-same-leader-without-truncating": KAFKA_2_5.replacing(
        replica_manager.move_fetcher, by=follow_the_same_leader_without_truncating
    ),
    "kafka-6027-write-to-a-closed-log": KAFKA_2_5.replacing(
        leading.is_writable, by=write_to_a_closed_log
    ),
    "kafka-5634-delete-uncommitted-records": KAFKA_2_5.replacing(
        leading.first_undeletable_offset, by=delete_uncommitted_records
    ),
    "kafka-7152-remove-idle-followers": KAFKA_2_5.replacing(
        leading.is_follower_out_of_sync, by=remove_idle_followers
    ),
    "kafka-10301-commit-alone-during-a-request": KAFKA_2_5.replacing(
        leading.maybe_increment_leader_hw, by=commit_alone_during_a_request
    ),
    "kafka-2721-forget-followers-in-every-epoch": KAFKA_2_5.replacing(
        replica_manager.is_new_leader, by=is_led_in_a_new_epoch
    ),
    "kafka-1188-tell-only-the-leader": KAFKA_2_5.replacing(
        controller.brokers_to_tell, by=tell_only_the_leader
    ),
    "kafka-2334-tell-clients-the-high-watermark": KAFKA_2_5.replacing(
        client_reads.last_offset_for_clients, by=tell_clients_the_high_watermark
    ),
}
