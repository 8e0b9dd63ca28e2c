"""The values of a tree of sequences, as a sequence of Python's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, overload

from replicheck.explorer.tables.sequences.sequence_tree import SequenceTree

KEPT = 1 << 10
"""So many values are kept once they are made."""


class SequenceValues(Sequence[Any]):
    """The values of a tree by their numbers, made when they are asked for."""

    def __init__(self, tree: SequenceTree) -> None:
        self._tree = tree
        self._value = lru_cache(KEPT)(tree.value)

    def __len__(self) -> int:
        return len(self._tree)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        numbers = range(len(self))[index]
        if isinstance(numbers, int):
            return self._value(numbers)
        return [self._tree.value(number) for number in numbers]

    def __iter__(self) -> Iterator[Any]:
        return (self._tree.value(number) for number in range(len(self)))
