"""The first difference of two models by their learned tables.

`explorer/engines/reference/first_difference.py` does the same in plain Python.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Generic

from attrs import define, field

from replicheck.explorer.engine import Limits, Progress, Watch, unwatched
from replicheck.explorer.engines.reference.first_difference import (
    Comparison,
    Difference,
    reached_limit,
)
from replicheck.explorer.frontier.row_steps import Row, RowStep, RowSteps
from replicheck.explorer.instances import instances
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.model import Model, S
from replicheck.explorer.report import Step, Trace

BATCH = 256
"""States that are compared between two looks at the clock."""


@define
class _Pair:
    """A common state, as the row of it that each model's tables know."""

    first: Row
    second: Row


@define
class _Parents:
    """The common states, each with the state and the step that led to it first."""

    by_row: dict[Row, tuple[Row, RowStep] | None] = field(factory=dict)

    def __len__(self) -> int:
        return len(self.by_row)

    def path(self, row: Row) -> tuple[Row, list[RowStep]]:
        """The initial state from which a state was reached, and the steps."""
        steps = []
        while (parent := self.by_row[row]) is not None:
            row, step = parent
            steps.append(step)
        return row, steps[::-1]


def compare(
    first: Model[S],
    second: Model[S],
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    watch: Watch = unwatched,
) -> Comparison[S]:
    """Compare the steps of two models in every state that both reach alike.

    A step that changes nothing is no step. A state beyond a constraint has none.

    Raises:
        ValueError: if the models do not begin in the same states.
        ModelError: if an action is not a function of the state.
    """
    starts = list(dict.fromkeys(first.initial_states()))
    if set(starts) != set(second.initial_states()):
        raise ValueError("they do not begin in the same states")
    return _Search(_Side(first), _Side(second), limits, watch).run(starts)


class _Side(Generic[S]):
    """One of two models: its steps, and its numbers of values."""

    def __init__(self, model: Model[S]) -> None:
        self._steps = RowSteps(model)
        self._constraints = instances(model.constraints, model.domains)
        self.learned: LearnedModel = self._steps.learner

    def steps(self, rows: Sequence[Row]) -> list[list[RowStep]]:
        """The steps of each row; of a state beyond a constraint none."""
        if not self._constraints:
            return self._steps.of(rows)
        is_within = [self._is_within(row) for row in rows]
        within = [row for row, is_one in zip(rows, is_within, strict=True) if is_one]
        steps = iter(self._steps.of(within))
        return [next(steps) if is_one else [] for is_one in is_within]

    def _is_within(self, row: Row) -> bool:
        state = self.learned.state(row)
        return all(constraint(state) for constraint in self._constraints)


class _Search(Generic[S]):
    """One comparison, level by level."""

    def __init__(
        self, first: _Side[S], second: _Side[S], limits: Limits, watch: Watch
    ) -> None:
        self.first, self.second = first, second
        self.limits, self.watch = limits, watch
        self.parents = _Parents()
        self._numbers: dict[tuple[int, int], int] = {}
        """By column and number in the second tables, the number in the first."""

    def run(self, starts: Sequence[S]) -> Comparison[S]:
        """Compare until the models part, no common state is new, or a limit cuts."""
        level = [
            _Pair(self.first.learned.row(start), self.second.learned.row(start))
            for start in starts
        ]
        self.parents.by_row.update((pair.first, None) for pair in level)
        depth, begin = 1, time.monotonic()
        while level:
            found: list[_Pair] = []
            for at in range(0, len(level), BATCH):
                batch = level[at : at + BATCH]
                difference = self._compare(batch, found)
                if difference is not None:
                    return Comparison(len(self.parents), difference)
                seconds, states = time.monotonic() - begin, len(self.parents)
                left = len(level) - at
                self.watch(Progress(depth, states, states, left, seconds))
                cut = reached_limit(self.limits, states, depth, seconds)
                if cut is not None:
                    return Comparison(states, cut=cut)
            level, depth = found, depth + 1
        return Comparison(len(self.parents))

    def _compare(
        self, batch: Sequence[_Pair], found: list[_Pair]
    ) -> Difference[S] | None:
        """Compare some states; append to ``found`` what is new behind them."""
        sides = zip(
            batch,
            self.first.steps([pair.first for pair in batch]),
            self.second.steps([pair.second for pair in batch]),
            strict=True,
        )
        for pair, of_first, of_second in sides:
            before = {step.after: step for step in of_first}
            after = {self._first_row(pair, step.after): step for step in of_second}
            if before.keys() != after.keys():
                only_first = [v for k, v in before.items() if k not in after]
                only_second = [v for k, v in after.items() if k not in before]
                return Difference(
                    self._trace(pair.first),
                    tuple(_steps(only_first, self.first.learned)),
                    tuple(_steps(only_second, self.second.learned)),
                )
            for row, step in before.items():
                if row not in self.parents.by_row:
                    self.parents.by_row[row] = pair.first, step
                    found.append(_Pair(row, after[row].after))
        return None

    def _first_row(self, pair: _Pair, after: Row) -> Row:
        """The row in the first tables of a state behind a pair, from the second's."""
        row = list(pair.first)
        for column, (old, new) in enumerate(zip(pair.second, after, strict=True)):
            if old != new:
                row[column] = self._number(column, new)
        return tuple(row)

    def _number(self, column: int, number: int) -> int:
        key = column, number
        if key not in self._numbers:
            value = self.second.learned.dictionaries[column].values[number]
            dictionary = self.first.learned.dictionaries[column]
            self._numbers[key] = dictionary.number(value)
        return self._numbers[key]

    def _trace(self, row: Row) -> Trace[S]:
        start, steps = self.parents.path(row)
        learned = self.first.learned
        return Trace(learned.state(start), tuple(_steps(steps, learned)))


def _steps(steps: Sequence[RowStep], learned: LearnedModel) -> Iterator[Step[Any]]:
    """Yield steps as a report has them."""
    for step in steps:
        arguments = dict(step.action.arguments)
        yield Step(step.action.name, arguments, learned.state(step.after))
