"""Events of steps: the projection is asked once for all steps that look alike to it.

Owed events: a hidden step may prepare what has one effect: a later step that shows an
event. A run in which the later step never comes is one without the hidden step, too. So
a state is left out where an event that it owes is not among what is still to be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from attrs import define, field

from replicheck.explorer.engines.trace_validation.observations import Event
from replicheck.explorer.frontier.row_steps import Row, RowStep
from replicheck.explorer.instances import Instance
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.proxies.read_notes import noting, noting_class
from replicheck.explorer.states.layout import Layout

T = TypeVar("T")
Projection = Callable[[Instance, Any, Any], Sequence[Event]]
"""Takes an action, the state before and after its step; the events that it shows.

It is a function of its arguments.
"""
Events = tuple[Event, ...]
Owed = Callable[[Any], Sequence[Event]]
"""Takes a state; the events that it owes, of a stream in the order of the stream."""


@define
class _KnownEvents:
    """Events of the steps of one action, by the cells that the projection read."""

    fields: set[str] = field(factory=set)
    columns: tuple[int, ...] = ()
    events: dict[tuple[int, ...], Events] = field(factory=dict)

    def key(self, before: Row, after: Row) -> tuple[int, ...]:
        """The numbers of the cells that were read, before the step and after it."""
        return (
            *[before[column] for column in self.columns],
            *[after[column] for column in self.columns],
        )


class StepEvents:
    """The events of a model's steps, as a projection shows them."""

    def __init__(self, learned: LearnedModel, projection: Projection) -> None:
        self._learned, self._projection = learned, projection
        self._class = noting_class(learned.layout)
        self._known: dict[Instance, _KnownEvents] = {}

    def of(self, before: Row, step: RowStep) -> Events:
        """The events that a step from a row shows.

        Steps whose cells are equal, as far as the projection ever read them for this
        action, show the same.
        """
        known = self._known.setdefault(step.action, _KnownEvents())
        key = known.key(before, step.after)
        if key not in known.events:
            read = set(known.fields)
            states = (
                noting(self._class, self._learned.state(row), read)
                for row in (before, step.after)
            )
            events = tuple(self._projection(step.action, *states))
            if read != known.fields:
                known = _KnownEvents(read, columns_of(self._learned.layout, read))
                self._known[step.action] = known
                key = known.key(before, step.after)
            known.events[key] = events
        return known.events[key]


class StateReading(Generic[T]):
    """What a function says of states, asked once for all states that look alike."""

    def __init__(self, learned: LearnedModel, function: Callable[[Any], T]) -> None:
        self._learned, self._function = learned, function
        self._class = noting_class(learned.layout)
        self._read: set[str] = set()
        self._columns: tuple[int, ...] = ()
        self._known: dict[tuple[int, ...], T] = {}

    def of(self, row: Row) -> T:
        """What the function says of a state."""
        key = tuple([row[column] for column in self._columns])
        found = self._known.get(key)
        if found is not None:
            return found
        read = set(self._read)
        state = noting(self._class, self._learned.state(row), read)
        answer = self._function(state)
        if read != self._read:
            self._read, self._known = read, {}
            self._columns = columns_of(self._learned.layout, read)
            key = tuple([row[column] for column in self._columns])
        self._known[key] = answer
        return answer


def columns_of(layout: Layout, fields: set[str]) -> tuple[int, ...]:
    """The columns of the cells of some fields."""
    return tuple(
        column for column, cell in enumerate(layout.cells) if cell.field in fields
    )
