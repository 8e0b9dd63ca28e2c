"""Parts of values: fields that hold a set, a tuple, or a value with fields of its own.

A class whose ``PARTS_ARE_ASKED`` is true promises that each such field holds what its
annotation says, and nothing else. Engines then ask such a field for what a function
wants to know, rather than reading all of it.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping
from functools import cache
from types import CodeType, FunctionType
from typing import Any, ClassVar, Self, get_origin

import attrs
from attrs import frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.states.exact_equality import (
    another_class,
    is_made_by_attrs,
)

FILTERED = "filtered_"
"""The name that asks a set for the items with which a loop does anything.

The arguments are the filter of the loop, and what it is given besides an item.
"""
HANDED_ON: Mapping[str, CodeType] = {
    "__iter__": (lambda self: iter(self.field)).__code__,
    "__len__": (lambda self: len(self.field)).__code__,
}
"""Special methods that may be those of one field, with the code that they then have."""
HOOKS = ("__attrs_pre_init__", "__attrs_post_init__")
"""Methods of a class that attrs calls for each new value."""


def compares_items(call: tuple[str, tuple[Any, ...]]) -> bool:
    """Tell whether a call is of a loop over what is sorted by the items themselves."""
    name, arguments = call
    return name == FILTERED and bool(arguments[0].compares_items)


@cache
def kinds_of_parts(kind: Any) -> Mapping[str, type]:
    """The classes of the parts of a class of values, by the names of their fields."""
    if not _asks_parts(kind):
        return {}
    try:
        hints = typing.get_type_hints(kind)
    except NameError:
        # An annotation names what no module has: such a field is read as a whole.
        return {}
    parts = {}
    for field in attrs.fields(kind):
        part = get_origin(hints[field.name]) or hints[field.name]
        if part in (frozenset, tuple) or _is_final(part):
            parts[field.name] = part
    return parts


def require_parts(value: Any) -> None:
    """Refuse a value in which a part is not what its annotation says.

    Raises:
        ModelError: naming the field, its class and what it holds.
    """
    kind: Any = type(value)
    for name, expected in kinds_of_parts(kind).items():
        part = getattr(value, name)
        if type(part) is not expected:
            raise ModelError(
                f"the field {kind.__name__}.{name} is annotated as"
                f" {expected.__name__} and holds {part!r}: annotate it as what it holds"
            )
        require_parts(part)


def is_made_by_fields(kind: Any) -> bool:
    """Tell whether attrs made the constructor of a class, rather than who wrote it."""
    return is_made_by_attrs(kind.__init__)


def takes_fields_as_given(kind: Any) -> bool:
    """Tell whether nothing converts what a value of a class is made of, or adds to it.

    So to make it once more of what it holds changes nothing.
    """
    if not is_made_by_fields(kind) or any(hasattr(kind, name) for name in HOOKS):
        return False
    return all(field.converter is None for field in attrs.fields(kind))


def is_as_given(kind: Any) -> bool:
    """Tell whether a value of a class holds what it is made of, whatever that is.

    So nothing converts it, refuses it or adds to it.
    """
    return takes_fields_as_given(kind) and all(
        field.init and field.validator is None for field in attrs.fields(kind)
    )


def is_handed_on(code: CodeType, names: Mapping[str, object]) -> bool:
    """Tell whether a special method calls a builtin with a field, and no more.

    Args:
        names: the global names of the method.
    """
    expected = HANDED_ON.get(code.co_name)
    if expected is None or code.co_code != expected.co_code:
        return False
    builtin = expected.co_names[0]
    return code.co_names[0] == builtin and builtin not in names


def hands_on(kind: type, name: str, field: str) -> bool:
    """Tell whether a special method of a class is that of a field of its values."""
    method = getattr(kind, name, None)
    if not isinstance(method, FunctionType):
        return False
    code = method.__code__
    return is_handed_on(code, method.__globals__) and code.co_names[1] == field


@frozen
class SetSize:
    """The number of elements of a split set.

    It adds to a fingerprint what the empty set does, whatever the number is: each
    element adds a part of its own.
    """

    COMMUTING: ClassVar[frozenset[str]] = frozenset({"plus"})

    count: int

    def plus(self, more: int) -> Self:
        """The number with more elements, or with fewer."""
        return type(self)(self.count + more)


@frozen
class SetClass:
    """The class of the values of a cell that has sets.

    A class of values with one field, a frozenset, may name it in ``MEMBERS``. In
    ``BY_ITEM`` it may name methods that give a frozenset, and promise of each of them
    that what it gives of a set is all that it gives of each item alone.
    """

    kind: type
    members: str = ""
    """The field that holds the frozenset; none if the value is one."""
    by_item: frozenset[str] = frozenset()
    is_iterated: bool = False
    """Whether to iterate a value is to iterate that field."""

    def items(self, cell: str, value: Any) -> frozenset[Any]:
        """The items of a value of this class.

        Raises:
            ModelError: if it is of another class.
        """
        if self.members and type(value) is self.kind:
            members = getattr(value, self.members)
        else:
            members = None if self.members else value
        if isinstance(members, frozenset):
            return members
        raise another_class(cell, self.kind, value)

    def is_by_item(self, name: str) -> bool:
        """Tell whether a question gives of a set what it gives of each item alone."""
        return name == FILTERED or name in self.by_item

    def value(self, items: Iterable[Any]) -> Any:
        """The value of this class with these items."""
        members = frozenset(items)
        return self.kind(members) if self.members else members


def set_class_of(value: Any) -> SetClass | None:
    """What is known of the class of a value; None if its values are no sets."""
    kind: Any = type(value)
    return _set_class(kind)


@cache
def _set_class(kind: Any) -> SetClass | None:
    if issubclass(kind, frozenset):
        return SetClass(frozenset)
    members: str | None = getattr(kind, "MEMBERS", None)
    if members is None or not attrs.has(kind) or not is_as_given(kind):
        return None
    names = [field.name for field in attrs.fields(kind)]
    by_item: frozenset[str] = getattr(kind, "BY_ITEM", frozenset())
    if names != [members]:
        return None
    return SetClass(kind, members, by_item, hands_on(kind, "__iter__", members))


def has_items(value: Any) -> bool:
    """Tell whether a column's value may have other parts than itself."""
    return type(value) in (tuple, SetSize) or set_class_of(value) is not None


def parts_of(value: Any) -> Iterable[Any]:
    """The parts of a column's value that add to a fingerprint, each by itself.

    Those of a set are the empty set, and its items, each a tuple of it alone. So are
    the parts of what the columns of a split set say. Any other value is one.
    """
    if type(value) is tuple:
        return (value,) if value else ()
    if type(value) is SetSize:
        return (frozenset(),)
    of = set_class_of(value)
    if of is None:
        return (value,)
    items = getattr(value, of.members) if of.members else value
    if not isinstance(items, frozenset):
        return (value,)
    return [frozenset(), *((item,) for item in items)]


def _asks_parts(kind: Any) -> bool:
    return attrs.has(kind) and getattr(kind, "PARTS_ARE_ASKED", False)


def _is_final(kind: Any) -> bool:
    """Tell whether what is annotated as this class is of this class itself."""
    return isinstance(kind, type) and _asks_parts(kind) and not kind.__subclasses__()
