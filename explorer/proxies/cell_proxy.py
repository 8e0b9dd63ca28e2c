"""Proxies: what an action gets to see in place of a cell's value.

A `CellProxy` has the attributes and methods of the value's class; each is a read, which
goes to the `Reader` with the column of the cell. A method annotated to return ``Self``
is an operation: it is not run, but written down as an `Operation` for the engine to
apply to whatever value is there.
"""

from __future__ import annotations

import inspect
import operator
import typing
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any, Protocol, TypeVar

import attrs

from replicheck.explorer.proxies.calls import (
    AFTER,
    WHOLE,
    WITH_PARTS,
    Call,
    Derived,
    apply_calls,
    given,
)
from replicheck.explorer.proxies.proxy import (
    ValueProxy,
    unwrap,
    unwrap_arguments,
)
from replicheck.explorer.states.exact_equality import are_unmistakable
from replicheck.explorer.states.value_parts import HANDED_ON, hands_on

B = TypeVar("B")
C = TypeVar("C", bound=type)
UNARY = ("neg", "pos", "abs", "invert", "index")
BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
ORDERING = ("lt", "le", "gt", "ge")
SPECIAL: dict[str, Callable[..., Any]] = {
    **{f"__{n}__": getattr(operator, f"__{n}__") for n in UNARY + BINARY + ORDERING},
    **{f"__{name}__": kind for name, kind in (("int", int), ("float", float))},
    "__reversed__": reversed,
    "__call__": lambda value, *arguments, **named: value(*arguments, **named),
}
"""What Python does with values whose class has a special method of that name."""
CONTAINER_QUESTIONS: dict[str, Callable[..., Any]] = {
    "__bool__": bool,
    "__contains__": bool,
    "__getitem__": lambda answer: answer,
    "__len__": int,
}
"""Special methods that are questions where a class defines them: what each gives."""


class Reader(Protocol):
    """Answers the reads of a proxy, and records them."""

    def read(self, column: int, call: Call) -> Any:
        """Evaluate an attribute or a method of the cell's value."""


class CellProxy(ValueProxy):
    """A cell that is read attribute by attribute; as a whole only where it must be.

    `cell_proxy_class` adds what values of the cell's class have.
    """

    __slots__ = ("column_", "reader_")
    operation_: type[Operation]

    def __init__(self, reader: Reader, column: int) -> None:
        self.reader_ = reader
        self.column_ = column

    @property
    def whole_(self) -> Any:
        """The value; reads the whole cell."""
        return self.reader_.read(self.column_, WHOLE)

    def changed_(self, call: Call) -> Operation:
        return self.operation_(self.reader_, self.column_, (call,))

    def asked_(self, call: Call) -> Any:
        return self.reader_.read(self.column_, call)

    def derived_(self, argument: Any) -> Any:
        """The calls of a part of this value, for which an argument stands; else it."""
        is_part = issubclass(type(argument), Operation) and argument.is_part_
        if is_part and argument.column_ == self.column_:
            return Derived(argument.calls_)
        return argument


class Operation(ValueProxy):
    """Methods to be applied, one after the other, to whatever value a cell has."""

    __slots__ = ("after_", "calls_", "column_", "reader_")
    is_part_ = False

    def __init__(self, reader: Reader, column: int, calls: tuple[Call, ...]) -> None:
        self.reader_ = reader
        self.column_ = column
        self.calls_ = calls
        self.after_: tuple[Any, ...] = ()

    @property
    def whole_(self) -> Any:
        """The value after the operation; reads the whole cell."""
        if not self.after_:
            before = self.reader_.read(self.column_, WHOLE)
            self.after_ = (apply_calls(before, self.calls_),)
        return self.after_[0]

    def changed_(self, call: Call) -> Operation:
        return type(self)(self.reader_, self.column_, (*self.calls_, call))

    def asked_(self, call: Call) -> Any:
        return self.reader_.read(self.column_, (AFTER, (self.calls_, call)))

    def derived_(self, argument: Any) -> Any:
        """An argument as it is: parts are those of the value before the operation."""
        return argument


def cell_proxy_class(known: type) -> type[CellProxy] | None:
    """The class of the proxies of cells whose values are of a class.

    None if these have no attributes to read, such as numbers.
    """
    if not attrs.has(known):
        return None
    members = inspect.getmembers(known)
    changes = {name: _operation(name) for name, member in members if _is_change(member)}
    reads = {name: _read(name, member) for name, member in members}
    proxy = _with_members(CellProxy, known, reads | changes)
    for name in HANDED_ON:
        if hands_on(known, name, getattr(known, "MEMBERS", "")):
            setattr(proxy, name, getattr(known, name))
    proxy.value_type_ = known
    proxy.operation_ = _with_members(Operation, known, reads | changes)
    proxy.operation_.value_type_ = known
    return proxy


