"""Owed events: what a state has prepared, and a run without waste shows later.

A hidden step may prepare what has one effect: a later step that shows an event. A run
in which the later step never comes is one without the hidden step, too. So a state is
left out where an event that it owes is not among what is still to be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from replicheck.explorer.engines.trace_validation.observations import Event
from replicheck.explorer.engines.trace_validation.step_events import columns_of
from replicheck.explorer.frontier.row_steps import Row
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.proxies.read_notes import noting, noting_class

Owed = Callable[[Any], Sequence[Event]]
"""Takes a state; the events that it owes, of a stream in the order of the stream."""


class OwedEvents:
    """The events that states owe, asked once for all states that look alike."""

    def __init__(self, learned: LearnedModel, owed: Owed) -> None:
        self._learned, self._owed = learned, owed
        self._class = noting_class(learned.layout)
        self._read: set[str] = set()
        self._columns: tuple[int, ...] = ()
        self._known: dict[tuple[int, ...], tuple[Event, ...]] = {}

    def of(self, row: Row) -> tuple[Event, ...]:
        """The events that a state owes."""
        key = tuple([row[column] for column in self._columns])
        found = self._known.get(key)
        if found is not None:
            return found
        read = set(self._read)
        state = noting(self._class, self._learned.state(row), read)
        events = tuple(self._owed(state))
        if read != self._read:
            self._read, self._known = read, {}
            self._columns = columns_of(self._learned.layout, read)
            key = tuple([row[column] for column in self._columns])
        self._known[key] = events
        return events
