"""Needless steps: those that a run without waste does not take, so no search has to.

A copy of a message stands in a queue of its own, and has no effect until it is handled.
Copies that are never handled can be left out of a run: a state owes the events of those
that it has. And where a copy is handled that leads to what the message itself would
lead to, and the message would show what was seen, the message can be handled in its
place and the copy be left out, unless the message is handled later, too. So its event
is owed then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from attrs import define, field, frozen

from replicheck.explorer.engines.trace_validation.hidden_steps import HiddenSteps
from replicheck.explorer.engines.trace_validation.observations import (
    Event,
    KnownMatches,
    Label,
    Streams,
)
from replicheck.explorer.engines.trace_validation.queued_events import QueueOrder
from replicheck.explorer.engines.trace_validation.state_table import (
    StateTable,
    Successor,
)


@define
class RemainingObservations:
    """Tells whether events are among what is observed after positions in streams."""

    streams: Streams
    matches: KnownMatches
    _found: dict[tuple[tuple[int, ...], tuple[int, ...]], bool] = field(
        init=False, factory=dict
    )
    _labels: dict[int, Label] = field(init=False, factory=dict)
    """Keeps labels alive whose identity is a key."""

    def have(self, events: Sequence[Event], cursors: tuple[int, ...]) -> bool:
        """Tell whether each event is still to come, those of a stream in order."""
        if not events:
            return True
        self._labels.update((id(label), label) for _, label in events)
        key = (tuple([id(label) for _, label in events]), cursors)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._have(events, cursors)
        return found

    def were_last(self, events: Sequence[Event], cursors: tuple[int, ...]) -> bool:
        """Tell whether events are what was observed just before positions."""
        at = dict(zip(self.streams.names, cursors, strict=True))
        by_name = dict(zip(self.streams.names, self.streams.observations, strict=True))
        for stream, label in reversed(events):
            at[stream] -= 1
            if not self.matches.has(by_name[stream][at[stream]].label, label):
                return False
        return True

    def _have(self, events: Sequence[Event], cursors: tuple[int, ...]) -> bool:
        at = dict(zip(self.streams.names, cursors, strict=True))
        by_name = dict(zip(self.streams.names, self.streams.observations, strict=True))
        for stream, label in events:
            observations = by_name.get(stream, ())
            place = at.get(stream, 0)
            while place < len(observations) and not self.matches.has(
                observations[place].label, label
            ):
                place += 1
            if place == len(observations):
                return False
            at[stream] = place + 1
        return True


@frozen
class NeedlessSteps:
    """Tells of steps whether a run without waste takes them."""

    table: StateTable
    remaining: RemainingObservations
    hidden: HiddenSteps
    queues: QueueOrder

    @classmethod
    def of(cls, table: StateTable, streams: Streams, hidden: HiddenSteps) -> Self:
        """Needless steps in a search for an explanation of streams."""
        remaining = RemainingObservations(streams, table.matches)
        return cls(
            table, remaining, hidden, QueueOrder(streams, hidden.clears, table.matches)
        )

    def choices(self, state: int) -> Sequence[Successor]:
        """The steps from a state, or those of an action that goes before all others."""
        steps = self.table.successors(state)
        for first in steps:
            if not first.events and first.action.name in self.hidden.at_once:
                same = [step for step in steps if step.number == first.number]
                are_hidden = not any(step.events for step in same)
                if are_hidden and self.table.is_own(first.action, self.hidden.own):
                    return same
        return steps

    def lead_all_from(self, state: int, cursors: tuple[int, ...]) -> bool:
        """Tell whether no step leads on, since a queue has what is not shown next."""
        return not self.queues.allows(self.table.queued(state), cursors)

    def has(self, before: int, step: Successor, cursors: tuple[int, ...]) -> bool:
        """Tell whether a step from a state to positions in the streams is needless."""
        if not self.remaining.have(self.table.owed(step.after), cursors):
            return True
        if step.action.name not in self.hidden.copies:
            return False
        if any(self.remaining.have((event,), cursors) for event in step.events):
            return False
        return any(
            self._stands_for(step, message, cursors)
            for message in self.table.successors(before)
        )

    def _stands_for(
        self, copy: Successor, message: Successor, cursors: tuple[int, ...]
    ) -> bool:
        """Tell whether a message can be handled in place of its copy."""
        if message.action.name in self.hidden.copies:
            return False
        if [name for name, _ in copy.events] != [name for name, _ in message.events]:
            return False
        if not self.remaining.were_last(message.events, cursors):
            return False
        return self.table.are_equal_but_for(
            copy.after, message.after, self.hidden.of_messages
        )
