"""Step predicates: which step properties a step breaks.

A predicate mostly begins with asking whether the step left a cell alone. What it looks
at in a step that leaves everything alone is found out once; if it reads nothing then,
it holds for all steps that write no cell it looked at, and is not asked about them.

A step may write what a cell has already, and a predicate may ask by ``is``, for which
equal cells are one object (`shared_cells`). So a predicate is asked about each cell
that it looks at as if the step changed it, and as if it did not, and so is its premise;
where the answers differ, and only there, it is read whether the value is the same. The
same is done of each family that it looks at: it is one object if all its cells are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import combinations
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


MOST_FAMILIES = 4
"""Of so many families it is found out whether it matters that each is one object."""


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

    def broken_by_writes(
        self, before: StateProxy, after: StateProxy, on_judged: Callable[[str], None]
    ) -> int:
        """The same of a step on recording proxies.

        Args:
            on_judged: is told which property was judged.

        Raises:
            ArithmeticError: if a predicate raises.
        """
        broken = 0
        for predicate in self._that_look_at(frozenset(after.writes_)):
            judged = self._judged(predicate, before, after)
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
        self, predicate: StepPredicate, before: StateProxy, after: StateProxy
    ) -> _Judged:
        outcome = self._suppose(predicate, before, after, frozenset(), frozenset())
        while isinstance(outcome, _Fork):
            is_same = all(map(after.leaves_alone_, sorted(outcome.columns)))
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
        changed: frozenset[frozenset[int]],
    ) -> _Outcome:
        """Answer of a predicate if some columns are the same, of others one changed.

        Of columns that it looks at besides, both is tried: alone those of a cell, and
        together those of a family.
        """
        changes = after.writes_.keys() - same
        if predicate.cells is not None and predicate.cells.isdisjoint(changes):
            return _Judged(holds=True, has_premise=False)
        supposed = self._supposed(after, same)
        outcome: _Outcome = self._judge(predicate, before, supposed)
        looked_at = [columns for columns in supposed.probed_ if columns not in changed]
        for place in range(len(looked_at) - 1, -1, -1):
            columns = looked_at[place]
            if_same = self._suppose(
                predicate,
                before,
                after,
                same | columns,
                changed.union(looked_at[:place]),
            )
            if if_same != _if_same(outcome, columns):
                outcome = _Fork(columns, if_same, outcome)
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
        """The columns that a predicate looks at in a step that writes nothing.

        Those of a family are among them unless it is the same to the predicate whether
        that is one object.
        """
        compared = self._compared_cells(predicate, proxy)
        if compared is not None:
            return compared
        first = self._probe(name, predicate, proxy, ())
        if first is None:
            return None
        looked_at = first.columns.union(*first.families.values())
        if len(first.families) > MOST_FAMILIES:
            return frozenset(looked_at)
        columns = set(first.columns)
        for count in range(1, len(first.families) + 1):
            for changed in combinations(first.families, count):
                probe = self._probe(name, predicate, proxy, changed)
                if probe is None or probe.families.keys() - first.families.keys():
                    return frozenset(looked_at)
                columns |= probe.columns
        return frozenset(columns)

    def _probe(
        self,
        name: str,
        predicate: Instance,
        proxy: type[StateProxy],
        changed: Collection[tuple[Any, ...]],
    ) -> Probe | None:
        """What a predicate looks at in a step that writes nothing.

        None if it reads anything, or does not hold, or its premise does.

        Args:
            changed: families that are supposed to be other objects after the step.
        """
        reader = Probe(changed)
        before = proxy(reader)
        try:
            if not predicate(before, before.evolve()):
                return None
            if self._premises.holds(name, predicate.values, before, before.evolve()):
                return None
        except (Exception, HasRead):
            return None
        return reader

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
    """What a predicate comes to depends on whether all of some columns are the same."""

    columns: frozenset[int]
    if_same: _Outcome
    if_changed: _Outcome


_Outcome = _Judged | _Fork | None
"""What a predicate comes to; None if it raises."""


def _if_same(outcome: _Outcome, columns: frozenset[int]) -> _Outcome:
    """What an outcome says of steps that leave some columns alone."""
    if not isinstance(outcome, _Fork):
        return outcome
    if_same = _if_same(outcome.if_same, columns)
    if_changed = _if_same(outcome.if_changed, columns)
    if outcome.columns <= columns or if_same == if_changed:
        return if_same
    return _Fork(outcome.columns, if_same, if_changed)
