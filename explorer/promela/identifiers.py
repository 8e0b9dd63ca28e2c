"""What the cells, questions and operations of a model are called in Promela."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from functools import cached_property

import numpy as np
from attrs import field, frozen

from replicheck.explorer.promela.text import SHORT, Names
from replicheck.explorer.promela.tree_values import answers
from replicheck.explorer.proxies.calls import WHOLE, given
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.lookups import Lookup
from replicheck.explorer.tables.tables import Tables

LONGEST_NAME = 48
MOST_TESTS = 4
"""A condition that compares with more numbers is a table."""
SIMPLE = bool | int | str | Enum | None


@frozen
class Table:
    """What each value maps to, by number; of values without answer, ``unasked``.

    ``codes`` gives the number under which an answer goes in Promela.
    """

    name: str
    lookup: Lookup
    codes: Mapping[int, int]
    unasked: int

    @property
    def numbers(self) -> list[int]:
        """The content."""
        known = answers(self.lookup).tolist()
        return [self.codes.get(answer, self.unasked) for answer in known]


@frozen
class Set:
    """A table that tells of each value whether it is among some."""

    name: str
    domain: Dictionary
    members: tuple[int, ...]


@frozen(slots=False)
class Identifiers:
    """The names of everything, and the tables that were asked for."""

    tables: Tables
    names: Names = field(factory=Names)
    asked: dict[int, Table] = field(factory=dict)
    sets: dict[tuple[int, tuple[int, ...]], Set] = field(factory=dict)

    @cached_property
    def cells(self) -> Sequence[str]:
        """The variable of each cell."""
        return [self.names.give(str(cell)) for cell in self.tables.layout.cells]

    def table(self, lookup: Lookup) -> Table:
        """The table of a question or an operation."""
        table = self.asked.get(id(lookup))
        if table is None:
            codes = _codes(lookup)
            unasked = max(codes.values(), default=0) + 1
            name = self.names.give(f"{lookup.dictionary.name}__{_wish(lookup)}")
            table = self.asked[id(lookup)] = Table(name, lookup, codes, unasked)
        return table

    def test(self, column: int, lookup: Lookup, given: Collection[int]) -> str:
        """The condition that a question about a cell has one of some answers."""
        if len(given) > MOST_TESTS:
            return self._is_member(column, lookup, given)
        asked, codes = self._asked(column, lookup, given)
        return _joined(" || ", [f"{asked} == {code}" for code in codes])

    def test_not(self, column: int, lookup: Lookup, given: Collection[int]) -> str:
        """The condition that a question about a cell has none of them."""
        if len(given) > MOST_TESTS:
            return f"!{self._is_member(column, lookup, given)}"
        asked, codes = self._asked(column, lookup, given)
        return _joined(" && ", [f"{asked} != {code}" for code in codes])

    def _asked(
        self, column: int, lookup: Lookup, given: Collection[int]
    ) -> tuple[str, list[int]]:
        """A question as an expression, and answers as numbers of Promela."""
        cell = self.cells[column]
        if lookup.calls == (WHOLE,):
            return cell, sorted(given)
        table = self.table(lookup)
        codes = [table.codes.get(answer, table.unasked) for answer in given]
        return f"{table.name}[{cell}]", sorted(codes)

    def _is_member(self, column: int, lookup: Lookup, given: Collection[int]) -> str:
        domain = lookup.dictionary
        members = np.flatnonzero(np.isin(answers(lookup), list(given)))
        key = (id(domain), tuple(members.tolist()))
        found = self.sets.get(key)
        if found is None:
            name = self.names.give(f"{domain.name}__is_in_set")
            found = self.sets[key] = Set(name, domain, key[1])
        return f"{found.name}[{self.cells[column]}]"


def _joined(operator: str, tests: Sequence[str]) -> str:
    return tests[0] if len(tests) == 1 else f"({operator.join(tests)})"


def _codes(lookup: Lookup) -> dict[int, int]:
    """Numbers for answers: small numbers and truth values are their own."""
    if lookup.is_operation:
        return {number: number for number in range(len(lookup.dictionary))}
    kinds = {type(answer) for answer in lookup.answers}
    if kinds <= {bool} or kinds <= {int}:
        codes = [int(answer) for answer in lookup.answers]
        if all(0 <= code < SHORT - 1 for code in codes):
            return dict(enumerate(codes))
    return {number: number for number in range(len(lookup.answers))}


def _wish(lookup: Lookup) -> str:
    """The calls as part of a name, without arguments that are too long."""
    arguments = [
        argument for _, arguments in lookup.calls for argument in given(arguments)
    ]
    if all(isinstance(argument, SIMPLE) for argument in arguments):
        whole = "_".join(
            "_".join([name, *map(_short, given(arguments))])
            for name, arguments in lookup.calls
        )
        if len(whole) <= LONGEST_NAME:
            return whole
    return "_".join(name for name, _ in lookup.calls)


def _short(argument: object) -> str:
    return (argument.name or "none") if isinstance(argument, Enum) else str(argument)
