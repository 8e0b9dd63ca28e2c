"""Asking values: Python works out each answer of a query or an operation once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import (
    MOST_LENGTH,
    RAISES,
    UNKNOWN,
    Indices,
    Numbers,
)
from replicheck.explorer.proxies.calls import apply_calls, evaluate_call
from replicheck.explorer.tables.lookups import Lookup, checked_of
from replicheck.explorer.tables.tables import Tables

if TYPE_CHECKING:
    from replicheck.explorer.tables.sequences.sequence_operations import (
        SequenceOperations,
    )

ASKS_MORE = -2
"""In place of an answer: values with this head may answer otherwise."""
WORTH_SHARING = 16
"""So many values are asked at least before it is looked which have one head."""
ASKED_AT_ONCE = 256
"""Values that Python asks before others may look at the limits of the search."""
WhileAsking = Callable[[], None]
"""Is called now and then while values are asked; may raise to end that."""


class Unanswered(Enum):
    """The answer of a value whose attribute or method raises."""

    RAISED = "it raised"


class Evaluator:
    """Asks the values of cells what the tables do not know of them yet."""

    def __init__(self, tables: Tables, *, by_head: bool = True) -> None:
        """Ask each value for itself, or have those with one head share answers."""
        self.tables, self._by_head = tables, by_head
        self._dictionaries = tuple(dict.fromkeys(tables.dictionaries))
        self._relied_on: list[Lookup] = []
        self._asked_at = -1

    @cached_property
    def _sequences(self) -> SequenceOperations:
        # Imported only here: most checks have no class with such a promise.
        from replicheck.explorer.tables.sequences.sequence_operations import (
            SequenceOperations,
        )

        return SequenceOperations(self._after, checks_all=not self._by_head)

    def at(self, places: Indices, while_asking: WhileAsking = lambda: None) -> None:
        """Make the tables know the answers at places of ``lookups``.

        Where that is ended, kernels ask again for what is not known.
        """
        asked = list(self.tables.lookups_at(places))
        try:
            for lookup, values in asked:
                self._ask(lookup, values, while_asking)
        except BaseException:
            for lookup, values in asked:
                lookup.withdraw(values)
            raise

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

    def _ask(self, lookup: Lookup, values: Indices, while_asking: WhileAsking) -> None:
        """Make the tables know what comes of several values."""
        if not len(values):
            return
        numbers: Numbers | list[int]
        if lookup.is_operation and lookup.dictionary.tree is None:
            each = _each(values, while_asking)
            numbers = [self._after(lookup, value) for value in each]
        elif lookup.is_operation:
            numbers = self._sequences.after(lookup, values)
        else:
            sequence = lookup.dictionary.sequence
            is_shared = self._by_head and len(values) >= WORTH_SHARING
            if is_shared and sequence is not None:
                self._ask_shared(lookup, sequence, values, while_asking)
                return
            each = _each(values, while_asking)
            numbers = [self._answer(lookup, value) for value in each]
        self.tables.learn_answers(lookup, values, numbers)

    def _ask_shared(
        self,
        lookup: Lookup,
        sequence: str,
        values: Indices,
        while_asking: WhileAsking,
    ) -> None:
        """Ask each value, but only one of those with one head if that decides.

        Where a question looks at the length alone, only one of those with one length.

        Raises:
            ModelError: if a value answers otherwise than another that is the same as
                far as the question looks.
        """
        # Imported only here: most checks have no queue with many values.
        from replicheck.explorer.proxies.head_view import (
            HeadView,
            LengthView,
            asks_only,
        )

        known, call = lookup.dictionary.values, lookup.calls[0]
        lengths = self._lengths(lookup, sequence, values)
        if lengths is None:
            groups = lookup.dictionary.heads_of(values)
            lookup.fit_heads(int(groups.max()) + 1)
        else:
            groups = lengths
            lookup.fit_lengths(int(groups.max()) + 1)
        answers = lookup.by_head if lengths is None else lookup.by_length
        view = HeadView if lengths is None else LengthView
        numbers = answers[groups]
        shared = np.flatnonzero(numbers >= 0)
        for place in _each(np.flatnonzero(numbers < 0), while_asking):
            value, group = int(values[place]), int(groups[place])
            number = answers.item(group)
            if number < 0:
                answer = self._answer(lookup, value)
                if number == UNKNOWN:
                    decides = asks_only(view, known[value], sequence, call)
                    answers[group] = answer if decides else ASKS_MORE
                number = answer
            numbers[place] = number
        for place in shared[checked_of(len(shared))].tolist():
            self._check_shared(lookup, int(values[place]), int(numbers[place]))
        self.tables.learn_answers(lookup, values, numbers)

    def _lengths(
        self, lookup: Lookup, sequence: str, values: Indices
    ) -> Numbers | None:
        """Numbers of the lengths of values, if a question looks at no more."""
        tree = lookup.dictionary.tree
        lengths = None if tree is None else tree.lengths_of(values)
        if lengths is None or lookup.asks_length is False:
            return None
        if lookup.asks_length is None:
            from replicheck.explorer.proxies.head_view import LengthView, asks_only

            longest = int(np.argmax(lengths % MOST_LENGTH))
            if lengths[longest] % MOST_LENGTH == 0:
                return None
            value = lookup.dictionary.values[int(values[longest])]
            lookup.asks_length = asks_only(LengthView, value, sequence, lookup.calls[0])
        return lengths if lookup.asks_length else None

    def _check_shared(self, lookup: Lookup, value: int, known: int) -> None:
        if self._answer(lookup, value) != known:
            raise ModelError(
                f"`{lookup.dictionary.name}{lookup}` does not read what it depends on:"
                f" {lookup.dictionary.values[value]!r} answers otherwise than a value"
                " that is the same as far as it looks. It looks at the class of a"
                " field, or reads what is no part of the value"
            )

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

    def renew_closed(self, while_asking: WhileAsking) -> None:
        """Ask every closed question of every value; masks rely on these from now on."""
        closed = self.tables.closed_queries()
        for lookup in closed:
            self._ask_of_all(lookup, while_asking)
        self._relied_on = [lookup for lookup in closed if lookup.is_closed]

    def ask_closed(self, while_asking: WhileAsking) -> bool:
        """Ask the questions that masks rely on of new values; tell if one is open now.

        The masks take it that a closed question has an answer for all values.
        """
        values = sum([len(dictionary) for dictionary in self._dictionaries])
        if values == self._asked_at:
            return False
        behind = [
            lookup
            for lookup in self._relied_on
            if lookup.asked < len(lookup.dictionary)
        ]
        for lookup in behind:
            self._ask_of_all(lookup, while_asking)
        self._asked_at = values
        return not all(lookup.is_closed for lookup in behind)

    def _ask_of_all(self, lookup: Lookup, while_asking: WhileAsking) -> None:
        lookup.fit()
        new = lookup.known[lookup.asked : len(lookup.dictionary)]
        unknown = lookup.asked + np.flatnonzero(new < 0)
        self._ask(lookup, unknown, while_asking)
        lookup.asked = len(lookup.dictionary)


def _each(values: Indices, while_asking: WhileAsking) -> Iterator[int]:
    """Yield the numbers of some values, which are asked one by one."""
    for begin in range(0, len(values), ASKED_AT_ONCE):
        if begin:
            while_asking()
        yield from values[begin : begin + ASKED_AT_ONCE].tolist()
