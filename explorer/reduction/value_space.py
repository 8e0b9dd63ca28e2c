"""Value spaces: the values of a family of cells, and those that they could turn into.

The dictionaries have the values that were reached. A reduction also has to know what
operations do to values that need not be reached: such a value gets a number of its own
here, and none in the dictionary. The number of a value never changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import UNKNOWN, Numbers
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    AT_END,
    AT_HEAD,
    COMMUTING,
    RAISING_IMAGE,
)
from replicheck.explorer.proxies.calls import WHOLE, apply_calls, evaluate_call
from replicheck.explorer.proxies.operation_laws import (
    NOT_OF_THE_MODEL,
    OperationLaws,
    is_own,
    operations_in_orders,
    question_in_orders,
)
from replicheck.explorer.states.exact_equality import are_exactly_equal, unlike_values
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.evaluator import Unanswered
from replicheck.explorer.tables.lookups import Lookup

MOST_SUPPOSED = 256
"""So many values at most are known without having been reached."""
MOST_OPERATIONS = 8
"""By so many operations at most one of them comes from a value that was reached.

Each may square a number, or double a text.
"""
MOST_COMPARED = 100_000
"""So often at most two operations are done to a reached value in both orders."""
NO_ANSWER = object()
"""The answer of a value that is too large to be asked, which no other one has."""

Pair = tuple[Lookup, Lookup]
"""Two operations, or an operation and a question."""


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
        self._compared: dict[Pair, int] = {}
        """Of so many reached values two operations were done in both orders."""
        self._comparisons = 0
        asked = [(("is_empty", ()),)] if self.laws.are_known else []
        self._is_empty = [
            Lookup(dictionary, call, is_operation=False) for call in asked
        ]
        """What no operation at the end makes true, of a class of queues."""

    def __len__(self) -> int:
        return len(self.values)

    def update(self, operations: Sequence[Lookup], questions: Sequence[Lookup]) -> None:
        """Take in what the dictionary has, and what operations make of that.

        Raises:
            ModelError: if a value shows that its class promises what is not so.
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
        self._require_promises(operations, questions)

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

    def _require_promises(
        self, operations: Sequence[Lookup], questions: Sequence[Lookup]
    ) -> None:
        """Refuse a promise of the class that a value shows to be false.

        Raises:
            ModelError: naming the class, the operations and the value.
        """
        laws, kind = self.laws, type(self.values[0])
        by_law = {
            law: [o for o in operations if laws.law_of(o.calls) == law]
            for law in (COMMUTING, AT_END, AT_HEAD)
        }
        commuting = list(combinations_with_replacement(by_law[COMMUTING], 2))
        for pair in commuting:
            for number in self._dependent_values(*pair):
                self._require_independent(*pair, self.values[number])
        asked = [q for q in questions if laws.is_of_head(q.calls[0])]
        at_head = [*by_law[AT_HEAD], *asked, *self._is_empty]
        ends = list(product(by_law[AT_END], at_head))
        if is_own(kind, "COMMUTING"):
            self._compare(commuting)
        if is_own(kind, "AT_END", "AT_HEAD"):
            self._compare(ends)

    def _dependent_values(self, left: Lookup, right: Lookup) -> list[int]:
        """Values for which the order matters, or of one of which the other raises."""
        first, second = self.images(left), self.images(right)
        ends, others = _images_after(first, second), _images_after(second, first)
        differ = (ends >= 0) & (others >= 0) & (ends != others)
        raises = _raises_once(second, ends) | _raises_once(first, others)
        return np.flatnonzero(differ | raises).tolist()

    def _compare(self, pairs: Sequence[Pair]) -> None:
        """Do pairs of operations in both orders to reached values, each once."""
        done = {pair: self._compared.get(pair, 0) for pair in pairs}
        count = len(self.of_numbers)
        for number in range(min(done.values(), default=count), count):
            value = self.values[self.of_numbers[number]]
            for pair in [pair for pair in pairs if done[pair] <= number]:
                if self._comparisons == MOST_COMPARED:
                    return
                self._comparisons += 1
                self._require_independent(*pair, value)
        self._compared.update(dict.fromkeys(pairs, count))

    def _require_independent(self, left: Lookup, right: Lookup, value: Any) -> None:
        """Refuse two operations, or one and a question, that depend on one another.

        Raises:
            ModelError: naming the class, the two and the value.
        """
        if self.laws.law_of(left.calls) == AT_END and not self.laws.has_head(value):
            return
        orders = operations_in_orders if right.is_operation else question_in_orders
        try:
            promised = orders(value, left.calls, right.calls)
            differing = [
                pair
                for pair in promised
                if not (pair[0] == pair[1] and are_exactly_equal(*pair))
            ]
        except NOT_OF_THE_MODEL:
            return
        if not differing:
            return
        if right.is_operation and differing[0][0] == differing[0][1]:
            raise unlike_values(self.dictionary.name, *differing[0])
        raise self.laws.false_promise(value, left.calls, right.calls)

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


def _images_after(first: Numbers, second: Numbers) -> Numbers:
    """What a second operation makes of what a first one makes of each value."""
    return np.where(first >= 0, second[np.maximum(first, 0)], UNKNOWN)


def _raises_once(images: Numbers, after: Numbers) -> npt.NDArray[np.bool_]:
    """Where an operation raises only by itself, or only after another one."""
    raising = (images == RAISING_IMAGE) != (after == RAISING_IMAGE)
    found: npt.NDArray[np.bool_] = raising & (images != UNKNOWN) & (after != UNKNOWN)
    return found


def _answer(question: Lookup, value: Any) -> Any:
    try:
        return evaluate_call(value, question.calls[0])
    except NOT_OF_THE_MODEL:
        return NO_ANSWER
    except Exception:
        return Unanswered.RAISED
