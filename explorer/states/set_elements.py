"""Elements of sets: a set is split where each element has a column of its own.

A set of all messages that were ever sent has nearly as many values as a model has
states, and few elements. So the cell of such a set becomes some columns: each tells of
one element whether it is there. What the elements are shows only as a search goes on,
and columns are kept free for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from attrs import field, frozen

from replicheck.explorer.states.exact_equality import are_exactly_equal, unlike_values
from replicheck.explorer.states.layout import Cell, Layout, SplitOtherwise
from replicheck.explorer.states.value_parts import SetClass, set_class_of

Single = tuple[Any, ...]
"""What the column of an element says: a tuple of it alone if it is there, else ()."""
ABSENT: Single = ()
NOTHING = frozenset[Any]()
"""What the first column of a set says: what the empty set adds to a fingerprint."""
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

    def __init__(self, cell: Cell, first: int, room: int, set_class: SetClass) -> None:
        self.cell, self.set_class = cell, set_class
        self.first, self.room = first, room
        """The first column, and how many elements can have one."""
        self.known: list[Any] = []
        self.singles: list[Single] = []
        """What the column of each element says where it is there."""
        self.shown = 0
        """So many elements may be in states of the level at work."""
        self.whole_reads = 0
        """How often a function read all columns."""
        self._places: dict[Any, int] = {}
        self._chosen: dict[Question, list[tuple[int, Choice]]] = {}
        self._relying: dict[Question, set[int]] = {}

    def __len__(self) -> int:
        """The number of elements."""
        return len(self.known)

    @property
    def columns(self) -> range:
        """The columns of the elements, behind one that says nothing."""
        return range(self.first + 1, self.first + 1 + self.room)

    def place(self, item: Any) -> int | None:
        """The place of an element that may be in a state of the level at work."""
        place = self._places.get(item, len(self.known))
        return place if place < self.shown else None

    def add(self, item: Any) -> int:
        """The place of an element, a new one if it is new.

        Raises:
            SplitOtherwise: if no column is free.
            ModelError: if it equals another element without being the same.
        """
        place = self._places.setdefault(item, len(self.known))
        if place == len(self.known):
            if place == self.room:
                room = GROWTH * self.room
                raise SplitOtherwise({self.cell.field: room if room <= MOST else 1})
            self.known.append(item)
            self.singles.append((item,))
        elif not are_exactly_equal(self.known[place], item):
            raise unlike_values(str(self.cell), self.known[place], item)
        return place

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
        stale = [
            call
            for call in self._relying
            if any(self._is_about(call, element, ask) for element in new)
        ]
        return {number for call in stale for number in self._relying.pop(call)}

    def columns_of(self, value: Any) -> list[Any]:
        """What each column says of a value.

        Raises:
            ModelError: if it is of another class than the cell's.
            SplitOtherwise: if it has too many elements.
        """
        found: list[Any] = [NOTHING, *[ABSENT] * self.room]
        for item in self.set_class.items(str(self.cell), value):
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


@frozen(slots=False)
class SplitLayout(Layout):
    """The layout of states of which some cells are split.

    A column of an element has the cell of its set.
    """

    base: Layout = field(kw_only=True)
    """The layout with one column for each cell."""
    sets: dict[int, Elements] = field(kw_only=True, eq=False)
    """The elements by the first of their columns."""

    @classmethod
    def split(cls, base: Layout, state: Any, rooms: Mapping[str, int]) -> SplitLayout:
        """Split the sets of some fields.

        Args:
            base: the layout of all states.
            state: any of them.
            rooms: for each field the number of columns of a set.
        """
        cells: list[Cell] = []
        sets: dict[int, Elements] = {}
        for cell, value in zip(base.cells, base.values(state), strict=True):
            room = rooms.get(cell.field, 1)
            if room > 1:
                of = set_class_of(value)
                assert of is not None, "its values can be split"
                sets[len(cells)] = Elements(cell, len(cells), room, of)
            cells += [cell] * (room + 1 if room > 1 else 1)
        return cls(
            base.state_class,
            tuple(cells),
            base.constants,
            base.shapes,
            base=base,
            sets=sets,
        )

    @cached_property
    def columns(self) -> dict[Cell, int]:
        """The position of each cell: the first of its columns."""
        return {
            cell: len(self.cells) - 1 - place
            for place, cell in enumerate(reversed(self.cells))
        }

    @property
    def places(self) -> list[int]:
        """The place of each column's cell among all cells."""
        return [self.base.columns[cell] for cell in self.cells]

    @property
    def families(self) -> tuple[str, ...]:
        """The name of each column's family: an element is alone in one."""
        names = [cell.field for cell in self.cells]
        for first, elements in self.sets.items():
            names[first] = f"{elements.cell}[]"
            for place, column in enumerate(elements.columns):
                names[column] = f"{elements.cell}[{place}]"
        return tuple(names)

    def values(self, state: Any) -> tuple[Any, ...]:
        """The values of all columns of a state; raises as without split cells."""
        found: list[Any] = []
        for value in self.base.values(state):
            elements = self.sets.get(len(found))
            if elements is None:
                found.append(value)
            else:
                found += elements.columns_of(value)
        return tuple(found)

    def build(self, like: Any, values: tuple[Any, ...]) -> Any:
        """The state with these columns and the constants of ``like``."""
        return self.base.build(like, tuple(self._joined(values)))

    @property
    def rooms(self) -> dict[str, int]:
        """The fields of split sets, with the columns of one."""
        return {of.cell.field: of.room for of in self.sets.values()}

    @property
    def elements(self) -> dict[str, int]:
        """The fields of split sets, with how many elements one had at most."""
        found: dict[str, int] = {}
        for of in self.sets.values():
            found[of.cell.field] = max(len(of), found.get(of.cell.field, 0))
        return found

    def show_elements(self, ask: Ask) -> set[int]:
        """Show all elements; return the instances that may do something else now."""
        found: set[int] = set()
        return found.union(*(elements.show(ask) for elements in self.sets.values()))

    def adopt(self, values: Mapping[str, Iterable[Any]]) -> None:
        """Have the elements of another process, by the values of its families."""
        families = self.families
        for elements in self.sets.values():
            elements.adopt(values[families[column]] for column in elements.columns)

    def _joined(self, values: tuple[Any, ...]) -> Iterator[Any]:
        column = 0
        while column < len(values):
            elements = self.sets.get(column)
            if elements is None:
                yield values[column]
                column += 1
            else:
                of_elements = elements.columns
                yield elements.value_of(values[of_elements.start : of_elements.stop])
                column = of_elements.stop
