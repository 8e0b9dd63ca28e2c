"""Queued events: what stands in a queue shows its events in the order of the queue.

What is in the queue leaves it only from the head, which shows an event, or where the
queue is cleared. So as long as no observation that is left can be a step that clears
it, the next observations of the stream are the events in the queue, one by one. A
state in which they are others leads to no explanation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field, frozen

from replicheck.explorer.engines.trace_validation.observations import (
    KnownMatches,
    Label,
    Observation,
    Streams,
)


@frozen
class QueuedEvents:
    """Labels of what is in a queue, in its order, and the stream that shows them.

    ``term`` are values that an observation of the stream has if it comes from this
    filling of the queue. So many observations as ``elsewhere`` says may come before the
    first label without leaving the queue.
    """

    stream: str
    labels: tuple[Label, ...]
    term: Mapping[str, Any] = field(factory=dict)
    elsewhere: int = 0


Queued = Callable[[Any], Sequence[QueuedEvents]]
"""Takes a state; what its queues are to show."""
Clears = Callable[[str, str, Label], bool]
"""Takes the stream of a queue, that of an observation, and the label of that; whether
the observation may be of a step that clears the queue."""


def clears_always(queue: str, stream: str, label: Label) -> bool:
    """Nothing is known of what clears a queue."""
    return True


@define
class QueueOrder:
    """Tells whether queues can still show their events in their order."""

    streams: Streams
    clears: Clears
    matches: KnownMatches
    _stream_index: dict[str, int] = field(init=False)
    _cleared: dict[str, tuple[int, ...]] = field(init=False, factory=dict)
    """For each queue by its stream, positions behind all that may clear it."""

    def __attrs_post_init__(self) -> None:
        self._stream_index = {name: i for i, name in enumerate(self.streams.names)}

    def allows(self, queues: Iterable[QueuedEvents], cursors: tuple[int, ...]) -> bool:
        """Tell whether no queue has other events than its stream shows next."""
        return all(self._allows(queue, cursors) for queue in queues)

    def _allows(self, queue: QueuedEvents, cursors: tuple[int, ...]) -> bool:
        stream = self._stream_index.get(queue.stream)
        if stream is None or not queue.labels:
            return True
        if self.may_be_cleared(queue.stream, cursors):
            return True
        seen = self.streams.observations[stream]
        return self.can_show(queue, seen, cursors[stream])

    def may_be_cleared(self, queue: str, cursors: tuple[int, ...]) -> bool:
        """Tell whether an observation that is left may clear a queue."""
        cleared = self._cleared_until(queue)
        return any(at < end for at, end in zip(cursors, cleared, strict=True))

    def can_show(
        self, queue: QueuedEvents, seen: Sequence[Observation], begin: int
    ) -> bool:
        """Tell whether a stream from a position on can be what a queue shows."""
        if queue.elsewhere:
            return any(
                place >= len(seen)
                or not _is_of(seen[place], queue.term)
                or self.matches.has(seen[place].label, queue.labels[0])
                for place in range(begin, begin + queue.elsewhere + 1)
            )
        for place, label in enumerate(queue.labels, begin):
            if place >= len(seen) or not _is_of(seen[place], queue.term):
                return True
            if not self.matches.has(seen[place].label, label):
                return False
        return True

    def _cleared_until(self, queue: str) -> tuple[int, ...]:
        """Positions from which on no observation may clear a queue."""
        if queue not in self._cleared:
            self._cleared[queue] = tuple(
                max(
                    (
                        at
                        for at, observation in enumerate(seen, 1)
                        if self.clears(queue, observation.stream, observation.label)
                    ),
                    default=0,
                )
                for seen in self.streams.observations
            )
        return self._cleared[queue]


def _is_of(observation: Observation, term: Mapping[str, Any]) -> bool:
    return all(observation.label.get(key) == value for key, value in term.items())
