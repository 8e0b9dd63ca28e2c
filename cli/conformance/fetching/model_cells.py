"""The normal form of a state of `fetching`: all that is compared, by name."""

from __future__ import annotations

from typing import Any

from replicheck.model.fetching.cells.calls import (
    Call,
    EpochAnswer,
    EpochAsked,
    Error,
    FetchAnswer,
    FetchAsked,
)
from replicheck.model.fetching.cells.fetch_state import ThreadPhase
from replicheck.model.fetching.cells.log import PartitionLog
from replicheck.model.fetching.log_moves.checkpoint_files import CURRENT_AND_FUTURE
from replicheck.model.fetching.state import Brokers, FetcherManager, ThreadId
from replicheck.model.vocabulary import BrokerId, PartitionId

Form = dict[str, Any]
UNKNOWN = -1
"""How Kafka writes an offset or an epoch that is not known."""


class Anything:
    """What stands in a cell that has no meaning now: it equals whatever Kafka has."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


ANYTHING = Anything()


def model_form(cluster: Brokers) -> Form:
    """Everything of a state that has a counterpart in Kafka."""
    found: Form = {}
    for partition, node in enumerate(cluster.partition_nodes):
        assert node.content is not None, "every partition was initialised"
        found[f"znode {partition}"] = {
            "leader": _or_unknown(node.content.leader),
            "epoch": node.content.epoch,
            "isr": sorted(node.content.isr),
            "version": node.content.version,
        }
    for broker in cluster.bounds.broker_ids:
        found[f"broker {broker}"] = _broker(cluster, broker)
    return found


def _broker(cluster: Brokers, broker: BrokerId) -> Form:
    if not cluster.processes[broker].is_running:
        return {"running": False, "marker": cluster.markers[broker].is_present}
    becoming = cluster.handlers[broker].becoming
    told: Form = {
        "running": True,
        "marker": cluster.markers[broker].is_present,
        "request": becoming.name if becoming else None,
        "stalled handler": not cluster.stalled[broker].is_none(),
        "fetchers": cluster.pools[broker].size,
    }
    for partition in cluster.bounds.partition_ids:
        told[f"partition {partition}"] = _partition(cluster, broker, partition)
    for manager in FetcherManager:
        for thread in cluster.threads_of(broker, manager):
            if cluster.thread(thread).exists():
                told[f"thread {thread.leader}-{thread.fetcher}"] = _thread(
                    cluster, thread
                )
    return told


def _partition(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> Form:
    replica = cluster.replicas[broker][partition]
    told: Form = {
        "hosting": replica.hosting.name,
        "failed": cluster.failed[broker].has(partition),
        "failed move": cluster.failed_moves[broker].has(partition),
    }
    is_readable = cluster.directory_of(broker, partition).is_good()
    told |= _checkpoints(cluster, broker, partition)
    if replica.is_online():
        told["leader"] = replica.leader
        told["epoch"] = _or_unknown(replica.epoch)
        told["isr"] = sorted(replica.isr)
        told["version"] = 0 if replica.version is None else replica.version
        if replica.is_led_by(broker):
            ends = cluster.remotes[broker][partition].ends
            told["epoch start"] = replica.epoch_start
            told["followers"] = {
                str(b): _or_unknown(end) for b, end in enumerate(ends) if b != broker
            }
    if replica.is_offline():
        return told
    told["log"] = _log(cluster.logs[broker][partition])
    if replica.is_online():
        told["log"]["high watermark"] = replica.high_watermark
        told["log"]["directory"] = cluster.locations[broker][partition]
    if not is_readable:
        told["log"]["records"] = ANYTHING
        if replica.is_unknown():
            told["log"] = ANYTHING
    future = cluster.future_logs[broker][partition]
    if future.directory is not None:
        told["future log"] = _log(future.log)
        known = future.high_watermark if future.is_hosted else ANYTHING
        told["future log"]["high watermark"] = known
        told["future log"]["directory"] = future.directory
        if not cluster.directories[broker][future.directory].is_good():
            told["future log"]["records"] = ANYTHING
    return told


def _checkpoints(cluster: Brokers, broker: BrokerId, partition: PartitionId) -> Form:
    """High watermarks on disk by directory; one that is missing counts as 0."""
    future = cluster.future_logs[broker][partition]
    is_modelled = cluster.bounds.directories <= CURRENT_AND_FUTURE
    told: Form = {}
    for directory in cluster.bounds.directory_ids:
        stored: Any = ANYTHING
        if not cluster.directories[broker][directory].is_good():
            pass
        elif directory == cluster.locations[broker][partition]:
            stored = cluster.checkpoints[broker][partition]
        elif is_modelled or future.is_in(directory):
            stored = future.stored_high_watermark
        told[f"checkpoint {directory}"] = stored
    return told


def _log(log: PartitionLog) -> Form:
    records = enumerate(log.records)
    return {
        "start": log.start_offset,
        "end": log.end_offset,
        "records": [[o, r.id, r.epoch] for o, r in records if r is not None],
        "epochs": [[entry.epoch, entry.start] for entry in log.epochs],
    }


def _thread(cluster: Brokers, thread: ThreadId) -> Form:
    phase = cluster.thread(thread).phase
    told: Form = {"phase": phase.name}
    for partition in cluster.bounds.partition_ids:
        state = cluster.fetch_state(thread, partition)
        if state.is_tracked():
            assert state.state is not None, "it is tracked"
            told[f"fetch state {partition}"] = {
                "state": state.state.value,
                "offset": state.offset,
                "epoch": state.epoch,
                "delayed": state.is_delayed,
                "last epoch": ANYTHING if thread.moves_logs() else state.last_epoch,
            }
        call = cluster.call(thread, partition)
        if call.request is not None and phase is not ThreadPhase.DEAD:
            told[f"call {partition}"] = _call(call)
    if cluster.bounds.fetch_size:
        told["order"] = list(cluster.order(thread).partitions)
    return told


def _call(call: Call) -> Form:
    request, answer = call.request, call.answer
    if isinstance(request, EpochAsked):
        told: Form = {"asks": "epoch", "epoch": request.epoch}
        told["current epoch"] = request.current_epoch
        if isinstance(answer, EpochAnswer) and answer.error is not Error.NETWORK:
            told["error"] = answer.error.value
            if answer.error is Error.NONE:
                told["found epoch"] = _or_unknown(answer.found.epoch)
                told["found end"] = _or_unknown(answer.found.end)
        return told
    if isinstance(request, FetchAsked):
        told = {"asks": "records", "offset": request.offset}
        told["current epoch"] = request.current_epoch
        told["last epoch"] = request.last_epoch
        if isinstance(answer, FetchAnswer):
            told |= _fetch_answer(answer)
        return told
    return {"asks": "nothing"}


def _fetch_answer(answer: FetchAnswer) -> Form:
    if answer.error is not Error.NONE:
        return {"error": answer.error.value}
    told: Form = {
        "error": answer.error.value,
        "high watermark": answer.high_watermark,
        "start": answer.start_offset,
        "records": [answer.record.id] if answer.record else [],
        "corrupt": answer.is_corrupt,
    }
    if answer.diverging is not None:
        found = answer.diverging
        told["diverging"] = [_or_unknown(found.epoch), _or_unknown(found.end)]
    return told


def _or_unknown(value: int | None) -> int:
    return UNKNOWN if value is None else value