def with_special_methods(known: type) -> Callable[[C], C]:
    """A decorator that gives proxies the special methods of a value's class.

    They are those of the value as a whole.
    """

    def with_them(kind: C) -> C:
        for name, function in _special_methods(known).items():
            setattr(kind, name, function)
        return kind

    return with_them


def _special_methods(known: type) -> dict[str, Any]:
    found = {}
    for name, function in SPECIAL.items():
        if _defines(known, name):
            found[name] = _special(function)
        reflected = f"__r{name.strip('_')}__"
        if name.strip("_") in BINARY and _defines(known, reflected):
            found[reflected] = _reflected(function)
    return found


def _container_questions(known: type) -> dict[str, Any]:
    """The special methods of a class that ask a value as any other method does."""
    found = {
        name: _container_question(name, answer)
        for name, answer in CONTAINER_QUESTIONS.items()
        if isinstance(getattr(known, name, None), FunctionType)
    }
    if "__len__" in found:
        found.setdefault("__bool__", lambda proxy: len(proxy) > 0)
    return found


def _container_question(name: str, answer: Callable[[Any], Any]) -> Callable[..., Any]:
    def ask(proxy: CellProxy | Operation, *arguments: Any) -> Any:
        if slice in map(type, arguments):
            # A slice is no key of a table.
            return unwrap(proxy)[arguments[0]]
        return answer(proxy.asked_((name, unwrap_arguments(arguments))))

    return ask


def _defines(known: type, name: str) -> bool:
    return getattr(known, name, None) is not getattr(object, name, None)


def _special(function: Callable[..., Any]) -> Callable[..., Any]:
    def special(proxy: Any, *arguments: Any, **named: Any) -> Any:
        return function(unwrap(proxy), *given(unwrap_arguments(arguments)), **named)

    return special


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda proxy, left: function(unwrap(left), unwrap(proxy))


def _with_members(base: type[B], known: type, members: Mapping[str, Any]) -> type[B]:
    """A subclass with these members, but for special and inherited ones."""
    own = dir(base)
    new = {
        name: member
        for name, member in members.items()
        if name not in own and not name.startswith("__")
    }
    new |= {"__slots__": (), **_special_methods(known), **_container_questions(known)}
    return type(f"{base.__name__}Of{known.__name__}", (base,), new)


def is_proxy_of(column: int, value: object) -> bool:
    """Tell whether a value is the proxy of a cell to which nothing was written."""
    return isinstance(value, CellProxy) and value.column_ == column


def _is_change(member: object) -> bool:
    """Tell whether a member of a class is a method that returns a changed value."""
    if not isinstance(member, FunctionType):
        return False
    return member.__annotations__.get("return") in ("Self", typing.Self)


def _read(name: str, member: object) -> Any:
    """The member of a proxy that stands for one of the value's class."""
    if isinstance(member, MethodType):
        return member
    return _method(name) if isinstance(member, FunctionType) else _attribute(name)


def _attribute(name: str) -> property:
    call: Call = (name, ())
    return property(lambda proxy: proxy.asked_(call))


def _method(name: str) -> Callable[..., Any]:
    def ask(proxy: CellProxy | Operation, *arguments: Any, **named: Any) -> Any:
        if not named and are_unmistakable(arguments):
            return proxy.asked_((name, arguments))
        later = tuple(_calls_of(argument, proxy) for argument in arguments)
        if Derived in map(type, later):
            return proxy.asked_((WITH_PARTS, unwrap_arguments((name, *later), named)))
        return proxy.asked_((name, unwrap_arguments(arguments, named)))

    return ask


def _calls_of(argument: Any, asked: CellProxy | Operation) -> Any:
    """The calls of an argument that is an operation on what is asked; else it."""
    is_change = issubclass(type(argument), Operation) and not argument.is_part_
    is_of_cell = is_change and argument.column_ == asked.column_
    is_first = issubclass(type(asked), CellProxy)
    return Derived(argument.calls_) if is_of_cell and is_first else argument


def _operation(name: str) -> Callable[..., Operation]:
    def change(
        proxy: CellProxy | Operation, *arguments: Any, **named: Any
    ) -> Operation:
        if not named and are_unmistakable(arguments):
            return proxy.changed_((name, arguments))
        derived = tuple(map(proxy.derived_, arguments))
        by_name = {key: proxy.derived_(value) for key, value in named.items()}
        if Derived in map(type, (*derived, *by_name.values())):
            call = (WITH_PARTS, unwrap_arguments((name, *derived), by_name))
            return proxy.changed_(call)
        return proxy.changed_((name, unwrap_arguments(arguments, named)))

    return change
