"""Step predicates: which step properties a step breaks.

A predicate mostly begins with asking whether the step left a cell alone. What it looks
at in a step that leaves everything alone is found out once; if it reads nothing then,
it holds for all steps that write no cell it looked at, and is not asked about them.

A step may write what a cell has already, and a predicate may ask by ``is``, for which
equal cells are one object (`shared_cells`). So a predicate is asked about each cell
that it looks at as if the step changed it, and as if it did not, and so is its premise;
where the answers differ, and only there, it is read whether the value is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import attrs
from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import Instance
from replicheck.explorer.interpreter.vacuity import Premises, comparison_of
from replicheck.explorer.model import Domains
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.proxies.calls import QuestionRaised
from replicheck.explorer.proxies.probes import (
    ComparingProbe,
    HasRead,
    Probe,
    probe_class,
    without_writes,
)
from replicheck.explorer.proxies.state_proxy import StateProxy

MOST_STEP_PROPERTIES = 31
"""As many as a number of the tables has bits."""
ForPremise = Callable[[str], AbstractContextManager[None]]
"""A context in which only the premise of the named property depends on what is read."""


@frozen
class StepPredicate:
    """A predicate of a step property, and the bit of that.

    ``cells`` are the columns that a step must write one of for the predicate to read
    anything; None if it may read whatever the step writes.
    """

    bit: int
    property: str
    instance: Instance
    cells: frozenset[int] | None


class StepPredicates:
    """The predicates of the step properties, a bit for each property.

    Raises:
        ModelError: if there are more properties than bits.
    """

    def __init__(
        self,
        properties: Iterable[Property],
        domains: Domains,
        premises: Premises,
        proxy: type[StateProxy],
    ) -> None:
        self.properties = [claim for claim in properties if claim.kind is Kind.STEP]
        if len(self.properties) > MOST_STEP_PROPERTIES:
            raise ModelError(f"at most {MOST_STEP_PROPERTIES} step properties at once")
        self._premises = premises
        self._supposed, note = without_writes(proxy), probe_class(proxy)
        self._predicates = [
            StepPredicate(
                1 << number,
                claim.name,
                predicate,
                self._cells(claim.name, predicate, note),
            )
            for number, claim in enumerate(self.properties)
            for predicate in claim.instances(domains)
        ]
        self._of_writes: dict[frozenset[int], list[StepPredicate]] = {}

    def broken_by(self, before: Any, after: Any) -> int:
        """The bit set of the step properties that a step breaks."""
        broken = 0
        for predicate in self._predicates:
            if not predicate.instance(before, after):
                broken |= predicate.bit
        return broken

    def broken_by_step(self, before: Any, after: Any, written: frozenset[int]) -> int:
        """The bit set of the step properties that a step on plain states breaks.

        Args:
            written: the columns in which the states may differ.
        """
        broken = 0
        for predicate in self._that_look_at(written):
            name, values = predicate.property, predicate.instance.values
            if not predicate.instance(before, after):
                broken |= predicate.bit
            self._premises.show(name, values, before, after)
        return broken

    def broken_by_writes(
        self,
        before: StateProxy,
        after: StateProxy,
        on_judged: Callable[[str], None],
        for_premise: ForPremise,
    ) -> int:
        """The bit set of the step properties that a step on recording proxies breaks.

        Args:
            on_judged: is told which property was judged.
            for_premise: where it is read what is about a premise alone.

        Raises:
            ArithmeticError: if a predicate raises.
        """
        broken = 0
        for predicate in self._that_look_at(frozenset(after.writes_)):
            judged = self._judged(predicate, before, after, for_premise)
            if not judged.holds:
                broken |= predicate.bit
            if judged.has_premise:
                self._premises.note_held((predicate.property,))
            on_judged(predicate.property)
        return broken

    def _that_look_at(self, written: frozenset[int]) -> list[StepPredicate]:
        """The predicates that look at one of the columns."""
        found = self._of_writes.get(written)
        if found is None:
            found = self._of_writes[written] = [
                predicate
                for predicate in self._predicates
                if predicate.cells is None or not predicate.cells.isdisjoint(written)
            ]
        return found

    def _judged(
        self,
        predicate: StepPredicate,
        before: StateProxy,
        after: StateProxy,
        for_premise: ForPremise,
    ) -> _Judged:
        outcome = self._suppose(predicate, before, after, frozenset(), frozenset())
        while isinstance(outcome, _Fork):
            is_about = outcome.is_about_premise
            with for_premise(predicate.property) if is_about else nullcontext():
                is_same = after.leaves_alone_(outcome.column)
            outcome = outcome.if_same if is_same else outcome.if_changed
        if outcome is None:
            raise ArithmeticError(f"`{predicate.instance.label}` raises")
        return outcome

    def _suppose(
        self,
        predicate: StepPredicate,
        before: StateProxy,
        after: StateProxy,
        same: frozenset[int],
        changed: frozenset[int],
    ) -> _Outcome:
        """Answer of a predicate if some columns are the same, others changed.

        Of columns that it looks at besides, both is tried.
        """
        changes = after.writes_.keys() - same
        if predicate.cells is not None and predicate.cells.isdisjoint(changes):
            return _Judged(holds=True, has_premise=False)
        supposed = self._supposed(after, same)
        outcome: _Outcome = self._judge(predicate, before, supposed)
        looked_at = [cell for cell in supposed.probed_ if cell not in changed]
        for place in range(len(looked_at) - 1, -1, -1):
            column = looked_at[place]
            if_same = self._suppose(
                predicate,
                before,
                after,
                same | {column},
                changed.union(looked_at[:place]),
            )
            if if_same != outcome:
                outcome = _Fork(column, if_same, outcome)
        return outcome

    def _judge(
        self, predicate: StepPredicate, before: StateProxy, after: StateProxy
    ) -> _Judged | None:
        name, values = predicate.property, predicate.instance.values
        try:
            holds = bool(predicate.instance(before, after))
            return _Judged(holds, self._premises.holds(name, values, before, after))
        except ModelError:
            raise
        except (Exception, QuestionRaised):
            return None

    def _cells(
        self, name: str, predicate: Instance, proxy: type[StateProxy]
    ) -> frozenset[int] | None:
        """The columns that a predicate looks at in a step that writes nothing."""
        compared = self._compared_cells(predicate, proxy)
        if compared is not None:
            return compared
        reader = Probe()
        before = proxy(reader)
        try:
            if not predicate(before, before.evolve()):
                return None
            if self._premises.holds(name, predicate.values, before, before.evolve()):
                return None
        except (Exception, HasRead):
            return None
        return frozenset(reader.columns)

    def _compared_cells(
        self, predicate: Instance, proxy: type[StateProxy]
    ) -> frozenset[int] | None:
        """The columns that a predicate compares first; None if it begins otherwise.

        In a step that writes none of them it is true, whatever they hold.
        """
        comparison = comparison_of(predicate.function)
        # A property of the state's class, which is no field, may read what it will.
        fields = attrs.fields_dict(proxy.layout_.state_class).keys()
        if comparison is None or not comparison.fields <= fields:
            return None
        reader = ComparingProbe()
        before = proxy(reader)
        try:
            is_same = comparison.asked(before, before.evolve(), *predicate.values)
        except (Exception, HasRead):
            return None
        return frozenset(reader.columns) if is_same is True else None


@frozen
class _Judged:
    """What a predicate comes to, and whether its premise holds."""

    holds: bool
    has_premise: bool


@frozen
class _Fork:
    """What a predicate comes to depends on whether a column is the same."""

    column: int
    if_same: _Outcome
    if_changed: _Outcome

    @property
    def is_about_premise(self) -> bool:
        """Tell whether the property holds alike, whether the column is the same."""
        return _holds(self.if_same) == _holds(self.if_changed)


_Outcome = _Judged | _Fork | None
"""What a predicate comes to; None if it raises."""


def _holds(outcome: _Outcome) -> object:
    """Whether a property holds, as far as it depends on which columns are the same."""
    if not isinstance(outcome, _Fork):
        return None if outcome is None else outcome.holds
    if_same, if_changed = _holds(outcome.if_same), _holds(outcome.if_changed)
    if if_same == if_changed:
        return if_same
    return outcome.column, if_same, if_changed
