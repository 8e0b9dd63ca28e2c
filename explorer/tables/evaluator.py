"""Asking values: Python works out each answer of a query or an operation once."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import RAISES, UNKNOWN
from replicheck.explorer.proxies.calls import apply_calls, evaluate_call
from replicheck.explorer.tables.lookups import Lookup
from replicheck.explorer.tables.tables import Tables


class Unanswered(Enum):
    """The answer of a value whose attribute or method raises."""

    RAISED = "it raised"


class QuestionRaised(BaseException):
    """What a function asked of a cell raised.

    No `Exception`, so that the function does not catch it and read on.
    """


class Evaluator:
    """Asks the values of cells what the tables do not know of them yet."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._dictionaries = tuple(dict.fromkeys(tables.dictionaries))
        self._relied_on: list[Lookup] = []
        self._asked_at = -1

    def at(self, indices: Sequence[int]) -> None:
        """Make the tables know the answers at places of ``lookups``."""
        for lookup, values in self.tables.lookups_at(indices):
            self._ask(lookup, values)

    def query(self, lookup: Lookup, value: int) -> int:
        """The number of a value's answer to a question.

        If that raises, its answer is `Unanswered.RAISED`.
        """
        number = lookup.number(value)
        if number == UNKNOWN:
            number = self._answer(lookup, value)
            self.tables.learn_lookup(lookup, value, number)
        return number

    def operation(self, lookup: Lookup, value: int) -> int:
        """The number of the value that an operation leads to, or RAISES."""
        number = lookup.number(value)
        if number == UNKNOWN:
            number = self._after(lookup, value)
            self.tables.learn_lookup(lookup, value, number)
        return number

    def _ask(self, lookup: Lookup, values: Sequence[int]) -> None:
        """Make the tables know what comes of several values."""
        find = self._after if lookup.is_operation else self._answer
        numbers = [find(lookup, value) for value in values]
        self.tables.learn_answers(lookup, values, numbers)

    def _answer(self, lookup: Lookup, value: int) -> int:
        answer: Any
        try:
            answer = evaluate_call(lookup.dictionary.values[value], lookup.calls[0])
        except Exception:
            answer = Unanswered.RAISED
        return self.answer_number(lookup, answer)

    def _after(self, lookup: Lookup, value: int) -> int:
        try:
            after = apply_calls(lookup.dictionary.values[value], lookup.calls)
        except Exception:
            return RAISES
        return lookup.dictionary.number(after)

    def answer_number(self, lookup: Lookup, answer: Any) -> int:
        """The number of an answer of a query, a new one if it is new.

        Raises:
            ModelError: if it cannot be hashed.
        """
        try:
            return lookup.answer_number(answer)
        except TypeError as error:
            raise ModelError(
                f"`{lookup.dictionary.name}{lookup}` answers {answer!r}, which cannot"
                " be hashed: answer with tuples, frozensets and frozen values"
            ) from error

    def renew_closed(self) -> None:
        """Ask every closed question of every value; masks rely on these from now on."""
        closed = self.tables.closed_queries()
        for lookup in closed:
            self._ask_of_all(lookup)
        self._relied_on = [lookup for lookup in closed if lookup.is_closed]

    def ask_closed(self) -> bool:
        """Ask the questions that masks rely on of new values; tell if one is open now.

        The masks take it that a closed question has an answer for all values.
        """
        values = sum([len(dictionary) for dictionary in self._dictionaries])
        if values == self._asked_at:
            return False
        self._asked_at = values
        for lookup in self._relied_on:
            self._ask_of_all(lookup)
        return not all(lookup.is_closed for lookup in self._relied_on)

    def _ask_of_all(self, lookup: Lookup) -> None:
        lookup.fit()
        new = lookup.known[lookup.asked : len(lookup.dictionary)]
        unknown = lookup.asked + np.flatnonzero(new == UNKNOWN)
        self._ask(lookup, unknown.tolist())
        lookup.asked = len(lookup.dictionary)
