"""States by number, each expanded once, with the events that its steps show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.engines.trace_validation.observations import (
    Event,
    KnownMatches,
)
from replicheck.explorer.engines.trace_validation.queued_events import (
    Queued,
    QueuedEvents,
)
from replicheck.explorer.engines.trace_validation.step_events import (
    Owed,
    Projection,
    StateReading,
    StepEvents,
)
from replicheck.explorer.frontier.row_steps import Row, RowStep, RowSteps
from replicheck.explorer.instances import Instance
from replicheck.explorer.model import Model


def nothing_owed(state: Any) -> tuple[Event, ...]:
    """Events that states of most models owe: none."""
    return ()


def nothing_queued(state: Any) -> tuple[QueuedEvents, ...]:
    """What queues of most models are to show: nothing is known of it."""
    return ()


@frozen
class Successor:
    """A step from a state: its action, the number of the state after it, its events.

    ``number`` is that of its action.
    """

    number: int
    action: Instance
    after: int
    events: tuple[Event, ...]


class StateTable:
    """States by number, each expanded once, by the learned tables of a model."""

    def __init__(
        self,
        model: Model[Any],
        projection: Projection,
        owed: Owed = nothing_owed,
        queued: Queued = nothing_queued,
    ) -> None:
        self.matches = KnownMatches()
        """What is known of the labels that its steps and states show."""
        self._steps = RowSteps(model)
        self._owed = StateReading(self._steps.learner, owed)
        self._queued = StateReading(self._steps.learner, queued)
        self._events = StepEvents(self._steps.learner, projection)
        self._rows: list[Row] = []
        self._numbers: dict[Row, int] = {}
        self._successors: dict[int, tuple[Successor, ...]] = {}
        self._actions: dict[Instance, int] = {}
        functions = self._steps.learner.functions
        self._functions = {f.instance: n for n, f in enumerate(functions)}

    def __len__(self) -> int:
        """The number of states that were met."""
        return len(self._rows)

    @property
    def starts(self) -> list[int]:
        """The numbers of the initial states."""
        return [self.numbered(start) for start in self._steps.learner.starts]

    def numbered(self, state: Any) -> int:
        """The number of a state, which gets one if it was not met."""
        return self._number(self._steps.learner.row(state))

    def state(self, number: int) -> Any:
        """The state of a number."""
        return self._steps.learner.state(self._rows[number])

    def owed(self, number: int) -> Sequence[Event]:
        """The events that a state owes."""
        return self._owed.of(self._rows[number])

    def queued(self, number: int) -> Sequence[QueuedEvents]:
        """What the queues of a state are to show."""
        return self._queued.of(self._rows[number])

    def is_expanded(self, number: int) -> bool:
        """Tell whether the steps from a state are known."""
        return number in self._successors

    def expand(self, numbers: Iterable[int]) -> None:
        """Find the steps from several states at once."""
        new = [n for n in dict.fromkeys(numbers) if not self.is_expanded(n)]
        if not new:
            return
        rows = [self._rows[number] for number in new]
        for number, row, steps in zip(new, rows, self._steps.of(rows), strict=True):
            self._successors[number] = tuple(self._shown(row, steps))

    def are_equal_but_for(
        self, number: int, after: int, families: Collection[str]
    ) -> bool:
        """Tell whether two states differ in cells of some families at most."""
        cells = self._steps.learner.layout.cells
        pairs = zip(cells, self._rows[number], self._rows[after], strict=True)
        return all(one == two or cell.field in families for cell, one, two in pairs)

    def is_own(self, action: Instance, families: Collection[str]) -> bool:
        """Tell whether an action was only seen to touch cells of its own process.

        Those are of the families, and have its first argument as their first index.
        """
        learner = self._steps.learner
        seen = learner.read_write_sets[self._functions[action]]
        cells = (learner.layout.cells[column] for column in seen.reads | seen.writes)
        return all(
            cell.field in families and cell.index[:1] == action.values[:1]
            for cell in cells
        )

    def successors(self, number: int) -> tuple[Successor, ...]:
        """Steps from an expanded state to others, in the order of exploration."""
        return self._successors[number]

    def _shown(self, row: Row, steps: list[RowStep]) -> Iterator[Successor]:
        for step in steps:
            events = self._events.of(row, step)
            number = self._actions.setdefault(step.action, len(self._actions))
            yield Successor(number, step.action, self._number(step.after), events)

    def _number(self, row: Row) -> int:
        """Number of a row, the same for equal rows."""
        found = self._numbers.setdefault(row, len(self._rows))
        if found == len(self._rows):
            self._rows.append(row)
        return found
