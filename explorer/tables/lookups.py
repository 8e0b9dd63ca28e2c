"""Lookups: memo tables of what each value of a dictionary answers or turns into."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicheck.explorer.native.kernels.arrays import SOUGHT, UNKNOWN, Indices, Numbers
from replicheck.explorer.proxies.calls import WHOLE, Call, call_text
from replicheck.explorer.states.exact_equality import are_exactly_equal
from replicheck.explorer.tables.dictionary import Dictionary

CHECKED = 4
"""So many values of a batch, at most, are asked by themselves for comparison."""


def checked_of(count: int) -> range:
    """The places in a batch of so many values that are checked; the last is one."""
    return range(count - 1, -1, -max(1, -(-count // CHECKED)))


class Lookup:
    """A query or an operation: what each value of a dictionary maps to, where known."""

    def __init__(
        self, dictionary: Dictionary, calls: tuple[Call, ...], *, is_operation: bool
    ) -> None:
        self.dictionary = dictionary
        self.calls = calls
        self.is_operation = is_operation
        self.start = -1
        """Where its segment begins, once it has one."""
        self.known: Numbers = np.zeros(0, np.int32)
        """What is known of each value; part of `Tables` once it has a segment there."""
        self.answers: list[Any] = []
        self.asked = 0
        """So many values were asked without regard to what is reached."""
        self.by_head: Numbers = np.zeros(0, np.int32)
        """What all values with a certain head answer; see `head_view`."""
        self.by_length: Numbers = np.zeros(0, np.int32)
        """What all values with a certain frame and length answer, if `asks_length`."""
        self.asks_length: bool | None = None
        """Whether it looked at no more of a sequence than its length, once seen."""
        self._numbers: dict[Any, int] = {}
        self._unlike: list[int] = []
        """The numbers of answers that equal an earlier one without being alike."""
        self.fit()

    def fit(self) -> None:
        """Make room for as many values as the dictionary has."""
        if len(self.known) < self.dictionary.capacity:
            self.move_to(np.empty(self.dictionary.capacity, np.int32))

    def move_to(self, room: Numbers) -> None:
        """Keep what is known elsewhere, where there is room for as many values."""
        old, size = len(self.known), len(room)
        room[:old] = self.known
        room[old:] = np.arange(old, size) if self.calls == (WHOLE,) else UNKNOWN
        self.known = room

    def fit_heads(self, count: int) -> None:
        """Make room for what values with so many heads answer."""
        self.by_head = _with_room(self.by_head, count)

    def fit_lengths(self, count: int) -> None:
        """Make room for what values with so many frames and lengths answer."""
        self.by_length = _with_room(self.by_length, count)

    def number(self, value: int) -> int:
        """The number that is known of a value, or `UNKNOWN`."""
        if value >= len(self.known):
            self.fit()
        number = self.known.item(value)
        return UNKNOWN if number == SOUGHT else number

    def withdraw(self, values: Indices) -> None:
        """Let values that were asked for, and of which nothing is known, be asked."""
        sought = values[self.known[values] == SOUGHT]
        self.known[sought] = UNKNOWN

    def answer_number(self, answer: Any) -> int:
        """The number of a query's answer, a new one if it is new."""
        number = self._numbers.get(answer)
        if number is not None:
            known = self.answers[number]
            if known is answer or are_exactly_equal(known, answer):
                return number
            return self._number_of_unlike(answer)
        self._numbers[answer] = len(self.answers)
        self.answers.append(answer)
        return len(self.answers) - 1

    def known_answer(self, answer: Any) -> int:
        """The number of an answer that was given before, else `UNKNOWN`."""
        try:
            number = self._numbers.get(answer, UNKNOWN)
        except TypeError:
            return UNKNOWN
        is_alike = number >= 0 and are_exactly_equal(self.answers[number], answer)
        return number if is_alike else UNKNOWN

    def _number_of_unlike(self, answer: Any) -> int:
        """The number of an answer that equals another one without being alike."""
        for number in self._unlike:
            if are_exactly_equal(self.answers[number], answer):
                return number
        self._unlike.append(len(self.answers))
        self.answers.append(answer)
        return self._unlike[-1]

    @property
    def is_closed(self) -> bool:
        """Tell whether both truth values, and nothing else, have been answered."""
        return len(self.answers) == 2 and all(
            isinstance(answer, bool) for answer in self.answers
        )

    def __str__(self) -> str:
        """The calls as Python writes them, such as ``.epoch_at(1)``."""
        return "".join(call_text(call) for call in self.calls)


def _with_room(numbers: Numbers, count: int) -> Numbers:
    """The numbers, with room for so many and more."""
    missing = count - len(numbers)
    if missing <= 0:
        return numbers
    fresh = np.full(missing + len(numbers), UNKNOWN, np.int32)
    return np.concatenate([numbers, fresh])
