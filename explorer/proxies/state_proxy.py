"""Proxies of states: what an action sees of a state while an engine learns from it.

A `StateProxy` looks like a state. Each read of a cell's attribute, of a method's
answer, or of a whole cell is recorded once, in order; `evolve` gives another proxy that
knows what was written.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn, cast

from replicheck.explorer.errors import ModelError
from replicheck.explorer.proxies.calls import EQUALS, UNCHANGED_BY, WHOLE
from replicheck.explorer.proxies.cell_proxy import (
    SPECIAL,
    CellProxy,
    Operation,
    Reader,
    is_proxy_of,
    with_special_methods,
)
from replicheck.explorer.proxies.part_proxies import made_of_parts, proxy_class
from replicheck.explorer.proxies.proxy import Proxy, unwrap, unwrap_deep
from replicheck.explorer.states.exact_equality import is_compared_by_fields
from replicheck.explorer.states.layout import Cell, Layout

OF_STATES = frozenset(
    {"__bool__", "__contains__", "__getitem__", "__iter__", "__len__", *SPECIAL}
)
"""Special methods that a class of states may have, and its proxies, too."""


@with_special_methods(tuple)
class FamilyProxy(Proxy):
    """Proxy of a family of cells, nested as in the state: a tuple of proxies."""

    __slots__ = ("_columns", "_proxy")

    def __init__(self, proxy: StateProxy, columns: tuple[Any, ...]) -> None:
        self._proxy = proxy
        self._columns = columns

    def __getitem__(self, index: int) -> Any:
        columns = self._columns[index]
        if type(columns) is tuple:
            return FamilyProxy(self._proxy, columns)
        return self._proxy.cell_(columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self._columns)))

    def __bool__(self) -> bool:
        return bool(self._columns)

    @property
    def has_set_(self) -> bool:
        """Whether one of the cells stands for a set."""
        return any(issubclass(type(cell), Proxy) and cell.has_set_ for cell in self)

    @property
    def whole_(self) -> tuple[Any, ...]:
        """The values; reads the cells as a whole."""
        return tuple(unwrap(element) for element in self)

    @property
    def __class__(self) -> type:
        return tuple

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        raise TypeError("a state is frozen")

    def __radd__(self, other: Any) -> Any:
        return other + self.whole_

    def count(self, value: object) -> int:
        """Count the cells that have a value."""
        return self.whole_.count(unwrap(value))

    def index(self, value: object, *between: int) -> int:
        """The index of the first cell that has a value."""
        return self.whole_.index(unwrap(value), *between)


class StateProxy(Proxy):
    """Proxy of a state that records its reads. Subclasses add its fields and methods.

    Its own names, but for ``evolve``, end in an underscore, lest those hide them.
    """

    __slots__ = ("cells_", "reader_", "writes_")
    is_state_ = True
    columns_: Mapping[tuple[str, tuple[int, ...]], int]
    """By a cell's field and index."""
    cell_proxies_: tuple[type[CellProxy] | None, ...]
    families_: frozenset[str]
    layout_: Layout
    like_: Any
    """A plain state, for its class and its constants."""
    has_cells_compared_: bool
    """Whether states are equal if their cells are."""

    def __init__(self, reader: Reader) -> None:
        self.reader_ = reader
        self.writes_: Mapping[int, Any] = {}
        self.cells_ = [
            None if proxy is None else proxy(reader, column)
            for column, proxy in enumerate(self.cell_proxies_)
        ]

    @property
    def whole_(self) -> Any:
        """The plain state; reads all cells as a whole."""
        columns = range(len(self.layout_.cells))
        values = tuple(unwrap(self.cell_(column)) for column in columns)
        return self.layout_.build(self.like_, values)

    def __eq__(self, other: object) -> bool:
        if not (self.has_cells_compared_ and issubclass(type(other), StateProxy)):
            return super().__eq__(other)
        second = cast(StateProxy, other)
        written = self.writes_.keys() | second.writes_.keys()
        return all(self.is_alike_(second, column) for column in sorted(written))

    __hash__ = Proxy.__hash__

    def is_alike_(self, second: StateProxy, column: int) -> bool:
        """Read whether a cell is what it is in another state after the same one."""
        if column not in second.writes_:
            return self.leaves_alone_(column)
        if column not in self.writes_:
            return second.leaves_alone_(column)
        return bool(self.writes_[column] == second.writes_[column])

    def leaves_alone_(self, column: int) -> bool:
        """Read whether what is written to a cell is what it has already."""
        value = self.writes_[column]
        if isinstance(value, Operation):
            return bool(self.reader_.read(column, (UNCHANGED_BY, value.calls_)))
        return bool(self.reader_.read(column, (EQUALS, (value,))))

    @property
    def __class__(self) -> type:
        return self.layout_.state_class

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        raise TypeError("a state is frozen")

    def cell_(self, column: int) -> Any:
        """The value written to a cell, else the proxy of the cell.

        There is one proxy of a cell, so that ``after.x is before.x`` tells, without a
        read, that a step left the cell alone; as it does for plain states.
        """
        if column in self.writes_:
            return self.writes_[column]
        proxy = self.cells_[column]
        return self.reader_.read(column, WHOLE) if proxy is None else proxy

    def columns_at_(self, column: int) -> Sequence[int]:
        """The columns of the cell that begins at one."""
        return (column,)

    def evolve(self, **cells: Any) -> StateProxy:
        """A proxy of the state with more cells written."""
        writes = dict(self.writes_)
        for name, new in cells.items():
            for index, value in self.changes_(name, new):
                column = self.columns_.get((name, index))
                if column is None:
                    from replicheck.explorer.states.unknown_cells import no_such_cell

                    raise no_such_cell(self.layout_, Cell(name, index))
                if column in writes:
                    _apply_if_dropped(writes[column], value)
                if is_proxy_of(column, value):
                    writes.pop(column, None)
                elif isinstance(value, Operation) and value.column_ == column:
                    writes[column] = value
                else:
                    made = made_of_parts(self.cell_proxies_[column], column, value)
                    writes[column] = unwrap_deep(value) if made is None else made
        after = object.__new__(type(self))
        after.reader_, after.cells_, after.writes_ = self.reader_, self.cells_, writes
        return after

    def changes_(self, name: str, new: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
        if name not in self.families_:
            yield (), new
            return
        if not isinstance(new, Mapping):
            raise ModelError(f"`evolve`: `{name}` is a family, give {{index: value}}")
        for index, value in new.items():
            path = index if isinstance(index, tuple) else (index,)
            if (name, path) in self.columns_:
                yield path, value
            else:
                yield from self.parts_(name, path, value)

    def parts_(
        self, name: str, path: tuple[int, ...], value: Any
    ) -> Iterator[tuple[tuple[int, ...], Any]]:
        """Yield what a tuple or a mapping has for cells of a family within another.

        Raises:
            ModelError: if the family has more cells than a tuple.
        """
        is_cell = (name, path) in self.columns_
        if isinstance(value, Mapping) and not is_cell:
            for index, part in value.items():
                inner = index if isinstance(index, tuple) else (index,)
                yield from self.parts_(name, (*path, *inner), part)
            return
        if is_cell or not isinstance(value, tuple) or not value:
            yield path, value
            return
        for place, part in enumerate(value):
            yield from self.parts_(name, (*path, place), part)
        beyond = (*path, len(value))
        if any(
            (field, index[: len(beyond)]) == (name, beyond)
            for field, index in self.columns_
        ):
            raise ModelError(
                f"`evolve` gives {Cell(name, path)} too few values: a family keeps its"
                " length"
            )


# So that `match` asks for the length, as it does of a tuple.
Sequence.register(FamilyProxy)


def no_such_cell(layout: Layout, cell: Cell) -> ModelError:
    """Error about a write to a cell that no state has."""
    alike = [known for known in layout.cells if known.field == cell.field]
    there = f": `{cell.field}` has {alike[0]} to {alike[-1]}" if alike else ""
    return ModelError(f"`evolve` names {cell}, and no state has it{there}")


def _apply_if_dropped(old: Any, new: Any) -> None:
    """Apply an operation that another write replaces: it raises where it should."""
    if isinstance(old, Operation):
        follows = isinstance(new, Operation) and new.column_ == old.column_
        if not (follows and new.calls_[: len(old.calls_)] == old.calls_):
            unwrap(old)


def state_proxy_class(
    layout: Layout, state: Any, base: type[StateProxy], whole: Container[str] = ()
) -> type[StateProxy]:
    """The class of proxies of states like one; fields of ``whole`` are read whole."""
    namespace: dict[str, Any] = {"__slots__": ()}
    for kind in reversed(layout.state_class.__mro__[:-1]):
        for name, member in vars(kind).items():
            is_special = name.startswith("__") and name not in OF_STATES
            if not is_special and name != "evolve":
                is_kept = isinstance(member, cached_property)
                namespace[name] = property(member.func) if is_kept else member
    for name in layout.constants:
        namespace[name] = getattr(state, name)
    for cell in layout.cells:
        value = getattr(state, cell.field)
        namespace[cell.field] = property(_field(layout, cell.field, value))
    namespace["layout_"], namespace["like_"] = layout, state
    namespace["has_cells_compared_"] = is_compared_by_fields(layout.state_class)
    namespace["columns_"] = {
        (cell.field, cell.index): column for cell, column in layout.columns.items()
    }
    namespace["families_"] = frozenset(
        cell.field for cell in layout.cells if cell.index
    )
    types = [type(value) for value in layout.values(state)]
    proxies = {of: proxy_class(of) for of in set(types)}
    namespace["cell_proxies_"] = tuple(
        None if cell.field in whole else proxies[of]
        for cell, of in zip(layout.cells, types, strict=True)
    )
    return type(f"Recording{layout.state_class.__name__}", (base,), namespace)


def _field(layout: Layout, name: str, value: Any) -> Callable[[StateProxy], Any]:
    def columns_of(shape: Any, index: tuple[int, ...]) -> Any:
        if not isinstance(shape, tuple):
            return layout.columns[Cell(name, index)]
        return tuple(
            columns_of(element, (*index, position))
            for position, element in enumerate(shape)
        )

    columns = columns_of(value, ())
    if isinstance(value, tuple):
        return lambda proxy: FamilyProxy(proxy, columns)
    return lambda proxy: proxy.cell_(columns)
