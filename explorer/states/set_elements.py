"""Elements of sets: a set is split where each element has a column of its own.

A set of all messages that were ever sent has nearly as many values as a model has
states, and few elements. So the cell of such a set becomes some columns: each tells of
one element whether it is there. What the elements are shows only as a search goes on,
and columns are kept free for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from attrs import evolve

from replicheck.explorer.states.encoding import CellEncoding, EncodedOtherwise, Encoding
from replicheck.explorer.states.exact_equality import (
    are_comparable,
    are_exactly_equal,
    order_of,
    unlike_values,
)
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.states.layout import Cell, allow
from replicheck.explorer.states.value_parts import SetClass, SetSize, compares_items

Single = tuple[Any, ...]
"""What the column of an element says: a tuple of it alone if it is there, else ()."""
ABSENT: Single = ()
NOTHING = frozenset[Any]()
"""What the first column of a set says whose elements are not counted."""
MOST = 1 << 10
"""Columns of a set at most."""
GROWTH = 2
FEW = 32
"""To read so few elements is not much, though it be all."""
Question = tuple[str, tuple[Any, ...]]
Ask = Callable[[Any, Question], Any]
Choice = frozenset[Any] | Exception


class Elements:
    """The elements that the set in a cell has had so far, each with a column.

    Those that came while a level was expanded are in no state of it. A function that is
    learned there does not read their columns, and so assumes that there are none.
    """

    def __init__(
        self, cell: Cell, first: int, encoding: CellEncoding, set_class: SetClass
    ) -> None:
        self.cell, self.set_class = cell, set_class
        self.first, self.encoding = first, encoding
        """The first column, which is of no element, and the others."""
        self.known: list[Any] = []
        self.singles: list[Single] = []
        """What the column of each element says where it is there."""
        self.shown = 0
        """So many elements may be in states of the level at work."""
        self._are_compared = False
        self.whole_reads = 0
        """How often a function read all columns."""
        self._places: dict[Any, int] = {}
        self.require: Callable[[Any], None] = allow
        """What refuses a set with an item that must not be there."""
        self._chosen: dict[Question, list[tuple[int, Choice]]] = {}
        self._relying: dict[Question, set[int]] = {}

    def __len__(self) -> int:
        """The number of elements."""
        return len(self.known)

    @property
    def columns(self) -> range:
        """The columns of the elements, behind the first."""
        return range(self.first + 1, self.first + 1 + self.encoding.columns)

    @property
    def all_columns(self) -> range:
        """The first column and those of the elements."""
        return range(self.first, self.columns.stop)

    def place(self, item: Any) -> int | None:
        """The place of an element that may be in a state of the level at work."""
        place = self._places.get(item, len(self.known))
        return place if place < self.shown else None

    def add(self, item: Any) -> int:
        """The place of an element, a new one if it is new.

        Raises:
            EncodedOtherwise: if no column is free, or it cannot be compared.
            ModelError: if it equals another element without being the same.
        """
        place = self._places.setdefault(item, len(self.known))
        if place == len(self.known):
            if place == self.encoding.columns:
                columns = GROWTH * self.encoding.columns
                more = columns if columns <= MOST else 1
                self._encode_otherwise(evolve(self.encoding, columns=more))
            if self._are_compared:
                self._require_comparable(item)
            self.require(self.set_class.value((item,)))
            self.known.append(item)
            self.singles.append((item,))
        elif not are_exactly_equal(self.known[place], item):
            raise unlike_values(str(self.cell), self.known[place], item)
        return place

    def compare_all(self) -> None:
        """Have any two compared by parts of a function, each of which sees some alone.

        Raises:
            EncodedOtherwise: if two cannot be compared; the set stays one value then.
        """
        self._are_compared = True
        for item in self.known:
            self._require_comparable(item)

    def _require_comparable(self, item: Any) -> None:
        """Refuse an item that is unlike the first that can be compared.

        What has the place of an element that never was in a state is none.
        """
        orders = map(order_of, (*self.known, item))
        order = next((order for order in orders if order is not None), None)
        if order is None or order_of(item) != order:
            self._encode_otherwise(CellEncoding(1))

    def _encode_otherwise(self, encoding: CellEncoding) -> NoReturn:
        raise EncodedOtherwise(Encoding({self.cell.field: encoding}))

    def drop(self, count: int) -> range:
        """Forget all but so many elements, none of which is shown.

        Returns:
            The columns that they had.
        """
        dropped = self.columns[count : len(self.known)]
        for item in self.known[count:]:
            del self._places[item]
        del self.known[count:], self.singles[count:]
        return dropped

    def chosen(self, call: Question, ask: Ask) -> list[tuple[int, Choice]]:
        """What a question by items gives of each shown element, if anything.

        Args:
            ask: answers the call for a value.

        Returns:
            Pairs of a place and what is given of the element there.
        """
        found = self._chosen.get(call)
        if found is None:
            found = self._chosen[call] = [
                (place, choice)
                for place, element in enumerate(self.known[: self.shown])
                if (choice := self._choice(element, call, ask))
            ]
        return found

    def adopt(self, columns: Iterable[Iterable[Single]]) -> None:
        """Have the elements of another process, by the values of each column.

        An element that was never in a state has no value: something else that never
        is gets its place.
        """
        known = [next(filter(None, singles), None) for singles in columns]
        while known and known[-1] is None:
            known.pop()
        self.known = [object() if single is None else single[0] for single in known]
        self.singles = [(element,) for element in self.known]
        self._places = {element: place for place, element in enumerate(self.known)}

    def rely(self, instance: int, call: Question) -> None:
        """Note that what an instance does rests on the elements that are shown.

        Args:
            call: the question whose answer does; with no name it reads all columns.
        """
        self._relying.setdefault(call, set()).add(instance)
        self.whole_reads += not call[0]

    def count_chosen(self, count: int) -> None:
        """Note that a question by items read the columns of so many elements."""
        self.whole_reads += count == self.shown > FEW

    def show(self, ask: Ask) -> set[int]:
        """Show all elements; return the instances that may do something else now."""
        new = self.known[self.shown :]
        if not new:
            return set()
        self.shown, self._chosen = len(self.known), {}
        are_unlike = not are_comparable(self.known)
        stale = [
            call
            for call in self._relying
            if any(self._is_about(call, element, ask) for element in new)
            or (are_unlike and compares_items(call))
        ]
        return {number for call in stale for number in self._relying.pop(call)}

    def columns_of(self, value: Any) -> list[Any]:
        """What each column says of a value; new elements come in one order everywhere.

        Raises:
            ModelError: if it is of another class than the cell's.
            EncodedOtherwise: if it has too many elements.
        """
        items = self.set_class.items(str(self.cell), value)
        first = SetSize(len(items)) if self.encoding.is_counted else NOTHING
        found: list[Any] = [first, *[ABSENT] * self.encoding.columns]
        for item in sorted(items.difference(self._places), key=Hasher().value):
            self.add(item)
        for item in items:
            place = self.add(item)
            found[1 + place] = self.singles[place]
        return found

    def value_of(self, columns: Iterable[Single]) -> Any:
        """The value of which columns say this."""
        return self.set_class.value(item for single in columns for item in single)

    def _is_about(self, call: Question, element: Any, ask: Ask) -> bool:
        name, arguments = call
        if name == "__contains__":
            return bool(arguments[0] == element)
        return not self.set_class.is_by_item(name) or bool(
            self._choice(element, call, ask)
        )

    def _choice(self, element: Any, call: Question, ask: Ask) -> Choice:
        """What a question by items gives of an element, or what it raises."""
        try:
            choice: Choice = ask(self.set_class.value((element,)), call)
        except Exception as error:
            return error
        return choice
