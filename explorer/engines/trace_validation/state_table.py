"""States by number, each expanded once, with the events that its steps show."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from attrs import define, field, frozen

from replicheck.explorer.engines.trace_validation.observations import Event
from replicheck.explorer.instances import Instance

Projection = Callable[[Instance, Any, Any], Sequence[Event]]
"""Takes an action, the state before and after its step; the events that it shows."""


@frozen
class Successor:
    """A step from a state: its action, the number of the state after it, its events."""

    action: Instance
    after: int
    events: tuple[Event, ...]


@define
class StateTable:
    """States by number, each expanded once."""

    actions: tuple[Instance, ...]
    projection: Projection
    states: list[Any] = field(factory=list)
    _numbers: dict[Any, int] = field(factory=dict)
    _successors: dict[int, tuple[Successor, ...]] = field(factory=dict)

    def number(self, state: Any) -> int:
        """Number of a state, the same for equal states."""
        found = self._numbers.setdefault(state, len(self.states))
        if found == len(self.states):
            self.states.append(state)
        return found

    def successors(self, number: int) -> tuple[Successor, ...]:
        """Steps from a state to others, in the order of exploration."""
        if number not in self._successors:
            self._successors[number] = tuple(self._expand(self.states[number]))
        return self._successors[number]

    def _expand(self, state: Any) -> Iterator[Successor]:
        for action in self.actions:
            for after in action(state):
                if after != state:
                    events = tuple(self.projection(action, state, after))
                    yield Successor(action, self.number(after), events)
