"""Element numbering: which element of a split set has which place, in every process.

A process gives an element that it meets the next place. It keeps that place if all
agree on it once the level is complete; otherwise what it learned to write there is
forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from replicheck.explorer.states.set_elements import Elements

NewElements = tuple[tuple[Any, ...], ...]
"""For each split set, in the order of the columns, elements in that of their places."""


class ElementNumbering:
    """The elements of split sets on whose places all processes agree."""

    def __init__(self, sets: Sequence[Elements]) -> None:
        self._sets = sets
        self._counts = [elements.shown for elements in sets]
        """How many elements of each set have agreed places."""

    @property
    def unnumbered(self) -> NewElements:
        """The elements without agreed places."""
        return tuple(
            tuple(elements.known[count:])
            for elements, count in zip(self._sets, self._counts, strict=True)
        )

    def meet(self, new: NewElements) -> None:
        """Have elements, without agreed places for new ones.

        Raises:
            EncodedOtherwise: if no column is free.
        """
        for elements, of_set in zip(self._sets, new, strict=True):
            for item in of_set:
                elements.add(item)

    def add(self, new: NewElements) -> set[int]:
        """Give elements the next places.

        Returns:
            The columns of elements that had one of these places in this process.

        Raises:
            EncodedOtherwise: if no column is free.
        """
        dropped: set[int] = set()
        for number, of_set in enumerate(new):
            elements, count = self._sets[number], self._counts[number]
            alike = _alike(elements.known[count:], of_set)
            dropped.update(elements.drop(count + alike))
            for item in of_set[alike:]:
                elements.add(item)
            self._counts[number] = count + len(of_set)
        return dropped


def agreed(reports: Sequence[NewElements]) -> NewElements:
    """The elements of all reports, each once.

    The order is that of the report with most of them, and then that of the others.
    """
    longest = sorted(reports, key=lambda report: -sum(map(len, report)))
    return tuple(
        tuple(dict.fromkeys(item for of_report in of_set for item in of_report))
        for of_set in zip(*longest, strict=True)
    )


def begins_with(whole: NewElements, report: NewElements) -> bool:
    """Tell whether the elements of a report have the agreed places."""
    pairs = zip(whole, report, strict=True)
    return all(of_set[: len(found)] == found for of_set, found in pairs)


def _alike(known: Sequence[Any], new: Sequence[Any]) -> int:
    """How many elements two sequences begin with alike."""
    pairs = zip(known, new, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
