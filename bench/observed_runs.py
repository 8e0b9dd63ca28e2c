"""Runs that show what was observed, as a model for the engines that search any model.

A state is one of the model with the place in each stream and the change that was made.
A step that shows events must show what is next in their streams, at a time that the
others allow; it moves them on. A change is made where it first matters: where a step
shows what is next with the change and not without, or comes too late for what a drop or
a swap takes out of the way. So one search has the runs of all changes, and those of
what was observed are in it once.

Where a change lets something be next that ended earlier, steps before it was made are
allowed a little too much. So what ends here with a change has a search of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

import attrs
from attrs import define, field, frozen

from changed_streams import ChangedStreams
from replicheck.explorer.engines.trace_validation.observations import Event
from replicheck.explorer.engines.trace_validation.step_events import Projection
from replicheck.explorer.instances import Instance
from replicheck.explorer.model import (
    ActionFunction,
    Domains,
    Model,
    Predicate,
    Symmetry,
)

PLACES, MADE = "observed_places", "made_change"
"""Fields of a state beside those of the model."""
LONG_AGO = -(1 << 62)
"""Time before all others."""


@frozen
class Place:
    """Place in a stream; what is next there, if anything, has ended at a time."""

    number: int
    end: int | None

    def is_over(self, time: int) -> bool:
        """Tell whether what is next has ended before a time."""
        return self.end is not None and self.end < time


@frozen
class MadeChange:
    """Number of the change that was made, -1 if none was."""

    number: int = -1

    def is_none(self) -> bool:
        """Tell whether a change can still be made."""
        return self.number < 0


@frozen
class _Move:
    """New places of streams, what change was made, and when the step is at least."""

    places: Mapping[int, int]
    change: int | None
    begin: int


InPlace = Callable[[Instance, Any], Sequence[Event]]
"""Takes an action and a state; what another step to the same end shows, else nothing.

