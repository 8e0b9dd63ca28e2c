"""Step clauses: which step properties a step breaks.

A clause mostly begins with asking whether the step left a cell alone. What it looks at
in a step that leaves everything alone is found out once; if it reads nothing then, it
holds for all steps that write no cell it looked at, and is not asked about them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.functions import HasRead, Unread
from replicheck.explorer.instances import Instance
from replicheck.explorer.model import Domains
from replicheck.explorer.premises import Premises
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.recording import StateView

MOST_STEP_PROPERTIES = 31
"""As many as a number of the tables has bits."""


@frozen
class StepClause:
    """A clause of a step property, and the bit of that.

    ``cells`` are the columns that a step must write one of for the clause to read
    anything; None if it may read whatever the step writes.
    """

    bit: int
    property: str
    instance: Instance
    cells: frozenset[int] | None


class StepClauses:
    """The clauses of the step properties, a bit for each property.

    Raises:
        ModelError: if there are more properties than bits.
    """

    def __init__(
        self,
        properties: Iterable[Property],
        domains: Domains,
        premises: Premises,
        view: type[StateView],
    ) -> None:
        self.properties = [each for each in properties if each.kind is Kind.STEP]
        if len(self.properties) > MOST_STEP_PROPERTIES:
            raise ModelError(f"at most {MOST_STEP_PROPERTIES} step properties at once")
        self._premises = premises
        looking = _looking(view)
        self._clauses = [
            StepClause(
                1 << number, each.name, clause, self._cells(each.name, clause, looking)
            )
            for number, each in enumerate(self.properties)
            for clause in each.instances(domains)
        ]
        self._of_writes: dict[frozenset[int], list[StepClause]] = {}

    def broken_by(self, before: Any, after: Any) -> int:
        """Return the bit set of the step properties that a step breaks."""
        return self._broken(self._clauses, before, after)

    def broken_by_writes(
        self, before: StateView, after: StateView, columns: Collection[int]
    ) -> int:
        """Return the same of a step that writes some columns."""
        written = frozenset(columns)
        clauses = self._of_writes.get(written)
        if clauses is None:
            clauses = self._of_writes[written] = [
                each
                for each in self._clauses
                if each.cells is None or not each.cells.isdisjoint(written)
            ]
        return self._broken(clauses, before, after)

    def _broken(self, clauses: Iterable[StepClause], before: Any, after: Any) -> int:
        broken = 0
        for each in clauses:
            if not each.instance(before, after):
                broken |= each.bit
            # A premise reads nothing that its clause has not read.
            if self._premises.are_open(each.property):
                self._premises.show(each.property, each.instance.values, before, after)
        return broken

    def _cells(
        self, name: str, clause: Instance, looking: type[StateView]
    ) -> frozenset[int] | None:
        """Return the columns that a clause looks at in a step that writes nothing."""
        reader = _Looked()
        before = looking(reader)
        try:
            if not clause(before, before.evolve()):
                return None
            if self._premises.holds(name, clause.values, before, before.evolve()):
                return None
        except (Exception, HasRead):
            return None
        return frozenset(reader.columns)


class _Looked(Unread):
    """Notes which cells are looked at, and answers no read."""

    def __init__(self) -> None:
        self.columns: set[int] = set()


def _looking(view: type[StateView]) -> type[StateView]:
    """Return the class of views whose reader is a `_Looked`."""

    def cell(self: StateView, column: int) -> Any:
        self.reader.columns.add(column)  # type: ignore[attr-defined]
        return view.cell(self, column)

    return type("Looking", (view,), {"__slots__": (), "cell": cell})
