"""What a function says of many states at once: asked once for all that look alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from replicheck.explorer.engines.trace_validation.step_events import columns_of
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.proxies.read_notes import noting, noting_class

T = TypeVar("T")
MOST = 1 << 62
Numbers = npt.NDArray[np.int64]
Rows = npt.NDArray[Any]


class Readings(Generic[T]):
    """Answers of a function of states, each with a number."""

    def __init__(self, learned: LearnedModel, function: Callable[[Any], T]) -> None:
        self._learned, self._function = learned, function
        self._class = noting_class(learned.layout)
        self._read: set[str] = set()
        self._columns: tuple[int, ...] = ()
        self._known: dict[tuple[int, ...], int] = {}
        self.answers: list[T] = []

    def of(self, rows: Rows) -> Numbers:
        """The number of the answer of each row."""
        while True:
            part = rows[:, list(self._columns)]
            first, places = alike(part)
            keys = [tuple(key) for key in part[first].tolist()]
            numbers = [
                self._number(key, rows[place])
                for key, place in zip(keys, first.tolist(), strict=True)
            ]
            if part.shape[1] == len(self._columns):
                return np.array(numbers, np.int64)[places]

    def _number(self, key: tuple[int, ...], row: npt.NDArray[Any]) -> int:
        """The number of an answer; a new one may have read more columns."""
        found = self._known.get(key)
        if found is not None:
            return found
        read = set(self._read)
        state = noting(self._class, self._learned.state(row.tolist()), read)
        self.answers.append(self._function(state))
        if read != self._read:
            self._read, self._known = read, {}
            self._columns = columns_of(self._learned.layout, read)
            key = tuple(row[list(self._columns)].tolist())
        self._known[key] = len(self.answers) - 1
        return self._known[key]


def alike(part: Rows) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """First row of each kind of equal rows, and the kind of each row."""
    key, top = np.zeros(len(part), np.int64), 1
    for values in part.T:
        size = int(values.max(initial=0)) + 1
        if top * size > MOST:
            key = np.unique(key, return_inverse=True)[1].reshape(-1)
            top = int(key.max(initial=0)) + 1
        key, top = key * size + values, top * size
    _, first, kinds = np.unique(key, return_index=True, return_inverse=True)
    return first, kinds.reshape(-1)


def by_number(numbers: Numbers) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
    """Yield each number with the rows that have it."""
    order = np.argsort(numbers, kind="stable")
    found, begins = np.unique(numbers[order], return_index=True)
    yield from zip(found.tolist(), np.split(order, begins)[1:], strict=True)
