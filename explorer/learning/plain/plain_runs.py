"""Plain runs: a function runs on the plain state, and only what comes of it is kept.

That is a leaf of no path: the state in which the function ran has it, and no other.
One run in some is repeated on a proxy of the state, and compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import chain
from operator import is_
from typing import Any, NoReturn

from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.interpreter.vacuity import Premises
from replicheck.explorer.learning.checks.consistency import (
    READ,
    ConsistencyChecker,
    have_the_same,
)
from replicheck.explorer.learning.learned_functions import (
    LearnedFunction,
    Role,
    kept_state,
)
from replicheck.explorer.learning.recorder import Recorder
from replicheck.explorer.native.kernels.arrays import (
    CONSTRAINED,
    DISABLED,
    RAISED,
    REPORTED,
)
from replicheck.explorer.proxies.probes import HasRead
from replicheck.explorer.states.shared_cells import shared
from replicheck.explorer.tables.leaves import RecordedRun
from replicheck.explorer.tables.state_encoder import StateEncoder

Leaf = tuple[int, ...] | None
REPEATED = 64
"""One plain run in so many is repeated."""


@frozen
class PlainState:
    """A row, the state that it stands for, and what the cells of that one held."""

    row: Sequence[int]
    state: Any
    values: tuple[Any, ...]


class PlainRuns:
    """Runs functions on plain states."""

    def __init__(
        self,
        recorder: Recorder,
        checker: ConsistencyChecker,
        encoder: StateEncoder,
        premises: Premises,
        on_repeated: Callable[[int, RecordedRun], None],
    ) -> None:
        """Tell ``on_repeated`` of each run on a proxy by which one is repeated."""
        self._recorder, self._checker, self._encoder = recorder, checker, encoder
        self._premises, self._on_repeated = premises, on_repeated
        self._runs = 0

    def state(self, row: Sequence[int]) -> PlainState:
        """The plain state of a row."""
        state = self._encoder.state(row)
        return PlainState(row, state, self._encoder.layout.plain.values(state))

    def is_changed(self, of: PlainState) -> bool:
        """Tell whether a cell of a state holds something else than it did."""
        values = self._encoder.layout.plain.values(of.state)
        return not all(map(is_, values, of.values))

    def refuse_change(self, of: PlainState, instances: Sequence[int]) -> NoReturn:
        """Name the instance that changed a state in place, of those that ran on it.

        Raises:
            ModelError: in any case.
        """
        for instance in instances:
            function, again = self._recorder.functions[instance], self.state(of.row)
            self._leaf(instance, function, again)
            if self.is_changed(again):
                label = function.instance.label
                told = f"`{label}` changed the state in place: it is now {again.state}"
                error = ModelError(told)
                error.is_about(function.instance.function)
                raise error
        raise ModelError(f"a function changed a state in place: it is now {of.state}")

    def code(self, instance: int, of: PlainState) -> int:
        """The code of the leaf of what an instance comes to in a state.

        Raises:
            ModelError: if it is not a function of the state, or breaks the contract.
        """
        function = self._recorder.functions[instance]
        effort = self._recorder.effort[function.instance.name]
        started = time.perf_counter()
        try:
            leaf = self._leaf(instance, function, of)
            self._runs += 1
            if self._runs % REPEATED == 0:
                self._repeat(instance, of, leaf)
        except ModelError as error:
            error.is_about(function.instance.function)
            raise
        effort.runs += 1
        effort.plain_runs += 1
        effort.seconds += time.perf_counter() - started
        return DISABLED if leaf is None else self._recorder.tables.trees.add_leaf(leaf)

    def _leaf(self, instance: int, function: LearnedFunction, of: PlainState) -> Leaf:
        try:
            if function.role is Role.ACTION:
                return self._steps(instance, function, of)
            if function.role is Role.CONSTRAINT:
                return None if function.instance(of.state) else (CONSTRAINED,)
            return self._report(function, of)
        except ModelError:
            raise
        except HasRead:
            raise kept_state(function.instance) from None
        except Exception:
            return (RAISED,)

    def _report(self, function: LearnedFunction, of: PlainState) -> Leaf:
        is_reported = function.is_reported(function.instance(of.state))
        if function.property is not None:
            values = function.instance.values
            self._premises.show(function.property.name, values, of.state)
        return (REPORTED,) if is_reported else None

    def _steps(self, number: int, function: LearnedFunction, of: PlainState) -> Leaf:
        layout, dictionaries = self._encoder.layout, self._encoder.dictionaries
        predicates = self._recorder.step_predicates
        accesses = self._recorder.read_write_sets[number]
        leaf = [0]
        for which, found in enumerate(function.instance(of.state)):
            function.instance.require_end(which)
            writes = [
                (column, dictionaries[column].number(value))
                for column, value in layout.changes(of.state, found)
            ]
            written = frozenset(column for column, _ in writes)
            accesses.writes |= written
            after = shared(of.state, found) if predicates.properties else found
            broken = predicates.broken_by_step(of.state, after, written)
            step = self._recorder.step_number(number, which)
            leaf[0] += 1
            leaf += (step, broken, len(writes), *chain.from_iterable(writes))
        return tuple(leaf) if leaf[0] else None

    def _repeat(self, instance: int, of: PlainState, leaf: Leaf) -> None:
        """Run a function again, on a proxy and plainly, and compare.

        Raises:
            ModelError: if anything differs.
        """
        run = self._recorder.run(instance, of.row)
        plainly = self._checker.repeat(instance, of.row, run)
        self._checker.repeat_reordered(instance, of.row, plainly)
        first, second = (
            self._checker.outcome_of(of.row, found) for found in (leaf, run.leaf)
        )
        if not have_the_same(first, second):
            label = self._recorder.functions[instance].instance.label
            raise ModelError(
                f"`{label}` is not a function of the state: run twice in one state, it"
                f" came to something else. {READ}. The state: {of.state}"
            )
        self._on_repeated(instance, run)
