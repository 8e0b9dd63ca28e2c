"""What clients are told in a run of the model: acknowledgements, and what they read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId, RecordId

ANSWERING = ("replace_fetcher", "stop_and_delete_replica", "handle_log_dir_failure")
"""Steps that answer producers of a partition whose broker leads no more."""
ENDING = ("crash", "shut_down")
"""Steps that end a process, and forget who waits at it."""
Place = tuple[BrokerId, PartitionId]
Form = dict[str, Any]


class ClientAnswers:
    """What a producer with ``acks=all`` and a consumer were told since the beginning.

    A record is acknowledged once the high watermark of the leader that took it is above
    it. A leader that leads no more answers that, and forgets who waits.

    Source: DelayedProduce.tryComplete, Partition.checkEnoughReplicasReachOffset.
    """

    def __init__(self) -> None:
        """Begin with clients that were told nothing."""
        self._waiting: dict[Place, dict[RecordId, Offset]] = {}
        self._acknowledged: set[tuple[PartitionId, RecordId]] = set()
        self.consumed: list[RecordId] = []
        """What the last consumer read; one beside the model sets it."""

    def add(self, step: ModelStep) -> None:
        """Learn what a step tells clients."""
        if step.action == "consume":
            self.consumed = _read(step)
        if step.action.startswith("append"):
            place = step.arguments["leader"], step.arguments["partition"]
            record = step.before.next_records[place[1]]
            offset = step.before.logs[place[0]][place[1]].end_offset
            self._waiting.setdefault(place, {})[record] = offset
        for place in list(self._waiting):
            self._answer(step, place)

    def _answer(self, step: ModelStep, place: Place) -> None:
        cluster, (broker, partition) = step.after, place
        if not cluster.presumes_leadership(broker, partition):
            if _ends_waiting(step, place):
                del self._waiting[place]
            return
        end = cluster.replicas[broker][partition].high_watermark
        waiting = self._waiting[place]
        told = [record for record, offset in waiting.items() if offset < end]
        for record in told:
            del waiting[record]
            self._acknowledged.add((partition, record))

    def form(self) -> Form:
        """What clients were told, in one normal form."""
        told = [list(record) for record in sorted(self._acknowledged)]
        return {"acknowledged": told, "consumed": self.consumed}


def kafka_answers(state: Mapping[str, Any]) -> Form:
    """What the harness says that clients were told, in the same form."""
    told = sorted(state["acknowledged"])
    return {"acknowledged": told, "consumed": state["consumed"]}


def _ends_waiting(step: ModelStep, place: Place) -> bool:
    """Tell whether a step answers or forgets the producers that wait at a place.

    One that changes replicas by a request under way is about the partition of that.
    """
    broker, partition = place
    if step.arguments.get("broker") != broker:
        return False
    if step.action in ENDING:
        return True
    under_way = step.before.handlers[broker].partition
    named = step.arguments.get("partition", under_way)
    return step.action in ANSWERING and named == partition


def _read(step: ModelStep) -> list[RecordId]:
    leader, partition = step.arguments["leader"], step.arguments["partition"]
    end = step.before.replicas[leader][partition].high_watermark
    records = step.before.logs[leader][partition].up_to(end)
    return [record.id for record in records if record is not None]
