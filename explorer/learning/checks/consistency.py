"""Consistency check: a function runs again, on a proxy and on the plain state.

A function that is not one of the state, that changes a state in place, or that tells a
proxy from a state is named, with what differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import eq
from typing import Any

from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning.checks.in_place_mutation import InPlaceMutationCheck
from replicheck.explorer.learning.checks.set_order import ReorderedStates
from replicheck.explorer.learning.learned_functions import Role, kept_state, parts_of
from replicheck.explorer.learning.recorder import Recorder
from replicheck.explorer.native.kernels.arrays import DISABLED, RAISED, Numbers
from replicheck.explorer.proxies.probes import HasRead
from replicheck.explorer.states.shared_cells import shared
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.leaves import (
    RecordedRun,
    describe_run,
    rows_after,
    steps_of,
)
from replicheck.explorer.tables.state_encoder import StateEncoder

AN_EXCEPTION = "an exception"
A_NOTE = "a note"
READ = "It reads something that is no part of the state"
VIEWED = (
    f"{READ}, looks at the class of a cell, compares by `is` what is within a cell,"
    " catches what a cell raises, or makes a state without `state.evolve`"
)
REORDERED = (
    "comes to the same steps in another order: sort a set before iterating, as in"
    " `for item in sorted(items, key=repr)`"
)
UNKNOWN = "unknown"


class ConsistencyChecker:
    """Consistency checker: compares runs of the model's functions."""

    def __init__(
        self, recorder: Recorder, encoder: StateEncoder, is_ordered: bool
    ) -> None:
        """With ``is_ordered``, an action has its steps in the same order each time."""
        self._recorder, self._encoder = recorder, encoder
        self._are_same = eq if is_ordered else have_the_same
        self._reordered = ReorderedStates(encoder)
        self._mutations = InPlaceMutationCheck()
        self.repeated = 0
        """So many runs were repeated."""

    def repeat(self, instance: int, row: Sequence[int], first: RecordedRun) -> Any:
        """Run a function again and compare.

        Returns:
            what it comes to on the plain state.

        Raises:
            ModelError: if anything differs.
        """
        self.repeated += 1
        label = self._recorder.functions[instance].instance.label
        second = self._recorder.run(instance, row)
        if second != first:
            self._check_unchanged(label, row)
            tables = self._recorder.tables
            claim = self._claim_that_differs(first, second)
            if claim is not None:
                raise ModelError(
                    f"`{claim}` is not a function of the two states of a step: judged"
                    f" twice, a step of `{label}` broke it once. The state:"
                    f" {self._encoder.state(row)}"
                )
            raise ModelError(
                f"`{label}` is not a function of the state: run twice in one state, it"
                f" first read {describe_run(tables, first)}, then"
                f" {describe_run(tables, second)}"
            )
        state = self._encoder.state(row)
        plainly = self._plainly(instance, state)
        self._check_unchanged(label, row)
        if self._encoder.layout.values(state) != self._encoder.values(row):
            raise ModelError(f"`{label}` changed the state in place: it is now {state}")
        found = self._judged(row, state, plainly)
        expected = self.outcome_of(row, first.leaf)
        if not self._are_alike(instance, row, found, expected):
            is_raised = expected == AN_EXCEPTION
            which = f" ({self._recorder.raised})" if self._recorder.raised else ""
            proxy = f"{expected}{which}" if is_raised else expected
            told = (
                "differs between a plain state and a recording view of it:"
                f" {found} and {proxy}. {VIEWED}"
            )
            raise _differing(label, found, proxy, told, state)
        return plainly

    def repeat_reordered(self, instance: int, row: Sequence[int], first: Any) -> None:
        """Run a function on the plain state with its sets in another order.

        Raises:
            ModelError: if it comes to something else than ``first``.
        """
        read = self._recorder.read_write_sets[instance].reads
        reordered = self._reordered.of(row, read)
        if reordered is None:
            return
        other = self._plainly(instance, reordered)
        if not self._are_same(first, other):
            label = self._recorder.functions[instance].instance.label
            told = (
                f"depends on the order in which it iterates a set: {first}, and in"
                f" another order {other}. Sort a set before iterating"
            )
            raise _differing(label, first, other, told, self._encoder.state(row))

    def _claim_that_differs(
        self, first: RecordedRun, second: RecordedRun
    ) -> str | None:
        """The step property that two runs with the same steps judge differently."""
        leaves = first.leaf, second.leaf
        if any(leaf is None or leaf[0] < 0 for leaf in leaves):
            return None
        once, again = ([*steps_of(leaf)] for leaf in leaves if leaf is not None)
        if [step.writes for step in once] != [step.writes for step in again]:
            return None
        bits = 0
        for step, repeated in zip(once, again, strict=True):
            bits |= step.broken ^ repeated.broken
        properties = self._recorder.step_predicates.properties
        differing = [
            claim.name for number, claim in enumerate(properties) if bits >> number & 1
        ]
        return next(iter(differing), None)

    def check_again(self, instance: int, row: Sequence[int]) -> None:
        """Run a function on a plain state again, and compare with what was learned.

        Nothing is compared where the search did not need to know.

        Raises:
            ModelError: if it comes to something else now.
        """
        expected = self._learned(instance, row)
        if expected == UNKNOWN:
            return
        state = self._encoder.state(row)
        plainly = self._plainly(instance, state)
        self.repeat_reordered(instance, row, plainly)
        found = self._judged(row, state, plainly)
        if not self._are_alike(instance, row, found, expected):
            label = self._recorder.functions[instance].instance.label
            told = (
                f"is not a function of the state: it came to {self._told(expected)},"
                " and later in the search, in the same state, to"
                f" {self._told(found)}. {READ}"
            )
            raise _differing(label, expected, found, told, state)

    def _told(self, outcome: object) -> object:
        """The states of an outcome in place of their rows."""
        if not isinstance(outcome, list):
            return outcome
        return [self._encoder.state(row) for row, _ in outcome]

    def plain_steps(self, action: int, state: Any) -> object:
        """The states to which an action leads, by running it, or a text.

        The text says that it raises, or that a step property does on one of its steps.
        """
        plainly = self._plainly(action, state)
        judged = self._judged(self._encoder.row(state), state, plainly)
        return plainly if isinstance(judged, list) else judged

    def _plainly(self, instance: int, state: Any) -> object:
        """The states to which an action leads, or what a predicate comes to."""
        function = self._recorder.functions[instance]
        try:
            if function.role is Role.ACTION:
                return list(function.instance(state))
            answer = function.instance(state)
            is_reported = function.is_reported(answer)
        except ModelError:
            raise
        except HasRead:
            raise kept_state(function.instance) from None
        except Exception:
            return AN_EXCEPTION
        return A_NOTE if is_reported else []

    def _judged(self, row: Sequence[int], state: Any, plainly: object) -> object:
        """The steps of a plain run as rows, with what each breaks."""
        if not isinstance(plainly, list):
            return plainly
        rows = [self._encoder.row_after(row, after) for after in plainly]
        predicates = self._recorder.step_predicates
        try:
            broken = [predicates.broken_by(state, shared(state, s)) for s in plainly]
        except ModelError:
            raise
        except Exception:
            return AN_EXCEPTION
        return list(zip(rows, broken, strict=True))

    def _learned(self, number: int, row: Sequence[int]) -> object:
        """The steps from a row, as far as they were learned."""
        trees = self._recorder.tables.trees
        code = trees.find(number, row)
        if code == 0:
            return UNKNOWN
        return self.outcome_of(row, None if code == DISABLED else trees.leaf(code))

    def _are_alike(
        self, instance: int, row: Sequence[int], found: object, expected: object
    ) -> bool:
        """Tell whether runs on a plain state and on the proxy came to the same.

        A plain run has the steps of all parts; of some it may not be known which.
        """
        parts = parts_of(self._recorder.functions, instance)
        if len(parts) == 1:
            return self._are_same(found, expected)
        others = [self._learned(part, row) for part in parts if part != instance]
        if UNKNOWN in others:
            return are_among(expected, found)
        return have_the_same(joined([expected, *others]), found)

    def outcome_of(
        self, row: Sequence[int], leaf: Sequence[int] | Numbers | None
    ) -> object:
        """The steps of a leaf as rows, with what each breaks, or a text."""
        if leaf is None:
            return []
        if leaf[0] < 0:
            return AN_EXCEPTION if leaf[0] == RAISED else A_NOTE
        try:
            rows = rows_after(self._recorder.evaluator, row, leaf)
        except ArithmeticError:
            return AN_EXCEPTION
        return [
            (after, step.broken)
            for after, step in zip(rows, steps_of(leaf), strict=True)
        ]

    def _check_unchanged(self, label: str, row: Sequence[int]) -> None:
        seen: set[tuple[Dictionary, int]] = set()
        for column, value in enumerate(
            zip(self._encoder.dictionaries, row, strict=True)
        ):
            if value in seen:
                continue
            seen.add(value)
            dictionary, number = value
            if not self._mutations.holds(dictionary, number):
                cell = self._encoder.layout.cells[column]
                raise ModelError(
                    f"`{label}` changed the value of `{cell}` in place; it is now"
                    f" {dictionary.values[number]!r}"
                )


def joined(outcomes: Sequence[object]) -> object:
    """The outcome of an action, of those of its parts."""
    steps: list[object] = []
    for outcome in outcomes:
        if not isinstance(outcome, list):
            return outcome
        steps += outcome
    return steps


def have_the_same(first: object, second: object) -> bool:
    """Tell whether two outcomes have the same steps, in whatever order."""
    if isinstance(first, list) and isinstance(second, list):
        return Counter(first) == Counter(second)
    return first == second


def _differing(
    label: str, first: object, second: object, told: str, state: object
) -> ModelError:
    """The error of a function that came to two outcomes, by their order or as told."""
    why = REORDERED if have_the_same(first, second) else told
    return ModelError(f"`{label}` {why}. The state: {state}")


def are_among(steps: object, whole: object) -> bool:
    """Tell whether the steps of a part can be among those of the whole action.

    That raises where any part does.
    """
    if isinstance(steps, list) and isinstance(whole, list):
        return Counter(steps) <= Counter(whole)
    return steps == whole or isinstance(steps, list)
