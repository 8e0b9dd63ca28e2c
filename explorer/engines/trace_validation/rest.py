"""Rest: where nothing is left that a system does by itself, and that would be seen.

A state is at rest if no sequence of the system's own steps from it shows an event. Own
steps that show none may go on for ever, such as questions that bring nothing new.
"""

from __future__ import annotations

from attrs import define, field

from replicheck.explorer.engines.trace_validation.explanation import StepToCome
from replicheck.explorer.engines.trace_validation.state_table import (
    StateTable,
    Successor,
)

NO_STEPS: frozenset[str] = frozenset()
"""Where a system takes no step by itself, each state is at rest."""


@define
class Rest:
    """Tells which states of a table are at rest.

    ``own`` are the names of the actions whose steps the system takes by itself.
    """

    table: StateTable
    own: frozenset[str] = NO_STEPS
    _at_rest: set[int] = field(init=False, factory=set)
    _to_come: dict[int, tuple[Successor, ...]] = field(init=False, factory=dict)

    def is_at(self, state: int) -> bool:
        """Tell whether a state is at rest."""
        return not self.to_come(state)

    def to_come(self, state: int) -> tuple[Successor, ...]:
        """A shortest sequence of own steps whose last one shows an event, if any."""
        if not self.own or state in self._at_rest:
            return ()
        if state not in self._to_come:
            found = self._shortest(state)
            if not found:
                return ()
            self._to_come[state] = found
        return self._to_come[state]

    def told(self, state: int) -> tuple[StepToCome, ...]:
        """What `to_come` finds, for a reader."""
        return tuple(
            StepToCome(step.action.label, step.events) for step in self.to_come(state)
        )

    def _shortest(self, state: int) -> tuple[Successor, ...]:
        """Search level by level; without an answer all that was met is at rest."""
        paths: dict[int, tuple[Successor, ...]] = {state: ()}
        level = [state]
        while level:
            self.table.expand(level)
            following = []
            for at in level:
                for step in self._own_steps(at):
                    if step.events:
                        return (*paths[at], step)
                    if step.after not in paths and step.after not in self._at_rest:
                        paths[step.after] = (*paths[at], step)
                        following.append(step.after)
            level = following
        self._at_rest.update(paths)
        return ()

    def _own_steps(self, state: int) -> list[Successor]:
        steps = self.table.successors(state)
        return [step for step in steps if step.action.name in self.own]
