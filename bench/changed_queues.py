"""Which changes the order of a queue refuses, as it refuses what was observed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, field

from changes_by_place import Changes, ChangesByPlace, numbers
from replicheck.explorer.engines.trace_validation.observations import Observation
from replicheck.explorer.engines.trace_validation.queued_events import (
    Clears,
    QueuedEvents,
    QueueOrder,
)


@define
class ChangedQueues:
    """Tells with which changes queues can still show their events in their order."""

    places: ChangesByPlace
    queues: QueueOrder
    clears: Clears
    _known: dict[tuple[int, int], Changes] = field(init=False, factory=dict)
    _clearing: dict[str, Changes] = field(init=False, factory=dict)
    _kept: list[QueuedEvents] = field(init=False, factory=list)
    """Keeps alive what has an identity that is a key."""

    def refused(
        self, queued: Iterable[QueuedEvents], cursors: tuple[int, ...]
    ) -> Changes:
        """Changes with which a queue cannot show what is next in its stream."""
        found = 0
        for queue in queued:
            stream = self.places.index.get(queue.stream)
            if stream is None or not queue.labels:
                continue
            if not self.queues.may_be_cleared(queue.stream, cursors):
                found |= self._refused_by(queue, stream, cursors[stream])
        return found

    def _refused_by(self, queue: QueuedEvents, stream: int, begin: int) -> Changes:
        """Changes with which a queue that is not cleared cannot show what is next."""
        key = id(queue), begin
        if key not in self._known:
            self._kept.append(queue)
            end = begin + max(queue.elsewhere + 1, len(queue.labels))
            altering = self.places.altering_between(stream, begin, end)
            refused = 0
            seen = self.places.streams.observations[stream]
            if not self.queues.can_show(queue, seen, begin):
                refused = self.places.all & ~altering
            for number in numbers(altering):
                if not self.queues.can_show(
                    queue, self.places.changes[number].changed, begin
                ):
                    refused |= 1 << number
            self._known[key] = refused & ~self._clearing_changes(queue.stream)
        return self._known[key]

    def _clearing_changes(self, queue: str) -> Changes:
        """Changes with which a queue may be cleared later than without."""
        if queue not in self._clearing:
            found = 0
            for number, change in enumerate(self.places.changes):
                seen = self.places.streams.observations[
                    self.places.index[change.stream]
                ]
                if self._last(queue, change.changed) > self._last(queue, seen):
                    found |= 1 << number
            self._clearing[queue] = found
        return self._clearing[queue]

    def _last(self, queue: str, seen: Sequence[Observation]) -> int:
        """Position behind the last observation that may clear a queue."""
        places = [
            place
            for place, one in enumerate(seen, 1)
            if self.clears(queue, one.stream, one.label)
        ]
        return max(places, default=0)
