"""Proxies of cells that hold a frozenset.

Whether an item is in a set, and how it compares with another set, are questions; a
union, a difference and the like are operations. A loop over a set asks for the items
with which it does anything, if these are known from its text, and else reads all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from types import FrameType
from typing import Any, NoReturn, Self

from replicheck.explorer.proxies.calls import EQUALS, Call
from replicheck.explorer.proxies.cell_proxy import CellProxy, Operation
from replicheck.explorer.proxies.proxy import Proxy, unwrap, unwrap_arguments
from replicheck.explorer.states.value_parts import FILTERED, is_handed_on

COMPARISONS = ("__le__", "__lt__", "__ge__", "__gt__")
PREDICATES = ("issubset", "issuperset", "isdisjoint")
"""Questions with any iterable of items."""
OPERATORS = ("or", "and", "sub", "xor")
METHODS = ("union", "intersection", "difference", "symmetric_difference")
"""Operations with iterables of items."""


_sorting: list[int] = []
"""The frame that sorts a set, and the instruction that does so.

The instruction asks for the length next, to make room.
"""


class SetMembers(Proxy):
    """Members of a frozenset, for the proxy of a cell and for what is made of one."""

    __slots__ = ()
    has_set_ = True
    asked_: Callable[[Call], Any]
    changed_: Callable[[Call], Operation]

    @property
    def __class__(self) -> type:
        return frozenset

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        raise TypeError("a cell is frozen")

    def __contains__(self, item: object) -> bool:
        return bool(self.asked_(("__contains__", unwrap_arguments((item,)))))

    def __iter__(self) -> Iterator[Any]:
        from replicheck.explorer.proxies.loops.loop_calls import does_sort

        frame = _asking(sys._getframe(1))
        if does_sort(frame):
            _sorting[:] = [id(frame), frame.f_lasti]
            return self.sorted_in_(frame)
        items = self.items_for_(frame)
        return iter(unwrap(self) if items is None else items)

    def sorted_in_(self, frame: FrameType) -> Iterator[Any]:
        """Yield the items for what a frame calls: for `sorted`, those that it needs.

        If it did not ask for the length, it is called with something else that iterates
        the set.
        """
        items = None
        if _sorting == [id(frame), frame.f_lasti]:
            _sorting.clear()
        else:
            items = self.items_for_(frame)
        yield from unwrap(self) if items is None else items

    def items_for_(self, frame: FrameType) -> Collection[Any] | None:
        """The items that a loop in a frame does anything with; None if all."""
        from replicheck.explorer.proxies.loops.loop_calls import call_of_loop

        call = call_of_loop(frame)
        return None if call is None else self.asked_(call)

    def filtered_(self, *arguments: Any) -> Any:
        """The items with which a loop does anything."""
        return self.asked_((FILTERED, arguments))

    def __len__(self) -> int:
        frame = _asking(sys._getframe(1))
        if _sorting == [id(frame), frame.f_lasti]:
            _sorting.clear()
            raise TypeError(
                "`sorted` can do without the length, and reads no more then"
            )
        return int(self.asked_(("__len__", ())))

    def __bool__(self) -> bool:
        return bool(self.asked_(("__ne__", (frozenset(),))))

    def __eq__(self, other: object) -> bool:
        items = unwrap(other)
        if isinstance(items, frozenset | set):
            return bool(self.asked_((EQUALS, _items(items))))
        return bool(unwrap(self) == items)

    __hash__ = Proxy.__hash__

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'frozenset' object has no attribute '{name}'")

    def copy(self) -> Self:
        """The set itself."""
        return self


def _asking(frame: FrameType) -> FrameType:
    """The frame that asks a set, or the value of which that is the field."""
    while is_handed_on(frame.f_code, frame.f_globals) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _items(items: Iterable[Any]) -> tuple[Any, ...]:
    """The one argument of a call: a frozenset of items without proxies."""
    return unwrap_arguments((frozenset(items),))


def _comparison(name: str) -> Callable[..., Any]:
    def compare(proxy: SetMembers, right: object) -> Any:
        items = unwrap(right)
        if not isinstance(items, frozenset | set):
            return NotImplemented
        return proxy.asked_((name, _items(items)))

    return compare


def _predicate(name: str) -> Callable[..., Any]:
    def ask(proxy: SetMembers, iterable: Iterable[Any]) -> Any:
        return proxy.asked_((name, _items(unwrap(iterable))))

    return ask


def _operator(name: str) -> Callable[..., Any]:
    def change(proxy: SetMembers, right: object) -> Any:
        items = unwrap(right)
        if not isinstance(items, frozenset | set):
            return NotImplemented
        return proxy.changed_((f"__{name}__", _items(items)))

    return change


def _reflected(name: str) -> Callable[..., Any]:
    """Operator with the set on its right; on its left a mutable set gives one."""

    def change(proxy: SetMembers, left: object) -> Any:
        if type(left) is frozenset:
            return proxy.changed_((f"__r{name}__", _items(left)))
        return getattr(unwrap(proxy), f"__r{name}__")(left)

    return change


def _method(name: str) -> Callable[..., Any]:
    def change(proxy: SetMembers, *iterables: Iterable[Any]) -> Operation:
        items = [frozenset(unwrap(iterable)) for iterable in iterables]
        return proxy.changed_((name, unwrap_arguments(tuple(items))))

    return change


MEMBERS: dict[str, Callable[..., Any]] = {
    **{name: _comparison(name) for name in COMPARISONS},
    **{name: _predicate(name) for name in PREDICATES},
    **{f"__{name}__": _operator(name) for name in OPERATORS},
    **{f"__r{name}__": _reflected(name) for name in OPERATORS},
    **{name: _method(name) for name in METHODS},
}
for _name, _member in MEMBERS.items():
    setattr(SetMembers, _name, _member)


class SetOperation(SetMembers, Operation):
    """What is made of a set by operations, whatever set it is."""

    __slots__ = ()


class SetProxy(SetMembers, CellProxy):
    """A cell with a frozenset."""

    __slots__ = ()
    value_type_ = frozenset
    operation_ = SetOperation
