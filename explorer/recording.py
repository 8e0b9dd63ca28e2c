"""Recording views: what an action sees of a state while an engine learns from it.

A `StateView` looks like a state. Each read of a cell's attribute, of a method's answer,
or of a whole cell is recorded once, in order; `evolve` gives another view that knows
what was written. A method annotated to return ``Self`` is an operation: it is not run,
but written down as an `Operation` for the engine to apply to whatever value is there.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from types import FunctionType
from typing import Any, NoReturn, Protocol

import attrs
from attrs import frozen

from replicheck.explorer.cells import Cell, Layout
from replicheck.explorer.errors import ModelError

Call = tuple[str, tuple[Any, ...]]
"""The name of an attribute or method, and the arguments (none for an attribute)."""
WHOLE: Call = ("", ())
"""The read of a cell as a whole."""


class Reader(Protocol):
    """Answers the reads of a view, and records them."""

    def read(self, column: int, call: Call) -> Any:
        """Return what an attribute or a method of the cell's value says."""


@frozen
class ValueClass:
    """What the engine knows of the class of a cell's values."""

    type: type
    operations: frozenset[str]
    methods: frozenset[str]

    @classmethod
    def of(cls, value: object) -> ValueClass:
        """Return the operations and the reading methods of a value's class."""
        functions = {
            name: function
            for name, function in inspect.getmembers(type(value))
            if isinstance(function, FunctionType) and not name.startswith("__")
        }
        operations = {
            name
            for name, function in functions.items()
            if function.__annotations__.get("return") in ("Self", typing.Self)
        }
        return cls(
            type(value), frozenset(operations), frozenset(functions) - operations
        )

    @property
    def is_plain(self) -> bool:
        """Tell whether values have no attributes to read, such as numbers."""
        return not attrs.has(self.type)


class _StandIn:
    """Stands for a value; what Python does with the value as such, it does with it."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return bool(plain(self) == plain(other))

    def __hash__(self) -> int:
        return hash(plain(self))

    def __bool__(self) -> bool:
        return bool(plain(self))

    def __len__(self) -> int:
        return len(plain(self))

    def __iter__(self) -> Iterator[Any]:
        return iter(plain(self))

    def __contains__(self, item: object) -> bool:
        return item in plain(self)

    def __getitem__(self, key: Any) -> Any:
        return plain(self)[key]

    def __repr__(self) -> str:
        return repr(plain(self))


class CellView(_StandIn):
    """A cell that is read attribute by attribute; as a whole only where it must be."""

    __slots__ = ("_column", "_kind", "_reader")

    def __init__(self, reader: Reader, column: int, kind: ValueClass) -> None:
        self._reader = reader
        self._column = column
        self._kind = kind

    @property
    def whole(self) -> Any:
        """Return the value; reads the whole cell."""
        return self._reader.read(self._column, WHOLE)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._kind.operations:
            return _Pending(self._reader, self._column, self._kind, (), name)
        if name in self._kind.methods:
            return lambda *arguments: self._reader.read(
                self._column, (name, plain_arguments(arguments))
            )
        return self._reader.read(self._column, (name, ()))

    @property
    def __class__(self) -> type:
        return self._kind.type

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        raise TypeError("a cell is frozen")


class Operation(_StandIn):
    """Methods to be applied, one after the other, to whatever value a cell has."""

    __slots__ = ("_kind", "_reader", "calls", "column")

    def __init__(
        self, reader: Reader, column: int, kind: ValueClass, calls: tuple[Call, ...]
    ) -> None:
        self._reader = reader
        self._kind = kind
        self.column = column
        self.calls = calls

    @property
    def whole(self) -> Any:
        """Return the value after the operation; reads the whole cell."""
        return applied(self._reader.read(self.column, WHOLE), self.calls)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._kind.operations:
            return _Pending(self._reader, self.column, self._kind, self.calls, name)
        return getattr(self.whole, name)


@frozen
class _Pending:
    """An operation without its arguments."""

    reader: Reader
    column: int
    kind: ValueClass
    calls: tuple[Call, ...]
    name: str

    def __call__(self, *arguments: Any) -> Operation:
        call = (self.name, plain_arguments(arguments))
        return Operation(self.reader, self.column, self.kind, (*self.calls, call))


def applied(value: Any, calls: Iterable[Call]) -> Any:
    """Return what a value turns into by a chain of operations."""
    for name, arguments in calls:
        value = getattr(value, name)(*arguments)
    return value


def plain(value: Any) -> Any:
    """Return a value itself where a view or an operation stands for it."""
    if type(value) in (CellView, Operation):
        return value.whole
    return value


def plain_arguments(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments without views."""
    return tuple(plain(each) for each in arguments)


