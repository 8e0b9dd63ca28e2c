"""Proxies of states with split sets: a write of a set is one of few columns."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any, cast

from replicheck.explorer.proxies.calls import WHOLE, Call, evaluate_call
from replicheck.explorer.proxies.cell_proxy import Operation, Reader
from replicheck.explorer.proxies.proxy import unwrap, unwrap_deep
from replicheck.explorer.proxies.split.split_set import (
    ElementReader,
    SplitSet,
    SplitValue,
    of_class,
)
from replicheck.explorer.proxies.state_proxy import (
    StateProxy,
    state_proxy_class,
)
from replicheck.explorer.states.encoding import Encoding
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.explorer.states.set_elements import (
    ABSENT,
    Elements,
    Single,
)
from replicheck.explorer.states.split_layout import SplitLayout


class SplitStateProxy(StateProxy):
    """A proxy of a state of which some sets are split."""

    __slots__ = ()
    layout_: SplitLayout
    judges_steps_ = False
    """Whether a cell that a step leaves as it is has to be the same object after it."""

    def __init__(self, reader: Reader) -> None:
        super().__init__(reader)
        for first, elements in self.layout_.sets.items():
            made = SplitSet(cast(ElementReader, reader), elements, {})
            self.cells_[first] = cast(Any, of_class(made))

    @property
    def whole_(self) -> Any:
        """The plain state; reads all cells as a whole."""
        layout = self.layout_
        columns = (layout.columns[cell] for cell in layout.base.cells)
        values = tuple(unwrap(self.cell_(column)) for column in columns)
        return layout.base.build(self.like_, values)

    def cell_(self, column: int) -> Any:
        """The value written to a cell, else its proxy."""
        elements = self.layout_.sets.get(column)
        if elements is None:
            return super().cell_(column)
        before = self.cells_[column]
        changes = dict(self.changed_items_(elements))
        if not changes:
            return before
        reader = cast(ElementReader, self.reader_)
        return of_class(SplitSet(reader, elements, changes))

    def columns_at_(self, column: int) -> Sequence[int]:
        """The columns of the cell that begins at one."""
        elements = self.layout_.sets.get(column)
        return (column,) if elements is None else elements.all_columns

    def evolve(self, **cells: Any) -> StateProxy:
        """A proxy of the state with more cells written."""
        split = self.layout_.set_encodings
        plain = {name: value for name, value in cells.items() if name not in split}
        after = super().evolve(**plain)
        writes = dict(after.writes_)
        for name in [name for name in cells if name in split]:
            for index, value in self.changes_(name, cells[name]):
                column = self.columns_.get((name, index))
                if column is None:
                    from replicheck.explorer.states.unknown_cells import no_such_cell

                    raise no_such_cell(self.layout_, Cell(name, index))
                for old in self.columns_at_(column):
                    writes.pop(old, None)
                writes.update(self.writes_of_(self.layout_.sets[column], value))
        after.writes_ = writes
        return after

    def rely_(self, elements: Elements, call: Call) -> None:
        cast(ElementReader, self.reader_).rely(elements, call)

    def changed_items_(self, elements: Elements) -> Iterator[tuple[Any, bool]]:
        """Yield the items of a set that were put in or taken out."""
        for column in sorted(self.writes_):
            if column in elements.columns:
                is_there = self.writes_[column] != ABSENT
                if self.judges_steps_:
                    was_there = self.reader_.read(column, WHOLE) != ABSENT
                    if is_there == was_there:
                        continue
                yield elements.known[elements.columns.index(column)], is_there

    def writes_of_(
        self, elements: Elements, value: Any
    ) -> Iterator[tuple[int, Single | Operation]]:
        """Yield what is written to columns to make a value of a set."""
        changes = self.changes_of_(elements, value)
        if elements.encoding.is_counted:
            reader = cast(ElementReader, self.reader_)
            more = SplitSet(reader, elements, changes).more_
            if more:
                size = self.size_(elements)
                yield elements.first, size.plus(more)
        for item, is_there in changes.items():
            plain = unwrap_deep(item)
            if is_there:
                place = elements.add(plain)
                yield elements.columns[place], elements.singles[place]
            elif (known := elements.place(plain)) is not None:
                yield elements.columns[known], ABSENT
            else:
                self.rely_(elements, ("__contains__", (plain,)))

    def size_(self, elements: Elements) -> Any:
        """The proxy of the column that says how many elements are there."""
        proxy = self.cell_proxies_[elements.first]
        assert proxy is not None, "the column holds a SetSize"
        return proxy(self.reader_, elements.first)

    def changes_of_(self, elements: Elements, value: Any) -> Mapping[Any, bool]:
        """The items that are put into a set, or taken out, to make a value of it."""
        members: Any = value
        if issubclass(type(value), SplitValue):
            members = value.set_
        elif elements.set_class.members and type(value) is elements.set_class.kind:
            members = getattr(value, elements.set_class.members)
        is_split = issubclass(type(members), SplitSet)
        if is_split and members.elements_ is elements:
            changes: Mapping[Any, bool] = members.changes_
            return changes
        plain = unwrap(value)
        if is_split:
            plain = elements.set_class.value(members.whole_)
        items = elements.set_class.items(str(elements.cell), plain)
        self.rely_(elements, WHOLE)
        shown = elements.known[: elements.shown]
        return {**dict.fromkeys(shown, False), **dict.fromkeys(items, True)}


def split_sets(base: Layout, starts: Sequence[Any], encoding: Encoding) -> SplitLayout:
    """The layout in which some sets are split; it shows what initial states have.

    Raises:
        EncodedOtherwise: if they have too many elements.
    """
    layout = SplitLayout.split(base, starts[0], encoding)
    for start in starts:
        layout.values(start)
    layout.show_elements(evaluate_call)
    return layout


def split_proxy_class(
    layout: SplitLayout, state: Any, whole: Container[str]
) -> type[StateProxy]:
    """The class of the proxies of states like the one given.

    Args:
        whole: the fields of which values are read as a whole.
    """
    return state_proxy_class(layout, state, SplitStateProxy, whole)
