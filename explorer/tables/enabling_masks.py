"""Enabling masks: which values of a single cell disable which instances.

Few of the values of a cell differ in what they disable. So each column has **classes**
of values that disable the same instances, and masks are of classes: the values of a
queue may be many, their classes are few.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.native.kernels.arrays import DISABLED, Guards, U64Array
from replicheck.explorer.tables.decision_trees import DecisionTrees
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.lookups import Lookup

CLOSED_ANSWERS = 2
"""Answers of a closed question: false and true, in some order."""
NOTHING_KNOWN = 0
"""The class of values of which nothing is known: they disable nothing."""
MOST_CLASSES = (1 << 16) - 1
WORTH_CLASSIFYING = 64
"""So many new values of a column are given a class together."""

Codes = npt.NDArray[np.int64]


@frozen
class DisablingQuestion:
    """What the answers to a question tell of the class of a value.

    ``codes`` are by answer, the last one for all others, and ``refined[c * k + code]``
    is the class of values of class ``c`` so far, where there are ``k`` codes.
    """

    lookup: Lookup
    codes: Codes
    refined: Codes


class ColumnClasses:
    """The classes of one column's values, by the questions that disable instances.

    ``disabled[c, i]`` is the bit set of the instances that class ``c`` disables in the
    word ``words[i]``.
    """

    def __init__(self, dictionary: Dictionary, width: int) -> None:
        self.classified = len(dictionary)
        """So many values have a class."""
        self.disabled: U64Array = np.zeros((2, width), np.uint64)
        self._dictionary = dictionary
        self._questions: list[DisablingQuestion] = []
        self.found: Codes = np.ones(self.classified, np.int64)
        """The class of each value, until it is taken."""

    def refine(self, lookup: Lookup, disabled: U64Array) -> None:
        """Tell values apart by a question.

        Args:
            disabled: by answer the instances that it disables.
        """
        numbers: dict[bytes, int] = {}
        codes = np.array(
            [numbers.setdefault(line.tobytes(), len(numbers)) for line in disabled]
        )
        kinds = np.zeros((len(numbers), disabled.shape[1]), np.uint64)
        kinds[codes] = disabled
        question = DisablingQuestion(lookup, codes, np.zeros(0, np.int64))
        pairs = self._pairs(question, self.found, 0, self.classified, len(kinds))
        counts = np.bincount(pairs, minlength=len(self.disabled) * len(kinds))
        seen = np.flatnonzero(counts)
        if len(seen) > MOST_CLASSES:
            return
        refined = np.zeros(len(counts), np.int64)
        refined[seen] = np.arange(1, len(seen) + 1)
        self._questions.append(DisablingQuestion(lookup, question.codes, refined))
        self.found = refined[pairs]
        of_seen = self.disabled[seen // len(kinds)] | kinds[seen % len(kinds)]
        self.disabled = np.concatenate([self.disabled[:1], of_seen])

    def of_new(self) -> Codes:
        """The classes of the values that have none yet, from `classified` on."""
        low, high = self.classified, len(self._dictionary)
        found = np.ones(high - low, np.int64)
        for question in self._questions:
            kinds = int(question.codes.max()) + 1
            found = question.refined[self._pairs(question, found, low, high, kinds)]
        self.classified = high
        return found

    @staticmethod
    def _pairs(
        question: DisablingQuestion, found: Codes, low: int, high: int, kinds: int
    ) -> Codes:
        question.lookup.fit()
        # An unknown answer, being negative, becomes one of the others.
        answers = question.lookup.known[low:high].view(np.uint32)
        codes = question.codes[np.minimum(answers, len(question.codes) - 1)]
        pairs: Codes = found * kinds + codes
        return pairs


class EnablingMasks:
    """The classes and masks of all columns, as the trees were when they were made.

    Masks that are out of date are sound: they let the trees be walked in vain.
    """

    def __init__(self, dictionaries: Sequence[Dictionary], width: int) -> None:
        self._dictionaries, self._width = dictionaries, width
        self._columns: dict[int, ColumnClasses] = {}
        self.lay_out(np.zeros(len(dictionaries) + 1, np.int64))

    def lay_out(self, first: npt.NDArray[np.int64]) -> None:
        """Forget all; ``first`` is where the values of each column begin."""
        self._first = first
        self._columns = {}
        self.guards = Guards(
            columns=np.zeros((0, 4), np.int64),
            words=np.zeros((0, 2), np.int64),
            classes=np.zeros(int(first[-1]), np.uint16),
            masks=np.zeros(0, np.uint64),
        )

    @property
    def size(self) -> int:
        """The bytes that the arrays take."""
        return sum(array.nbytes for array in self.guards)

    def renew(self, trees: DecisionTrees) -> None:
        """Work out classes and masks anew."""
        self.lay_out(self._first)
        columns: list[tuple[int, int, int, int]] = []
        words: list[tuple[int, int]] = []
        masks: list[U64Array] = []
        size = 0
        for column, questions in sorted(self._questions(trees).items()):
            classes = ColumnClasses(self._dictionaries[column], self._width)
            for lookup, disabled in questions.items():
                classes.refine(lookup, disabled)
            begin, count = len(words), len(classes.disabled)
            for word in np.flatnonzero(classes.disabled.any(axis=0)).tolist():
                words.append((word, size))
                masks.append(~classes.disabled[:, word])
                size += count
            if len(words) == begin:
                continue
            start = int(self._first[column])
            columns.append((column, start, begin, len(words)))
            self.guards.classes[start : start + len(classes.found)] = classes.found
            classes.found = np.zeros(0, np.int64)
            self._columns[column] = classes
        self.guards = self.guards._replace(
            columns=np.array(columns, np.int64).reshape(-1, 4),
            words=np.array(words, np.int64).reshape(-1, 2),
            masks=np.concatenate([np.zeros(0, np.uint64), *masks]),
        )

    def classify_new(self) -> None:
        """Give the values a class that have come since, by what is known of them."""
        for column, classes in self._columns.items():
            new = len(self._dictionaries[column]) - classes.classified
            if new < WORTH_CLASSIFYING:
                continue
            start = int(self._first[column])
            low = start + classes.classified
            found = classes.of_new()
            self.guards.classes[low : low + len(found)] = found

    def _questions(self, trees: DecisionTrees) -> dict[int, dict[Lookup, U64Array]]:
        """By column and question, the instances that each answer alone disables.

        The last answer stands for all that are not known.
        """
        found: dict[int, dict[Lookup, U64Array]] = {}
        for instance, root in enumerate(trees.roots.tolist()):
            word, bit = instance >> 6, np.uint64(1 << (instance & 63))
            for query, answers in _disabling(trees, root).items():
                if not answers:
                    continue
                column, lookup = trees.queries[query]
                questions = found.setdefault(column, {})
                lines = max(answers) + 2
                disabled = questions.get(lookup, np.zeros((0, self._width), np.uint64))
                if len(disabled) < lines:
                    wider = np.zeros((lines, self._width), np.uint64)
                    wider[: len(disabled)] = disabled
                    disabled = questions[lookup] = wider
                disabled[list(answers), word] |= bit
        return found


def _disabling(trees: DecisionTrees, at: int) -> dict[int, set[int]]:
    """The answers, by query, that alone disable the instance from a node on.

    What the children agree on counts if every answer that the node can get has a
    child: a closed question. Of an open question its own answers count alone.
    """
    if at <= 0:
        return {}
    _, query, children = trees.node(at)
    found = {query: set(np.flatnonzero(children == DISABLED).tolist())}
    if not trees.queries[query][1].is_closed or len(children) < CLOSED_ANSWERS:
        return found
    others = [int(child) for child in children[:CLOSED_ANSWERS] if child != DISABLED]
    if len(others) != 1 or others[0] <= 0:
        return found
    for other, answers in _disabling(trees, others[0]).items():
        found.setdefault(other, set()).update(answers)
    return found