class Family:
    """A family of cells in a view, nested as in the state."""

    __slots__ = ("_columns", "_view")

    def __init__(self, view: StateView, columns: tuple[Any, ...]) -> None:
        self._view = view
        self._columns = columns

    def __getitem__(self, index: int) -> Any:
        columns = self._columns[index]
        if type(columns) is tuple:
            return Family(self._view, columns)
        return self._view.cell(columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self._columns)))


class StateView:
    """A state under observation. Subclasses add the fields and methods of the state."""

    __slots__ = ("cells", "reader", "writes")
    layout: Layout
    kinds: tuple[ValueClass, ...]
    families: frozenset[str]

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.writes: Mapping[int, Any] = {}
        self.cells = [
            None if kind.is_plain else CellView(reader, column, kind)
            for column, kind in enumerate(self.kinds)
        ]

    def cell(self, column: int) -> Any:
        """Return what stands for the cell: what was written, else the view of it.

        There is one view of a cell, so that ``after.x is before.x`` tells, without a
        read, that a step left the cell alone; as it does for plain states.
        """
        if column in self.writes:
            return self.writes[column]
        view = self.cells[column]
        return self.reader.read(column, WHOLE) if view is None else view

    def evolve(self, **cells: Any) -> StateView:
        """Return a view with more cells written."""
        writes = dict(self.writes)
        for name, new in cells.items():
            for index, value in self._changes(name, new):
                cell = Cell(name, index)
                column = self.layout.columns.get(cell)
                if column is None:
                    raise ModelError(f"`evolve` names {cell}, and no state has it")
                _apply_if_dropped(writes.get(column), value)
                if type(value) is CellView and value._column == column:
                    writes.pop(column, None)
                elif type(value) is Operation and value.column == column:
                    writes[column] = value
                else:
                    writes[column] = plain(value)
        after = copy(self)
        after.writes = writes
        return after

    def _changes(self, name: str, new: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
        if name not in self.families:
            yield (), new
            return
        if not isinstance(new, Mapping):
            raise ModelError(f"`evolve`: `{name}` is a family, give {{index: value}}")
        for index, value in new.items():
            yield (index if isinstance(index, tuple) else (index,)), value


def _apply_if_dropped(old: Any, new: Any) -> None:
    """Apply an operation that another write replaces: it raises where it should."""
    if type(old) is Operation:
        follows = type(new) is Operation and new.column == old.column
        if not (follows and new.calls[: len(old.calls)] == old.calls):
            plain(old)


def view_class(layout: Layout, state: Any) -> type[StateView]:
    """Return the class of the recording views of states like the one given."""
    namespace: dict[str, Any] = {"__slots__": ()}
    for base in reversed(layout.state_class.__mro__[:-1]):
        for name, member in vars(base).items():
            if not name.startswith("__") and name != "evolve":
                namespace[name] = member
    for name in layout.constants:
        namespace[name] = getattr(state, name)
    for cell in layout.cells:
        value = getattr(state, cell.field)
        namespace[cell.field] = property(_field(layout, cell.field, value))
    namespace["layout"] = layout
    namespace["families"] = frozenset(cell.field for cell in layout.cells if cell.index)
    namespace["kinds"] = tuple(ValueClass.of(each) for each in layout.values(state))
    return type(f"Recording{layout.state_class.__name__}", (StateView,), namespace)


def _field(layout: Layout, name: str, value: Any) -> Callable[[StateView], Any]:
    def columns_of(shape: Any, index: tuple[int, ...]) -> Any:
        if not isinstance(shape, tuple):
            return layout.columns[Cell(name, index)]
        return tuple(
            columns_of(element, (*index, position))
            for position, element in enumerate(shape)
        )

    columns = columns_of(value, ())
    if isinstance(value, tuple):
        return lambda view: Family(view, columns)
    return lambda view: view.cell(columns)
