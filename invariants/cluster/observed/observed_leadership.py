"""What a broker's log says of leader epochs and high watermarks.

A replica of the model begins each process with the high watermark 0, and Kafka with
that of a checkpoint. So high watermarks are compared in the first process of a broker,
until it registers again; afterwards they are left open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicheck.model.cluster.cells.channels import LeaderAndIsrRequest
from replicheck.model.cluster.state import Cluster
from replicheck.model.vocabulary import BrokerId, PartitionId

Event = tuple[str, dict[str, Any]]


def leaders(
    broker: BrokerId, request: object, old: Cluster, new: Cluster
) -> Iterator[Event]:
    """Partitions that a request has a broker lead, each where its epoch starts.

    The high watermark is that of before the broker leads. The line is there also if the
    epoch cannot be stored then.

    Source: Partition.makeLeader.
    """
    if not isinstance(request, LeaderAndIsrRequest):
        return
    for asked in request.partitions:
        partition, epoch = asked.partition, asked.content.epoch
        was, now = old.replicas[broker][partition], new.replicas[broker][partition]
        if asked.content.leader != broker or not now.is_in_epoch(epoch):
            continue
        if was.is_in_epoch(epoch) or now.lacks_log():
            continue
        label = {
            "event": "lead",
            "leader_epoch": epoch,
            "end": now.epoch_start,
            "high_watermark": was.high_watermark if _is_compared(new, broker) else ...,
        }
        yield f"log {broker}-{partition}", label


def high_watermarks(old: Cluster, new: Cluster) -> Iterator[Event]:
    """Each offset that a high watermark passes; where it falls, what it falls to.

    That it falls to 0 is not told, since every log begins so.

    Source: Log.updateHighWatermark, Log.maybeIncrementHighWatermark.
    """
    for broker in old.bounds.broker_ids:
        if old.replicas[broker] is new.replicas[broker]:
            continue
        for partition in old.bounds.partition_ids:
            if _is_compared(old, broker) and _is_compared(new, broker):
                for offset in _passed(old, new, broker, partition):
                    label = {"event": "high_watermark", "offset": offset}
                    yield f"high_watermark {broker}-{partition}", label


def _passed(
    old: Cluster, new: Cluster, broker: BrokerId, partition: PartitionId
) -> range:
    was, now = old.replicas[broker][partition], new.replicas[broker][partition]
    if was is now or not now.is_online():
        return range(0)
    before, after = was.high_watermark, now.high_watermark
    if after >= before:
        return range(before + 1, after + 1)
    return range(after, after + 1) if after else range(0)


def _is_compared(cluster: Cluster, broker: BrokerId) -> bool:
    """Tell whether this is a broker's first process, in its first session."""
    process = cluster.processes[broker]
    return process.is_running and process.epoch == cluster.bounds.first_broker_epoch
