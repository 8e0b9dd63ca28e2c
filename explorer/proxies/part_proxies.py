"""Proxies of parts: of a set, a tuple or a record within the value of a cell.

A part is an operation that begins with attributes: what is asked of it is asked of the
cell's value behind these, and what is made of it becomes part of a value made anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import attrs

from replicheck.explorer.proxies.calls import (
    AFTER,
    EQUALS,
    SLICE,
    WITH_PARTS,
    Call,
    Derived,
    apply_calls,
)
from replicheck.explorer.proxies.cell_proxy import (
    CellProxy,
    Operation,
    Reader,
    cell_proxy_class,
    with_special_methods,
)
from replicheck.explorer.proxies.proxy import unwrap, unwrap_arguments
from replicheck.explorer.proxies.set_proxy import SetOperation, SetProxy
from replicheck.explorer.states.value_parts import (
    kinds_of_parts,
    takes_fields_as_given,
)


class ValuePart(Operation):
    """A part of a cell's value, and what is made of it by operations."""

    __slots__ = ("path_",)
    is_part_ = True
    path_: tuple[Call, ...]
    """The attributes that lead to it."""

    @property
    def whole_(self) -> Any:
        """The part after the operations; reads all of the part."""
        if not self.after_:
            before = self.reader_.read(self.column_, _question(self.path_))
            self.after_ = (apply_calls(before, self.calls_[len(self.path_) :]),)
        return self.after_[0]

    def changed_(self, call: Call) -> Operation:
        return self.at_(self.path_, (*self.calls_, call))

    def derived_(self, argument: Any) -> Any:
        """The calls behind this part, for which a part of it stands; else it."""
        depth = len(self.path_)
        is_changed = self.calls_ != self.path_
        if is_changed or not _is_part(self.column_, argument):
            return argument
        is_within = argument.path_[:depth] == self.path_
        return Derived(argument.calls_[depth:]) if is_within else argument

    def at_(self, path: tuple[Call, ...], calls: tuple[Call, ...]) -> ValuePart:
        return part_at(type(self), self.reader_, self.column_, path, calls)


def part_at(
    kind: type[ValuePart],
    reader: Reader,
    column: int,
    path: tuple[Call, ...],
    calls: tuple[Call, ...],
) -> ValuePart:
    """A part behind a path of attributes, after the calls behind that."""
    part = kind(reader, column, calls)
    part.path_ = path
    return part


class SetPart(ValuePart, SetOperation):
    """A part that is a frozenset."""

    __slots__ = ()


@with_special_methods(tuple)
class PartAsTuple(ValuePart):
    """A part of which the special methods of a tuple read all."""

    __slots__ = ()
    value_type_ = tuple


class TuplePart(PartAsTuple):
    """A part that is a tuple: a queue, a log."""

    __slots__ = ()

    def __contains__(self, item: object) -> bool:
        return bool(self.asked_(("__contains__", unwrap_arguments((item,)))))

    def __len__(self) -> int:
        return int(self.asked_(("__len__", ())))

    def __bool__(self) -> bool:
        return bool(self.asked_(("__ne__", ((),))))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            bounds = (index.start, index.stop, index.step)
            return self.changed_((SLICE, unwrap_arguments(bounds)))
        return self.asked_(("__getitem__", unwrap_arguments((index,))))

    def __eq__(self, other: object) -> bool:
        items = unwrap(other)
        if isinstance(items, tuple):
            return bool(self.asked_((EQUALS, unwrap_arguments((items,)))))
        return bool(unwrap(self) == items)

    __hash__ = ValuePart.__hash__

    def __add__(self, right: object) -> Any:
        items = unwrap(right)
        if not isinstance(items, tuple):
            return unwrap(self) + items
        return self.changed_(("__add__", unwrap_arguments((items,))))

    def __radd__(self, left: Any) -> Any:
        return left + unwrap(self)

    def count(self, item: object) -> int:
        """Count the elements that equal an item."""
        return int(self.asked_(("count", unwrap_arguments((item,)))))

    def index(self, item: object, *between: int) -> int:
        """The index of the first element that equals an item."""
        return int(self.asked_(("index", unwrap_arguments((item, *between)))))


# So that `match` asks for the length, as it does of a tuple.
Sequence.register(TuplePart)


def proxy_class(kind: type) -> type[CellProxy] | None:
    """The class of the proxies of cells whose values are of a class; None if none."""
    if kind is frozenset:
        return SetProxy
    proxy = cell_proxy_class(kind)
    if proxy is None or not kinds_of_parts(kind):
        return proxy
    members = {name: _part_of_cell(name, part) for name, part in _parts(kind).items()}
    return type(proxy.__name__, (proxy,), {"__slots__": (), **members})


def made_of_parts(proxy: type[CellProxy] | None, column: int, value: Any) -> Any:
    """The operation that makes a value of parts of the cell's own value, or None.

    None, too, if nothing in it is such a part.
    """
    kind: Any = type(value)
    if proxy is None or proxy.value_type_ is not kind or not kinds_of_parts(kind):
        return None
    fields = [field for field in attrs.fields(kind) if field.init]
    given = {field.alias: getattr(value, field.name) for field in fields}
    parts = [part for part in given.values() if _is_part(column, part)]
    if not parts or not takes_fields_as_given(kind):
        return None
    arguments = {
        name: Derived(part.calls_) if _is_part(column, part) else part
        for name, part in given.items()
    }
    call: Call = (WITH_PARTS, unwrap_arguments(("",), arguments))
    return proxy.operation_(parts[0].reader_, column, (call,))


def _is_part(column: int, value: Any) -> bool:
    return issubclass(type(value), ValuePart) and value.column_ == column


def _question(path: tuple[Call, ...]) -> Call:
    *before, last = path
    return (AFTER, (tuple(before), last)) if before else last


def _parts(kind: type) -> Mapping[str, type[ValuePart]]:
    return {name: _part_class(part) for name, part in kinds_of_parts(kind).items()}


@cache
def _part_class(kind: type) -> type[ValuePart]:
    if kind is frozenset:
        return SetPart
    if kind is tuple:
        return TuplePart
    cell: Any = cell_proxy_class(kind)
    members: dict[str, Any] = {
        name: _part_of_part(name, part) for name, part in _parts(kind).items()
    }
    members |= {"__slots__": ()}
    return type(f"PartOf{kind.__name__}", (ValuePart, cell.operation_), members)


def _part_of_cell(name: str, kind: type[ValuePart]) -> property:
    path: tuple[Call, ...] = ((name, ()),)
    return property(
        lambda proxy: part_at(kind, proxy.reader_, proxy.column_, path, path)
    )


def _part_of_part(name: str, kind: type[ValuePart]) -> property:
    call: Call = (name, ())

    def part(proxy: ValuePart) -> Any:
        if proxy.calls_ != proxy.path_:
            return proxy.asked_(call)
        path = (*proxy.path_, call)
        return part_at(kind, proxy.reader_, proxy.column_, path, path)

    return property(part)
