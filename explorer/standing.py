"""Stand-ins: what an action gets to see in place of a cell's value.

A `CellView` has the attributes and methods of the value's class; each is a read, which
goes to the `Reader` with the column of the cell. A method annotated to return ``Self``
is an operation: it is not run, but written down as an `Operation` for the engine to
apply to whatever value is there.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any, NoReturn, Protocol, TypeVar

import attrs

B = TypeVar("B")
Call = tuple[str, tuple[Any, ...]]
"""The name of an attribute or method, and the arguments (none for an attribute)."""
WHOLE: Call = ("", ())
"""The read of a cell as a whole."""
EQUALS = "__eq__"
"""The name that asks whether a value equals the argument."""
UNCHANGED_BY = "__unchanged_by__"
"""The name that asks whether the operations given as arguments change a value."""
AFTER = "__after__"
"""The name that asks what a value answers to a call after operations.

The arguments are the calls of the operations, and that call.
"""


class Reader(Protocol):
    """Answers the reads of a view, and records them."""

    def read(self, column: int, call: Call) -> Any:
        """Return what an attribute or a method of the cell's value says."""


class _StandIn:
    """Stands for a value; what Python does with the value as such, it does with it.

    Names of its own end in an underscore, lest they hide attributes of the value.
    """

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
    """A cell that is read attribute by attribute; as a whole only where it must be.

    `cell_view_class` adds what values of the cell's class have.
    """

    __slots__ = ("column_", "reader_")
    value_type_: type
    operation_: type[Operation]

    def __init__(self, reader: Reader, column: int) -> None:
        self.reader_ = reader
        self.column_ = column

    @property
    def whole_(self) -> Any:
        """Return the value; reads the whole cell."""
        return self.reader_.read(self.column_, WHOLE)

    def changed_(self, call: Call) -> Operation:
        return self.operation_(self.reader_, self.column_, (call,))

    def asked_(self, call: Call) -> Any:
        return self.reader_.read(self.column_, call)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.asked_((name, ()))

    @property
    def __class__(self) -> type:
        return self.value_type_

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        raise TypeError("a cell is frozen")


class Operation(_StandIn):
    """Methods to be applied, one after the other, to whatever value a cell has."""

    __slots__ = ("after_", "calls_", "column_", "reader_")

    def __init__(self, reader: Reader, column: int, calls: tuple[Call, ...]) -> None:
        self.reader_ = reader
        self.column_ = column
        self.calls_ = calls
        self.after_: tuple[Any, ...] = ()

    @property
    def whole_(self) -> Any:
        """Return the value after the operation; reads the whole cell."""
        if not self.after_:
            before = self.reader_.read(self.column_, WHOLE)
            self.after_ = (applied(before, self.calls_),)
        return self.after_[0]

    def changed_(self, call: Call) -> Operation:
        return type(self)(self.reader_, self.column_, (*self.calls_, call))

    def asked_(self, call: Call) -> Any:
        return self.reader_.read(self.column_, (AFTER, (self.calls_, call)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.asked_((name, ()))


def cell_view_class(known: type) -> type[CellView] | None:
    """Return the class of the views of cells whose values are of a class.

    None if these have no attributes to read, such as numbers.
    """
    if not attrs.has(known):
        return None
    members = inspect.getmembers(known)
    changes = {name: _operation(name) for name, each in members if _is_change(each)}
    reads = {
        name: _method(name) if isinstance(each, FunctionType) else _attribute(name)
        for name, each in members
    }
    view = _with_members(CellView, known, reads | changes)
    view.value_type_ = known
    view.operation_ = _with_members(Operation, known, reads | changes)
    return view


def _with_members(base: type[B], known: type, members: Mapping[str, Any]) -> type[B]:
    """Return a class that has these members, but for special and inherited ones."""
    own = dir(base)
    new = {
        name: each
        for name, each in members.items()
        if name not in own and not name.startswith("__")
    }
    return type(f"{base.__name__}Of{known.__name__}", (base,), {"__slots__": (), **new})


def is_view_of(column: int, value: object) -> bool:
    """Tell whether a value is the view of a cell, nothing having been written to it."""
    return isinstance(value, CellView) and value.column_ == column


def _is_change(member: object) -> bool:
    """Tell whether a member of a class is a method that returns a changed value."""
    if not isinstance(member, FunctionType):
        return False
    return member.__annotations__.get("return") in ("Self", typing.Self)


def _attribute(name: str) -> property:
    call: Call = (name, ())
    return property(lambda stand_in: stand_in.asked_(call))


def _method(name: str) -> Callable[..., Any]:
    def ask(stand_in: CellView | Operation, *arguments: Any) -> Any:
        return stand_in.asked_((name, plain_arguments(arguments)))

    return ask


def _operation(name: str) -> Callable[..., Operation]:
    def change(stand_in: CellView | Operation, *arguments: Any) -> Operation:
        return stand_in.changed_((name, plain_arguments(arguments)))

    return change


def applied(value: Any, calls: Iterable[Call]) -> Any:
    """Return what a value turns into by a chain of operations."""
    for name, arguments in calls:
        value = getattr(value, name)(*arguments)
    return value


def plain(value: Any) -> Any:
    """Return a value itself where a view or an operation stands for it."""
    return value.whole_ if issubclass(type(value), _StandIn) else value


def plain_arguments(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments without views."""
    for each in arguments:
        if isinstance(each, _StandIn):
            return tuple(plain(each) for each in arguments)
    return arguments
