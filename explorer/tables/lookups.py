"""Lookups: memo tables of what each value of a dictionary answers or turns into."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicheck.explorer.native.kernels.arrays import UNKNOWN
from replicheck.explorer.proxies.calls import (
    WHOLE,
    Call,
    call_text,
)
from replicheck.explorer.tables.dictionary import Dictionary

UNPLACED = -1
"""The start of a lookup that has no segment yet."""


class Lookup:
    """A query or an operation: what each value of a dictionary maps to, where known."""

    def __init__(
        self, dictionary: Dictionary, calls: tuple[Call, ...], *, is_operation: bool
    ) -> None:
        self.dictionary = dictionary
        self.calls = calls
        self.is_operation = is_operation
        self.start = UNPLACED
        self.known = np.full(dictionary.capacity, UNKNOWN, np.int32)
        if calls == (WHOLE,):
            self.known = np.arange(dictionary.capacity, dtype=np.int32)
        self.answers: list[Any] = []
        self.asked = 0
        """So many values were asked without regard to what is reached."""
        self._numbers: dict[Any, int] = {}

    def fit(self) -> None:
        """Make room for as many values as the dictionary has."""
        old = len(self.known)
        if old < self.dictionary.capacity:
            fresh = np.full(self.dictionary.capacity - old, UNKNOWN, np.int32)
            if self.calls == (WHOLE,):
                fresh = np.arange(old, self.dictionary.capacity, dtype=np.int32)
            self.known = np.concatenate([self.known, fresh])

    def number(self, value: int) -> int:
        """Return the number that is known of a value, or `UNKNOWN`."""
        if value >= len(self.known):
            self.fit()
        return self.known.item(value)

    def answer_number(self, answer: Any) -> int:
        """Return the number of a query's answer, a new one if it is new."""
        key = (type(answer), answer)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.answers)
            self.answers.append(answer)
        return number

    @property
    def is_closed(self) -> bool:
        """Tell whether both truth values, and nothing else, have been answered."""
        return len(self.answers) == 2 and all(
            isinstance(answer, bool) for answer in self.answers
        )

    def __str__(self) -> str:
        """Return the calls as Python writes them, such as ``.epoch_at(1)``."""
        return "".join(call_text(call) for call in self.calls)
