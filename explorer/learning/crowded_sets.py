"""Crowded sets: cells with a set that has many values, made of few elements.

Such a set is split, and the search begins anew, if all that the model asks of it and
makes of it concerns single elements. Where a function reads all of a set, that would
cost more than it spares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import evolve

from replicheck.explorer.proxies.calls import (
    UNCHANGED_BY,
    WHOLE,
    Call,
    apply_calls,
    evaluate_call,
)
from replicheck.explorer.proxies.loops.loop_filter import FOR_EVERY_ITEM
from replicheck.explorer.proxies.split.split_set import SplitSet, SplitValue, of_class
from replicheck.explorer.states.encoding import CellEncoding, EncodedOtherwise, Encoding
from replicheck.explorer.states.layout import Cell
from replicheck.explorer.states.set_elements import ABSENT, GROWTH, MOST, Elements
from replicheck.explorer.states.value_parts import SetSize, set_class_of
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.lookups import Lookup

if TYPE_CHECKING:
    from replicheck.explorer.learning.learner import Learner

WHOLE_READS = 4
"""A set that is split is one value again if it was read as a whole so many times as
often as it would have values to be split."""
LOOPED = 4
"""A set has so many times as many values before it is split if an action does something
with each item."""
ASKED = 4
"""A set has so many times as many values before it is split if a question by items
gives something of half of its elements: then their columns are read."""
SPARE = 32
"""A set that is split has columns for its elements, so many more, and then twice."""
TRIED = 8
"""So many values are asked what the model asks of a set, to see what that reads."""


class CrowdedSets:
    """Looks now and then which sets are to be split, and which not any more."""

    def __init__(self, learner: Learner, crowded: int) -> None:
        """Look at each set once it has so many values, unless it has an encoding."""
        self._learner, self._crowded = learner, crowded
        self._unseen = {
            dictionary.name: dictionary
            for dictionary in learner.dictionaries
            if dictionary.name not in learner.encoding.cells
        }
        self._sizes: dict[str, int] = {}
        """How many values each set had that was looked at."""

    def look(self) -> None:
        """Look at sets that have become crowded, and at those that are split.

        Raises:
            EncodedOtherwise: if some are to have other columns.
        """
        cells = dict(self._read_whole())
        for name, dictionary in list(self._unseen.items()):
            size = len(dictionary)
            if size < self._crowded or size == self._sizes.get(name):
                continue
            self._sizes[name] = size
            lookups, elements = self._lookups(dictionary), _elements(dictionary)
            if elements is None:
                del self._unseen[name]
            elif len(dictionary) >= self._values_before(lookups, elements):
                del self._unseen[name]
                encoding = _encoding(dictionary, lookups, elements)
                if encoding is not None:
                    cells[name] = encoding
        if cells:
            raise EncodedOtherwise(Encoding(cells))

    def _read_whole(self) -> Iterator[tuple[str, CellEncoding]]:
        """Yield the fields of split sets that functions read as a whole, and often.

        Perhaps that is no more so once their elements are counted.
        """
        split = self._learner.split
        for elements in () if split is None else split.sets.values():
            if elements.whole_reads > WHOLE_READS * self._crowded:
                counted = evolve(elements.encoding, is_counted=True)
                is_counted = elements.encoding.is_counted
                yield elements.cell.field, CellEncoding(1) if is_counted else counted

    def _values_before(self, lookups: Iterable[Lookup], elements: Elements) -> int:
        """The values that a set has before it is split."""
        if any(map(_is_for_every, lookups)):
            return LOOPED * self._crowded
        if any(_gives_half(asked, elements) for asked in lookups):
            return ASKED * self._crowded
        return self._crowded

    def _lookups(self, dictionary: Dictionary) -> list[Lookup]:
        """What the model asks of a set, and makes of it."""
        tables = self._learner.tables
        lookups = {lookup for _, lookup in tables.queries}.union(tables.operations)
        return [lookup for lookup in lookups if lookup.dictionary is dictionary]


def _is_for_every(lookup: Lookup) -> bool:
    return lookup.calls == (FOR_EVERY_ITEM,)


def _gives_half(lookup: Lookup, elements: Elements) -> bool:
    """Tell whether a question by items gives something of half of the elements."""
    call = lookup.calls[0]
    if lookup.is_operation or not elements.set_class.is_by_item(call[0]):
        return False
    return 2 * len(elements.chosen(call, evaluate_call)) >= len(elements)


def _encoding(
    dictionary: Dictionary, lookups: Sequence[Lookup], elements: Elements
) -> CellEncoding | None:
    """The columns that a set is to have; None if it is not to be split."""
    columns = GROWTH * (len(elements) + SPARE)
    for elements.encoding in (CellEncoding(MOST), CellEncoding(MOST, is_counted=True)):
        can_be = _are_by_element(lookups, elements, dictionary.values[-TRIED:])
        if can_be and columns <= MOST:
            parts = max(1, len(elements))
            return evolve(elements.encoding, columns=columns, parts=parts)
    return None


def _elements(dictionary: Dictionary) -> Elements | None:
    """The elements of all values of a dictionary; None if these cannot be split."""
    of = set_class_of(dictionary.values[0])
    if of is None:
        return None
    values = [of.items(dictionary.name, value) for value in dictionary.values]
    items = frozenset[Any]().union(*values)
    if len(items) > MOST:
        return None
    elements = Elements(Cell(dictionary.name), 0, CellEncoding(MOST), of)
    elements.columns_of(of.value(items))
    elements.show(evaluate_call)
    return elements


def _are_by_element(
    lookups: Iterable[Lookup], elements: Elements, values: Iterable[Any]
) -> bool:
    """Tell whether what is asked and made of some values concerns single elements."""
    try:
        for value in values:
            items = elements.set_class.items(str(elements.cell), value)
            proxy = of_class(SplitSet(_ItemReader(elements, items), elements, {}))
            for lookup in lookups:
                _try(proxy, lookup)
    except (Exception, _ReadsAll):
        return False
    return True


def _try(proxy: SplitSet | SplitValue, lookup: Lookup) -> None:
    """Ask a proxy, or have it changed.

    Whether a change makes a difference is not asked: columns that are written tell.

    Raises:
        _ReadsAll: if that reads all of the set.
    """
    if lookup.is_operation:
        if type(apply_calls(proxy, lookup.calls)) is not type(proxy):
            raise _ReadsAll
        return
    (call,) = lookup.calls
    if call == WHOLE:
        raise _ReadsAll
    if call[0] != UNCHANGED_BY:
        evaluate_call(proxy, call)


class _ReadsAll(BaseException):
    """A question or an operation reads all of a set."""


class _ItemReader:
    """Answers whether elements are among some items."""

    def __init__(self, elements: Elements, items: frozenset[Any]) -> None:
        self._elements, self._items = elements, items

    def read(self, column: int, call: Call) -> Any:
        """Read the column of an element, or the first."""
        if column == self._elements.first:
            return evaluate_call(SetSize(len(self._items)), call)
        place = self._elements.columns.index(column)
        is_there = self._elements.known[place] in self._items
        return self._elements.singles[place] if is_there else ABSENT

    def rely(self, elements: Elements, call: Call) -> None:
        """Refuse a call for which all elements are read."""
        if call == WHOLE:
            raise _ReadsAll
