"""The layout of states with split sets: a column for each element."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any

from attrs import field, frozen

from replicheck.explorer.states.encoding import CellEncoding, Encoding
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.explorer.states.set_elements import Ask, Elements
from replicheck.explorer.states.value_parts import SetClass, set_class_of


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
    def split(cls, base: Layout, state: Any, encoding: Encoding) -> SplitLayout:
        """Split the sets of some fields.

        Args:
            base: the layout of all states.
            state: any of them.
            encoding: that of the search.
        """
        cells: list[Cell] = []
        sets: dict[int, Elements] = {}
        for cell, value in zip(base.cells, base.values(state), strict=True):
            of_cell = encoding.cells.get(cell.field)
            if of_cell is not None and of_cell.is_split:
                of = set_class_of(value)
                assert of is not None, "its values can be split"
                elements = sets[len(cells)] = Elements(cell, len(cells), of_cell, of)
                elements.require = partial(base.require_cell, cell.field)
                cells += [cell] * of_cell.columns
            cells.append(cell)
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

    @property
    def plain(self) -> Layout:
        """The layout with one column for each cell."""
        return self.base

    @property
    def set_classes(self) -> list[SetClass | None]:
        """For each column the class of the split set of which it says something."""
        found = super().set_classes
        for elements in self.sets.values():
            for column in elements.all_columns:
                found[column] = elements.set_class
        return found

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
    def set_encodings(self) -> dict[str, CellEncoding]:
        """The fields of split sets, with the columns of one."""
        return {of.cell.field: of.encoding for of in self.sets.values()}

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
