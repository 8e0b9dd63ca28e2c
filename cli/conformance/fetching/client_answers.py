"""What clients are told in a run of the model: acknowledgements, and what they read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replicheck.cli.conformance.fetching.harness_calls import ModelStep
from replicheck.model.vocabulary import BrokerId, Offset, PartitionId, RecordId

HALVES = ("make_leaders", "make_followers", "abort_request")
"""Halves of requests that answer nobody: `makeFollowers` does so at its end."""
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
            if step.arguments.get("broker") == broker and step.action not in HALVES:
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


def _read(step: ModelStep) -> list[RecordId]:
    leader, partition = step.arguments["leader"], step.arguments["partition"]
    end = step.before.replicas[leader][partition].high_watermark
    records = step.before.logs[leader][partition].up_to(end)
    return [record.id for record in records if record is not None]
