"""Value spaces: the values of a family of cells, and those that they could turn into.

The dictionaries have the values that were reached. A reduction also has to know what
operations do to values that need not be reached: such a value gets a number of its own
here, and none in the dictionary. The number of a value never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import UNKNOWN, Numbers
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    AT_END,
    COMMUTING,
    RAISING_IMAGE,
)
from replicheck.explorer.proxies.calls import WHOLE, apply_calls, evaluate_call
from replicheck.explorer.proxies.operation_laws import OperationLaws
from replicheck.explorer.states.exact_equality import are_exactly_equal
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.evaluator import Unanswered
from replicheck.explorer.tables.lookups import Lookup

MOST_SUPPOSED = 256
"""So many values at most are known without having been reached."""
MOST_OPERATIONS = 8
"""By so many operations at most one of them comes from a value that was reached.

Each may square a number, or double a text.
"""
NOT_OF_THE_MODEL = (MemoryError, RecursionError)
"""What the machine raises of a value that is too large to be asked."""
NO_ANSWER = object()
"""The answer of such a value, which no other value has."""


class ValueSpace:
    """The values of one dictionary, and further ones."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self.values: list[Any] = []
        self.of_numbers: list[int] = []
        """The values here by their numbers in the dictionary."""
        self._depths: list[int] = []
        """By how many operations each value comes from one that was reached."""
        self.laws = OperationLaws.of(dictionary.values[0])
        self._numbers: dict[Any, int] = {}
        self._images: dict[Lookup, list[int]] = {}
        self._answers: dict[Lookup, dict[int, Any]] = {}

    def __len__(self) -> int:
        return len(self.values)

    def update(self, operations: Sequence[Lookup]) -> None:
        """Take in what the dictionary has, and what operations make of that.

        Raises:
            ModelError: if operations do not commute that are promised to.
        """
        for value in self.dictionary.values[len(self.of_numbers) :]:
            number = self._known(value)
            if number is None:
                number = self._new(value, 0)
            self._depths[number] = 0
            self.of_numbers.append(number)
        known = [self._images.setdefault(operation, []) for operation in operations]
        self._bring_nearer(known)
        for operation, images in zip(operations, known, strict=True):
            for value, image in enumerate(images):
                if image == UNKNOWN:
                    images[value] = self._image(operation, value)
        while any(len(images) < len(self.values) for images in known):
            for operation, images in zip(operations, known, strict=True):
                for value in range(len(images), len(self.values)):
                    images.append(self._image(operation, value))
        commuting = [o for o in operations if self.laws.law_of(o.calls) == COMMUTING]
        for pair in combinations(commuting, 2):
            self._require_commuting(*pair)

    def _bring_nearer(self, known: Sequence[Sequence[int]]) -> None:
        """Bring the values nearer to which operations lead from reached ones now."""
        depths, before = np.array(self._depths), None
        while before is None or (depths != before).any():
            before = depths.copy()
            for found in known:
                images = np.array(found, np.int64)
                values = np.flatnonzero(images >= 0)
                np.minimum.at(depths, images[values], depths[values] + 1)
        self._depths = depths.tolist()

    def _require_commuting(self, left: Lookup, right: Lookup) -> None:
        """Refuse a promise that a value shows to be false.

        Raises:
            ModelError: naming the class, the operations and the value.
        """
        first, second = self.images(left), self.images(right)
        known = np.flatnonzero((first >= 0) & (second >= 0))
        ends, others = second[first[known]], first[second[known]]
        differ = (ends != others) & (ends != UNKNOWN) & (others != UNKNOWN)
        if differ.any():
            value = self.values[known[differ][0]]
            raise ModelError(
                f"`{type(value).__name__}` promises in `COMMUTING` that `{left}` and"
                f" `{right}` come to the same in any order. They do not for {value!r}:"
                " take one of the two out"
            )

    def images(self, operation: Lookup) -> Numbers:
        """What an operation makes of each value: UNKNOWN, RAISING_IMAGE or a value."""
        found = np.full(len(self), UNKNOWN, np.int32)
        known = self._images[operation]
        found[: len(known)] = known
        return found

    def answers(self, question: Lookup) -> Numbers:
        """The number of each value's answer to a question; UNKNOWN if it has none."""
        found = np.full(len(self), UNKNOWN, np.int32)
        reached = np.array(self.of_numbers, np.int64)
        if question.calls == (WHOLE,):
            found[reached] = np.arange(len(reached))
            return found
        question.fit()
        found[reached] = question.known[: len(reached)]
        given = self._answers.setdefault(question, {})
        for value in np.flatnonzero(found < 0).tolist():
            if value not in given:
                given[value] = _answer(question, self.values[value])
            found[value] = question.known_answer(given[value])
        return found

    def has_head(self, value: int) -> bool:
        """Tell whether a value is a queue that is not empty."""
        return self.laws.has_head(self.values[value])

    def _image(self, operation: Lookup, value: int) -> int:
        """What an operation makes of a value."""
        before = self.values[value]
        law = self.laws.law_of(operation.calls)
        if law == AT_END and self.laws.has_head(before):
            return UNKNOWN
        try:
            after = apply_calls(before, operation.calls)
        except NOT_OF_THE_MODEL:
            return UNKNOWN
        except Exception:
            return RAISING_IMAGE
        try:
            number = self._known(after)
        except Exception:
            return UNKNOWN
        if number is not None:
            return number
        depth = self._depths[value] + 1
        supposed = len(self.values) - len(self.of_numbers)
        if depth > MOST_OPERATIONS or supposed >= MOST_SUPPOSED:
            return UNKNOWN
        return self._new(after, depth)

    def _known(self, value: Any) -> int | None:
        """The number of a value; None if there is none alike."""
        number = self._numbers.get(value)
        if number is None or not are_exactly_equal(self.values[number], value):
            return None
        return number

    def _new(self, value: Any, depth: int) -> int:
        """Give a value a number."""
        self._numbers[value] = len(self.values)
        self.values.append(value)
        self._depths.append(depth)
        return len(self.values) - 1


def _answer(question: Lookup, value: Any) -> Any:
    try:
        return evaluate_call(value, question.calls[0])
    except NOT_OF_THE_MODEL:
        return NO_ANSWER
    except Exception:
        return Unanswered.RAISED
