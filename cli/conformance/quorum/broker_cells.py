"""The normal form of the brokers of a state of `kraft`, as the harness tells them."""

from __future__ import annotations

from typing import Any

from replicheck.cli.conformance.quorum.quorum_calls import NONE
from replicheck.model.kraft.state import KraftCluster
from replicheck.model.shared.records import Log
from replicheck.model.vocabulary import BrokerId

Form = dict[str, Any]


def brokers_form(cluster: KraftCluster) -> Form:
    """Each broker: its process, its partition and log, and what it asks."""
    told = {f"broker {b}": _broker(cluster, b) for b in cluster.bounds.broker_ids}
    return {"brokers": told}


def _broker(cluster: KraftCluster, broker: BrokerId) -> Form:
    process = cluster.processes[broker]
    if not process.is_running:
        return {"running": False}
    told: Form = {
        "running": True,
        "epoch": _known(process.epoch),
        "published": _known(process.published),
        "failed publications": 0,
        "request": _request(cluster, broker),
    }
    if process.published is not None:
        told["partition"] = _hosted(cluster, broker)
        if cluster.bounds.moves_replicas:
            told["move"] = _move(cluster, broker)
    return told


def _known(number: int | None) -> int:
    return NONE if number is None else number


def _request(cluster: KraftCluster, broker: BrokerId) -> Form | str:
    """What the process asks, and a process that is registered anew asks no more."""
    request = cluster.channels[broker].request
    own = cluster.processes[broker].epoch
    if request is None or request.broker_epoch != own:
        return "none"
    epochs = dict(request.member_epochs) | {broker: own}
    return {
        "broker epoch": _known(own),
        "leader epoch": request.leader_epoch,
        "partition epoch": request.partition_epoch,
        "isr": {str(m): _known(epochs[m]) for m in sorted(request.isr)},
    }


def _hosted(cluster: KraftCluster, broker: BrokerId) -> Form | str:
    partition = cluster.partitions[broker]
    if partition.is_offline:
        return "offline"
    has_replica = cluster.caches[broker].partition.has_replica(broker)
    if not has_replica and not partition.replicas:
        return "none"
    log = cluster.logs[broker]
    told: Form = {
        "topic": partition.topic_id,
        "leader": _known(partition.leader),
        "leader epoch": partition.leader_epoch,
        "partition epoch": partition.partition_epoch,
        "replicas": sorted(partition.replicas),
        "directory": cluster.disks[broker].used,
        "high watermark": partition.high_watermark,
        "end": log.end_offset,
        "log": _records(log),
    }
    if not cluster.bounds.moves_replicas:
        told["assignment"] = _assignment(cluster, broker)
    if partition.is_led_by(broker):
        return told | _leader(cluster, broker)
    return told | {"fetcher": _fetcher(cluster, broker)}


def _records(log: Log) -> list[list[int]]:
    return [[record.id, record.epoch] for record in log.records]


def _move(cluster: KraftCluster, broker: BrokerId) -> Form:
    """The future log and its thread, what is to be told, and what is on its way."""
    move, sent = cluster.moves[broker], cluster.assignments[broker].sent
    future: Form | str = "none"
    if move.directory is not None:
        records = _records(move.log)
        future = {"directory": move.directory, "end": len(records), "log": records}
    thread: Form | str = "none"
    if move.promotion is not None:
        thread = {"promotion": move.promotion.value, "origin": _known(move.origin)}
    on_its_way: Form | str = "nothing"
    if sent is not None:
        told = {"epoch": _known(sent.epoch), "directory": sent.directory}
        on_its_way = {**told, "topic": sent.topic_id}
    return {
        "future log": future,
        "thread": thread,
        "to be told": _to_be_told(cluster, broker),
        "told": on_its_way,
    }


def _to_be_told(cluster: KraftCluster, broker: BrokerId) -> int:
    """What is queued of a replica that the broker's image has."""
    known = cluster.caches[broker].partition
    if not known.has_replica(broker):
        return NONE
    if not cluster.partitions[broker].is_of(known.topic_id):
        return NONE
    return _known(cluster.processes[broker].assignment)


def _assignment(cluster: KraftCluster, broker: BrokerId) -> int:
    """The directory that is to be told, unless the broker's image has it."""
    told = cluster.processes[broker].assignment
    if cluster.caches[broker].partition.is_assigned(broker, told):
        return NONE
    return _known(told)


def _leader(cluster: KraftCluster, broker: BrokerId) -> Form:
    partition = cluster.partitions[broker]
    known = cluster.followers[broker]
    return {
        "isr": sorted(partition.isr),
        "maximal isr": sorted(partition.maximal_isr),
        "pending": partition.is_pending(),
        "epoch start": partition.epoch_start,
        "followers": {
            str(follower): {
                "end": _known(known[follower].end),
                "epoch": _known(known[follower].epoch),
            }
            for follower in sorted(partition.replicas - {broker})
        },
    }


def _fetcher(cluster: KraftCluster, broker: BrokerId) -> Form | str:
    """From where the follower fetches next, and in which leader epoch."""
    partition = cluster.partitions[broker]
    if partition.leader is None:
        return "none"
    noted = cluster.fetchers[broker].offset
    return {
        "leader": partition.leader,
        "epoch": partition.leader_epoch,
        "offset": cluster.logs[broker].end_offset if noted is None else noted,
    }
