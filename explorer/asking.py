"""Asking values: Python works out each answer of a view or an operation once."""

from __future__ import annotations

from typing import Any

from replicheck.explorer.arrays import RAISES, UNKNOWN
from replicheck.explorer.errors import ModelError
from replicheck.explorer.lookups import Lookup
from replicheck.explorer.standing import Call, applied
from replicheck.explorer.tables import Tables


class Asker:
    """Asks the values of cells what the tables do not know of them yet."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._answers = 0
        self._asked_at = (-1, -1)

    def at(self, place: int) -> None:
        """Make the tables know the answer at a place of ``lookups``."""
        lookup, value = self.tables.lookup_at(place)
        if lookup.is_operation:
            self.operation(lookup, value)
        else:
            self.view(lookup, value)

    def view(self, lookup: Lookup, value: int) -> int:
        """Return the number of a value's answer to a question, or RAISES."""
        lookup.fit()
        number = lookup.known.item(value)
        if number == UNKNOWN:
            try:
                answer = answer_of(lookup.domain.values[value], lookup.calls[0])
            except Exception:
                number = RAISES
            else:
                number = self.answer_number(lookup, answer)
            self.tables.learn_lookup(lookup, value, number)
        return number

    def operation(self, lookup: Lookup, value: int) -> int:
        """Return the number of the value that an operation leads to, or RAISES."""
        lookup.fit()
        number = lookup.known.item(value)
        if number == UNKNOWN:
            try:
                after = applied(lookup.domain.values[value], lookup.calls)
            except Exception:
                number = RAISES
            else:
                number = lookup.domain.number(after)
            self.tables.learn_lookup(lookup, value, number)
        return number

    def answer_number(self, lookup: Lookup, answer: Any) -> int:
        """Return the number of an answer of a view, a new one if it is new.

        Raises:
            ModelError: if it cannot be hashed.
        """
        known = len(lookup.answers)
        try:
            number = lookup.answer_number(answer)
        except TypeError as error:
            raise ModelError(
                f"`{lookup.domain.name}{lookup}` answers {answer!r}, which cannot be"
                " hashed: answer with tuples, frozensets and frozen values"
            ) from error
        self._answers += len(lookup.answers) - known
        return number

    def closed_questions(self) -> bool:
        """Ask every closed question of every value; tell whether one is open after all.

        The masks take it that a closed question has an answer for all values.
        """
        values = sum(len(domain) for domain in set(self.tables.domains))
        news = self._answers, values
        if news == self._asked_at:
            return False
        self._asked_at = news
        opened = False
        for lookup in self.tables.closed_views():
            for value in range(lookup.asked, len(lookup.domain)):
                self.view(lookup, value)
            lookup.asked = len(lookup.domain)
            opened |= not lookup.is_closed
        return opened


def answer_of(value: Any, call: Call) -> Any:
    """Return what a value answers to an attribute or a call."""
    name, arguments = call
    member = getattr(value, name)
    return member(*arguments) if callable(member) else member
