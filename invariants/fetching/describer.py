"""The describer of the brokers with replica fetcher threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve

from replicheck.invariants.describers.log_strips import (
    LogPlace,
    LogStrip,
    idle_strip,
    on_failed_disk,
    strip,
)
from replicheck.invariants.describers.model_describer import (
    Link,
    MessageInFlight,
    ModelDescriber,
    documents_of,
    faults_left,
)
from replicheck.model.fetching.cells.calls import Call
from replicheck.model.fetching.mutations.mutated_protocols import MUTATIONS
from replicheck.model.fetching.state import Brokers
from replicheck.model.fetching.versions.history import PROTOCOLS
from replicheck.model.fetching.versions.repaired import REPAIRED
from replicheck.model.shared.log_directory import LogDirectory
from replicheck.model.vocabulary import BrokerId, PartitionId

GHOSTS: Mapping[str, None] = {
    "committed": None,
    "consumed": None,
    "next_records": None,
}
"""Fields that no broker owns: history that exists for properties only."""


def _brokers(cluster: Brokers) -> Sequence[BrokerId]:
    return cluster.bounds.broker_ids


def _logs(cluster: Brokers) -> tuple[LogStrip, ...]:
    partitions = cluster.bounds.partition_ids
    return tuple(
        log
        for partition in partitions
        for broker in cluster.bounds.broker_ids
        for log in _logs_of(cluster, broker, partition)
    )


def _logs_of(
    cluster: Brokers, broker: BrokerId, partition: PartitionId
) -> Iterator[LogStrip]:
    place = LogPlace(broker, partition if cluster.bounds.partitions > 1 else None)
    replica = cluster.replicas[broker][partition]
    stored = cluster.partition_nodes[partition].content
    used = strip(place, cluster.logs[broker][partition].records, replica, stored)
    yield _on_disk(used, cluster.directory_of(broker, partition))
    future = cluster.future_logs[broker][partition]
    if future.directory is not None:
        place = evolve(place, directory=future.directory)
        idle = idle_strip(place, future.log.records, None, "future log")
        yield _on_disk(idle, cluster.directories[broker][future.directory])


def _on_disk(found: LogStrip, disk: LogDirectory) -> LogStrip:
    """Strip of a log, which says so if its disk has failed."""
    if disk.is_good():
        return found
    return on_failed_disk(found, f"directory {disk.status.value}")


def _in_flight(cluster: Brokers) -> tuple[MessageInFlight, ...]:
    return (*_leader_and_isr_requests(cluster), *fetch_messages(cluster.calls))


def _leader_and_isr_requests(cluster: Brokers) -> Iterator[MessageInFlight]:
    for broker, inboxes in enumerate(cluster.inboxes):
        for inbox in inboxes:
            for request in inbox.requests:
                kind = f"LeaderAndIsr request, epoch {request.epoch}"
                yield MessageInFlight("controller", f"broker {broker}", kind)


def fetch_messages(
    calls: tuple[tuple[tuple[tuple[Call, ...], ...], ...], ...],
) -> Iterator[MessageInFlight]:
    """Requests of fetcher threads, and the answers of leaders."""
    for follower, of_follower in enumerate(calls):
        for leader, of_leader in enumerate(of_follower):
            for partition_calls in of_leader:
                for call in partition_calls:
                    yield from _fetch_message(follower, leader, call)


def _fetch_message(follower: int, leader: int, call: Call) -> Iterator[MessageInFlight]:
    source, target = f"broker {follower}", f"broker {leader}"
    if not (call.asks_epoch() or call.asks_records()):
        return
    kind = "OffsetForLeaderEpoch" if call.asks_epoch() else "Fetch"
    if call.answer is None:
        yield MessageInFlight(source, target, f"{kind} request")
    else:
        yield MessageInFlight(target, source, f"{kind} response")


FETCHES = Link(
    "leader",
    "follower",
    replies=frozenset({"maybe_fetch", "fetch_truncating_partitions"}),
    silent=frozenset(
        {
            "process_fetch_request",
            "truncate_on_fetch_response",
            "truncate_to_epoch_end_offsets",
            "truncate_to_high_watermark",
            "expire_delay",
            "maybe_shrink_isr",
            "catch_up",
            "fall_behind",
        }
    ),
    only_news=True,
)

DESCRIBER = ModelDescriber(
    store="controller",
    stored=frozenset({"partition_nodes", "inboxes"}),
    strips=_logs,
    in_flight=_in_flight,
    noun="broker",
    participants=_brokers,
    documents=documents_of([*MUTATIONS, *PROTOCOLS, REPAIRED]),
    left=faults_left,
    budgets=faults_left,
    owner=GHOSTS,
    decides=frozenset({"elect_leader", "elect_leader_uncleanly"}),
    hears=frozenset({"make_leaders", "make_followers"}),
    acting=("broker", "follower", "leader"),
    actors={
        "handle_fetch_request": "leader",
        "handle_offset_for_leader_epoch_request": "leader",
        "maybe_shrink_isr": "leader",
        "respond_immediately": "leader",
        "stall_after_read": "leader",
        "record_late": "leader",
        "catch_up": "leader",
        "fall_behind": "leader",
    },
    links=(FETCHES,),
)
