"""Proxies of split sets: what is asked of one reads the columns of few elements.

Whether an item is in a set reads one column, and a question by items those of the
elements of which it gives something. A union or a difference writes the columns of the
items. Where elements are counted, their number is read from one column, and to compare
a set with another one reads that and the columns of the other one's items. All else
reads every column.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import FrameType
from typing import Any, NoReturn, Protocol

from replicheck.explorer.proxies.calls import (
    EQUALS,
    WHOLE,
    Call,
    apply_calls,
    evaluate_call,
    given,
)
from replicheck.explorer.proxies.cell_proxy import Reader, with_special_methods
from replicheck.explorer.proxies.proxy import FieldsProxy, Proxy, unwrap_arguments
from replicheck.explorer.proxies.set_proxy import SetMembers
from replicheck.explorer.states.exact_equality import are_comparable, are_exactly_equal
from replicheck.explorer.states.set_elements import ABSENT, Elements
from replicheck.explorer.states.value_parts import (
    FILTERED,
    SetClass,
    SetSize,
    compares_items,
)

SIZED = frozenset(
    {"__len__", "__eq__", "__ne__", "__le__", "__lt__", "__gt__", "issubset"}
)
"""Questions for which it is enough to know of few items whether they are there, if the
number of elements is known."""
ADDING = frozenset({"__or__", "__ror__", "union"})
REMOVING = frozenset({"__sub__", "difference"})
KEPT = frozenset({"__new__", "__getattr__", "__hash__", "__eq__", "__class__"})
"""Special methods of a class of values that its proxies have of their own."""


class ElementReader(Reader, Protocol):
    """Answers the reads of a proxy of states with split sets."""

    def rely(self, elements: Elements, call: Call) -> None:
        """Note that the answer to a call rests on which elements are shown."""


class SplitSet(SetMembers):
    """A frozenset in a split cell, and what is made of it by operations."""

    __slots__ = ("changes_", "elements_", "reader_")

    def __init__(
        self, reader: ElementReader, elements: Elements, changes: Mapping[Any, bool]
    ) -> None:
        self.reader_, self.elements_ = reader, elements
        self.changes_ = changes
        """Items that were put in, and those that were taken out."""

    @property
    def whole_(self) -> frozenset[Any]:
        """The frozenset; reads the columns of all elements."""
        self.reader_.rely(self.elements_, WHOLE)
        known = self.elements_.known[: self.elements_.shown]
        there = [
            element
            for place, element in enumerate(known)
            if element not in self.changes_ and self.is_read_(place)
        ]
        added = [item for item, is_there in self.changes_.items() if is_there]
        return frozenset(there + added)

    def asked_(self, call: Call) -> Any:
        name, arguments = call
        if name == FILTERED:
            return self.by_item_(call)
        items = given(arguments)
        if name == "__contains__":
            return self.has_(items[0])
        if name in ("__ge__", "issuperset"):
            return all(map(self.has_, self.ordered_(items[0])))
        if name == "isdisjoint":
            return not any(map(self.has_, self.ordered_(items[0])))
        if name in SIZED and self.elements_.encoding.is_counted:
            return self.sized_(name, *items)
        return evaluate_call(self.whole_, call)

    def changed_(self, call: Call) -> Any:
        name, arguments = call
        if name not in ADDING and name not in REMOVING:
            return apply_calls(self.whole_, (call,))
        items = frozenset[Any]().union(*given(arguments))
        changes = dict(self.changes_)
        for item in items:
            if name in REMOVING or name == "__ror__" or not self.is_unlike_there_(item):
                changes.pop(item, None)
                changes[item] = name in ADDING
        return SplitSet(self.reader_, self.elements_, changes)

    def is_unlike_there_(self, item: Any) -> bool:
        """Read whether an item is there that is equal and not the same: that stays."""
        equal = [*self.changes_] if item in self.changes_ else []
        equal = [known for known in equal if known == item]
        place = self.elements_.place(item)
        if not equal and place is not None:
            equal = [self.elements_.known[place]]
        return not all(are_exactly_equal(known, item) for known in equal) and (
            self.has_(item)
        )

    def sized_(self, name: str, items: frozenset[Any] = frozenset()) -> int:
        """Answer a question by the number of elements, and by few of these."""
        if name == "__len__":
            size: int = self.reader_.read(self.elements_.first, ("count", ()))
            return size + self.more_
        ordered = self.ordered_(items)
        match name:
            case "__eq__":
                return self.is_size_(len(items)) and all(map(self.has_, ordered))
            case "__ne__":
                return not self.sized_("__eq__", items)
            case "__gt__":
                return all(map(self.has_, ordered)) and not self.is_size_(len(items))
            case _:
                common = sum(map(self.has_, ordered))
                is_proper = name != "__lt__" or common < len(items)
                return is_proper and self.is_size_(common)

    def is_size_(self, size: int) -> bool:
        """Read whether there are so many elements."""
        call = (EQUALS, (SetSize(size - self.more_),))
        return bool(self.reader_.read(self.elements_.first, call))

    @property
    def more_(self) -> int:
        """How many more elements there are with the changes than without."""
        return sum(
            self.changes_[item] - self.was_there_(item)
            for item in self.ordered_(self.changes_)
        )

    def has_(self, item: Any) -> bool:
        """Read whether an item is there."""
        if isinstance(item, set):
            item = frozenset(item)
        is_there = self.changes_.get(item)
        return self.was_there_(item) if is_there is None else is_there

    def was_there_(self, item: Any) -> bool:
        """Read whether an item is there without the changes."""
        place = self.elements_.place(item)
        if place is not None:
            return self.is_read_(place)
        self.reader_.rely(self.elements_, ("__contains__", (item,)))
        return False

    def is_read_(self, place: int) -> bool:
        column = self.elements_.columns[place]
        return bool(self.reader_.read(column, WHOLE) != ABSENT)

    def asked_in_(self, call: Call, frame: FrameType) -> Any:
        """Answer a question by items that a function asks."""
        if is_hashable(call):
            return self.by_item_(call)
        return evaluate_call(self.elements_.set_class.value(self.whole_), call)

    def by_item_(self, call: Call) -> frozenset[Any]:
        """Answer a question by items."""
        if compares_items(call) and not self.are_comparable_:
            return self.whole_
        of, found = self.elements_.set_class, frozenset[Any]()
        for item, is_there in self.changes_.items():
            if is_there:
                found |= evaluate_call(of.value((item,)), call)
        self.reader_.rely(self.elements_, call)
        chosen = self.elements_.chosen(call, evaluate_call)
        self.elements_.count_chosen(len(chosen))
        for place, choice in chosen:
            element = self.elements_.known[place]
            if element not in self.changes_ and self.is_read_(place):
                if isinstance(choice, Exception):
                    raise choice
                found |= choice
        return found

    @property
    def are_comparable_(self) -> bool:
        """Whether any two can be compared of the elements and the items put in."""
        known = self.elements_.known[: self.elements_.shown]
        return are_comparable([*known, *self.changes_])

    def ordered_(self, items: Iterable[Any]) -> list[Any]:
        """Items in the order in which their columns are read; others are before."""
        place = self.elements_.place
        return sorted(items, key=lambda item: -1 if (at := place(item)) is None else at)


class SplitValue(FieldsProxy):
    """A value of a class that names its members, in a split cell."""

    __slots__ = ("set_",)
    set_: SplitSet
    of_: SetClass

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        """A value of the class, whose methods make one of `type(self)`."""
        values = (*arguments, *named.values())
        if len(values) == 1 and issubclass(type(values[0]), SplitSet):
            return split_value(cls, values[0])
        return cls.of_.kind(*arguments, **named)

    @property
    def whole_(self) -> Any:
        """The value; reads the columns of all elements."""
        return self.of_.value(self.set_.whole_)

    @property
    def __class__(self) -> type:
        return self.of_.kind

    @__class__.setter
    def __class__(self, value: object) -> NoReturn:
        raise TypeError("a cell is frozen")


def split_value(kind: type[SplitValue], items: SplitSet) -> SplitValue:
    """The value with these members."""
    made = object.__new__(kind)
    made.set_ = items
    return made


@cache
def split_value_class(of: SetClass) -> type[SplitValue]:
    """The class of the proxies of values of a class."""
    namespace: dict[str, Any] = {}
    for base in reversed(of.kind.__mro__[:-1]):
        for name, member in vars(base).items():
            if not name.startswith("__") or _is_asked(base, name):
                namespace[name] = member
    namespace |= {name: _by_item(name) for name in of.by_item}
    namespace[of.members] = property(lambda proxy: proxy.set_)
    namespace |= {"__slots__": (), "of_": of}
    made = type(f"SplitValueOf{of.kind.__name__}", (SplitValue,), namespace)
    return with_special_methods(of.kind)(made)


def _is_asked(base: type, name: str) -> bool:
    """Tell whether a special method of a class is one that was written for it."""
    code = getattr(vars(base)[name], "__code__", None)
    is_generated = code is None or code.co_filename.startswith("<attrs generated")
    return not is_generated and name in vars(Proxy) and name not in KEPT


def _by_item(name: str) -> Callable[..., Any]:
    def ask(proxy: SplitValue, *arguments: Any, **named: Any) -> Any:
        call = (name, unwrap_arguments(arguments, named))
        return proxy.set_.asked_in_(call, sys._getframe(1))

    return ask


def is_hashable(call: Call) -> bool:
    """Tell whether a table can have a call."""
    try:
        hash(call)
    except TypeError:
        return False
    return True


def of_class(items: SplitSet) -> SplitSet | SplitValue:
    """What a function sees of a set: it, or the value that holds it."""
    of = items.elements_.set_class
    return split_value(split_value_class(of), items) if of.members else items