Of a run with a step to which there is another, the rest is a run after the other one,
too, unless something that the step shows is shown again.
"""


def nothing_in_place(action: Instance, state: Any) -> Sequence[Event]:
    """Nothing is known of other steps to the same end."""
    return ()


@define(eq=False)
class ObservedRuns:
    """The model of the runs of another that show streams.

    The projection must not depend on whether equal cells are one object.
    """

    model: Model[Any]
    projection: Projection
    changed: ChangedStreams
    in_place: InPlace = nothing_in_place
    name: str = "observed runs"
    constraints: Sequence[Predicate] = ()
    symmetries: Sequence[Symmetry] = ()
    actions: Sequence[ActionFunction] = field(init=False)
    _places: list[list[Place]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.actions = [self._observed(action) for action in self.model.actions]
        self._places = [
            [Place(number, end) for number, end in enumerate(self.changed.ends(stream))]
            for stream in range(len(self.changed.by_stream))
        ]

    @property
    def domains(self) -> Domains:
        """The domains of the model."""
        return self.model.domains

    def initial_states(self) -> Iterator[Any]:
        """Yield the initial states of the model, before all observations."""
        begin = tuple(places[0] for places in self._places)
        for start in self.model.initial_states():
            cells = {f.name: getattr(start, f.name) for f in attrs.fields(type(start))}
            kind = _with_places(type(start))
            yield kind(**cells, **{PLACES: begin, MADE: MadeChange()})

    def _observed(self, action: ActionFunction) -> ActionFunction:
        """The action, whose steps show only what is next."""

        @wraps(action)
        def observed(state: Any, *arguments: object) -> Iterator[Any]:
            instance = _instance(action, arguments)
            for after in action(state, *arguments):
                events = self.projection(instance, state, after)
                if not events:
                    yield after
                moves = self._moves(state, events)
                others = self._moves(state, self.in_place(instance, state))
                for move in moves:
                    if move in others and not self._come_again(state, move, events):
                        continue
                    for timely in self._in_time(state, move):
                        yield after.evolve(**self._cells(timely))

        return observed

    def _cells(self, move: _Move) -> dict[str, Any]:
        places = {s: self._places[s][place] for s, place in move.places.items()}
        if move.change is None:
            return {PLACES: places}
        return {PLACES: places, MADE: MadeChange(move.change)}

    def _moves(self, state: Any, events: Sequence[Event]) -> list[_Move]:
        """The ways in which events are next, with one change or without; else none."""
        moves = [_Move({}, None, LONG_AGO)] if events else []
        for name, label in events:
            stream = self.changed.index.get(name)
            if stream is None:
                return []
            moves = [
                after
                for move in moves
                for after in self._moved(state, move, stream, label)
            ]
        return moves

    def _come_again(self, state: Any, move: _Move, events: Sequence[Event]) -> bool:
        """Tell whether one of some events can be shown once more after a move."""
        is_free = move.change is None and getattr(state, MADE).is_none()
        return any(
            self.changed.can_show(name, label, move.places, is_free)
            for name, label in events
        )

    def _moved(
        self, state: Any, move: _Move, stream: int, label: Any
    ) -> Iterator[_Move]:
        changed = self.changed.by_stream[stream]
        place = move.places.get(stream)
        if place is None:
            place = observed_place(state, stream)
        if changed.is_next(place, label):
            yield self._after(move, stream, place, move.change)
        if move.change is not None:
            return
        shown = [b for b in changed.branches[place] if changed.is_next(b[1], label)]
        if shown and getattr(state, MADE).is_none():
            for number, branch in shown:
                yield self._after(move, stream, branch, number)

    def _after(self, move: _Move, stream: int, place: int, change: int | None) -> _Move:
        changed = self.changed.by_stream[stream]
        seen = changed.next[place]
        assert seen is not None, "an event is next there"
        places = {**move.places, stream: changed.following[place]}
        return _Move(places, change, max(move.begin, seen.begin))

    def _in_time(self, state: Any, move: _Move) -> Iterator[_Move]:
        """The move, if nothing that is next has ended too early; else with a change."""
        slack = self.changed.streams.slack
        if slack is None:
            yield move
            return
        time, late = move.begin - slack, []
        for stream in range(len(self._places)):
            if self._is_late(state, move, stream, time):
                late.append(stream)
                if len(late) > 1 or move.change is not None or stream in move.places:
                    return
        if not late:
            yield move
        elif getattr(state, MADE).is_none():
            yield from self._out_of_the_way(state, move, late[0], time)

    def _is_late(self, state: Any, move: _Move, stream: int, time: int) -> bool:
        """Tell whether what was next in a stream before the move ended too early."""
        if move.change is not None and self.changed.stream_of[move.change] == stream:
            place = observed_place(state, stream)
            branches = dict(self.changed.by_stream[stream].branches[place])
            place = branches.get(move.change, place)
            return self._places[stream][place].is_over(time)
        found: bool = getattr(state, PLACES)[stream].is_over(time)
        return found

    def _out_of_the_way(
        self, state: Any, move: _Move, stream: int, time: int
    ) -> Iterator[_Move]:
        """The move with each change of a stream with which it is not too late."""
        place = observed_place(state, stream)
        for number, branch in self.changed.by_stream[stream].branches[place]:
            if not self._places[stream][branch].is_over(time):
                yield _Move({**move.places, stream: branch}, number, move.begin)


def observed_place(state: Any, stream: int) -> int:
    """The number of the place of a state in a stream."""
    place: int = getattr(state, PLACES)[stream].number
    return place


def _instance(action: Callable[..., Any], values: tuple[object, ...]) -> Instance:
    names = list(action.__annotations__)[1 : 1 + len(values)]
    return Instance(action, tuple(zip(names, values, strict=True)))


def _with_places(kind: type) -> type:
    """The class of states with the cells of another, and those of observation."""
    fields = {name: attrs.field(kw_only=True) for name in (PLACES, MADE)}
    return attrs.make_class(
        f"Observed{kind.__name__}", fields, bases=(kind,), frozen=True, slots=True
    )
