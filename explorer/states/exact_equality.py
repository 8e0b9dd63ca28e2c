"""Exact equality: telling values apart that Python calls equal.

``True == 1 == 1.0``, a named tuple equals a tuple, and a class may leave fields out
when it compares. A function can tell such values apart, so none may stand for another.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, Self

import attrs

from replicheck.explorer.errors import ModelError

UNMISTAKABLE = frozenset({bytes, int, NoneType, str})
"""Classes of which two equal values are alike, if both are of one of these classes."""
COLLECTIONS = frozenset({frozenset, tuple})
"""Classes of which two equal values are alike, if their elements are."""
ORDERED = (int, str)
"""Classes of which any two values can be compared."""


def are_exactly_equal(value: Any, candidate: Any) -> bool:
    """Tell whether two values that are equal are also alike, at any depth."""
    if value is candidate:
        return True
    if type(value) is not type(candidate):
        return False
    kind: Any = type(value)
    if kind in UNMISTAKABLE:
        return bool(value == candidate)
    if isinstance(value, tuple):
        if len(value) != len(candidate):
            return False
        if all(map(operator.is_, value, candidate)):
            return True
        return all(map(are_exactly_equal, value, candidate))
    if isinstance(value, frozenset):
        if are_unmistakable(value) and are_unmistakable(candidate):
            return True
        alike = {element: element for element in candidate}
        return len(value) == len(alike) and all(
            element in alike and are_exactly_equal(element, alike[element])
            for element in value
        )
    names, _ = _fields(kind)
    if names:
        fields, candidates = _values(value, names), _values(candidate, names)
        if all(map(operator.is_, fields, candidates)):
            return True
        return all(map(are_exactly_equal, fields, candidates))
    return repr(value) == repr(candidate) if kind is float else value == candidate


def unlike_values(cell: str, known: Any, value: Any) -> ModelError:
    """Error about a cell that has two values that are equal and yet not the same."""
    where, first, second = _first_unlike(cell, known, value)
    one, another = _told_apart(first, second)
    which, both = f" ({_classes(first, second)})", f"both {one} and {another}"
    if where != cell:
        which = f", as `{where}` is {one} in one and {another} in the other"
        texts = dict.fromkeys((repr(known), repr(value)))
        both = f"both {' and '.join(texts)}" if len(texts) == 2 else f"{known!r} twice"
    how = "write one of them everywhere"
    if type(first) is type(second):
        how += ", and have `==` compare every field"
    return ModelError(
        f"the cell `{cell}` is {both}, which are equal in Python and yet two values"
        f"{which}: {how}"
    )


def _first_unlike(where: str, known: Any, value: Any) -> tuple[str, Any, Any]:
    """The first part in which two equal values are not alike, and where it is."""
    if type(known) is type(value):
        for place, first, second in _parts(where, known, value):
            if not are_exactly_equal(first, second):
                return _first_unlike(place, first, second)
    return where, known, value


def _parts(where: str, known: Any, value: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the parts of two equal values side by side, each with where it is."""
    if isinstance(known, tuple):
        for index, (first, second) in enumerate(zip(known, value, strict=False)):
            yield f"{where}[{index}]", first, second
    elif isinstance(known, frozenset):
        alike = {element: element for element in value}
        for element in sorted(filter(alike.__contains__, known), key=repr):
            yield f"{where}{{{element!r}}}", element, alike[element]
    else:
        kind: Any = type(known)
        for name in _fields(kind)[0]:
            yield f"{where}.{name}", getattr(known, name), getattr(value, name)


def _told_apart(first: Any, second: Any) -> tuple[str, str]:
    """Texts of two values, with their classes if they look the same without."""
    if repr(first) != repr(second):
        return repr(first), repr(second)
    one, another = (f"{type(part).__name__}({part!r})" for part in (first, second))
    return one, another


def _classes(*values: Any) -> str:
    """The names of the classes of some values, each once."""
    return " and ".join(dict.fromkeys(type(value).__name__ for value in values))


def unhashable(cell: str, value: Any, error: TypeError) -> ModelError:
    """Error about a cell that gets a value that Python cannot hash."""
    return ModelError(
        f"the cell `{cell}` holds {value!r} of type {type(value).__name__}, which"
        f" cannot be hashed ({error}): use frozen attrs values, tuples and frozensets"
    )


def another_class(cell: str, kind: type, value: Any) -> ModelError:
    """Error about a cell whose values were of a class, and that gets another one."""
    given = repr(value)
    if type(value).__hash__ is None:
        given += f" of type {type(value).__name__}"
    return ModelError(
        f"the cell `{cell}` was a {kind.__name__} and is now {given}: a cell keeps"
        f" its class{_made_by_operations(kind)}"
    )


def _made_by_operations(kind: Any) -> str:
    """What a class of values has that makes another one, if anything."""
    names = [
        name
        for name, member in vars(kind).items()
        if not name.startswith("_")
        and getattr(member, "__annotations__", {}).get("return") in ("Self", Self)
    ]
    return f", so write what its operations make: {', '.join(names)}" if names else ""


def distinction(value: Any) -> Any:
    """A hashable mark of what `==` does not see of a value; None where it sees all.

    Two equal values with equal marks are exactly equal.
    """
    kind: Any = type(value)
    if kind in UNMISTAKABLE or (kind in COLLECTIONS and are_unmistakable(value)):
        return None
    if isinstance(value, Enum) and kind.__eq__ is object.__eq__:
        return None
    if isinstance(value, tuple):
        marks = tuple(map(distinction, value))
        return (_name(kind), marks) if kind is not tuple or any(marks) else None
    if isinstance(value, frozenset):
        marked = frozenset((element, distinction(element)) for element in value)
        return (_name(kind), marked) if any(mark for _, mark in marked) else None
    names, unseen = _fields(kind)
    if not names:
        return (_name(kind), repr(value)) if kind is float else _name(kind)
    fields = _values(value, names)
    if not unseen and are_unmistakable(fields):
        return None
    marks = tuple(map(distinction, fields))
    if unseen:
        return _name(kind), marks, tuple(_values(value, unseen))
    return (_name(kind), marks) if any(marks) else None


def fields_compared(kind: Any) -> tuple[str, ...]:
    """The fields of a class whose values are equal if all fields are; else none."""
    names, unseen = _fields(kind)
    if unseen or not attrs.has(kind):
        return ()
    if any(field.eq_key is not None for field in attrs.fields(kind)):
        return ()
    return names


def are_unmistakable(values: Iterable[Any]) -> bool:
    """Tell whether every value is of a class of `UNMISTAKABLE`."""
    return UNMISTAKABLE.issuperset(map(type, values))


def _values(value: Any, names: Iterable[str]) -> list[Any]:
    """The values of a frozen value's fields."""
    return [getattr(value, name) for name in names]


def _name(kind: Any) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


@cache
def _fields(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a class of frozen values, and those that its `==` may not see."""
    if not attrs.has(kind):
        return (), ()
    fields = attrs.fields(kind)
    names = tuple(field.name for field in fields)
    if is_compared_by_fields(kind):
        return names, tuple(field.name for field in fields if not field.eq)
    return names, names


def is_compared_by_fields(kind: Any) -> bool:
    """Tell whether attrs made the `==` of a class, rather than who wrote the class."""
    return is_made_by_attrs(kind.__eq__)


def is_made_by_attrs(method: Any) -> bool:
    """Tell whether attrs made a method of a class, rather than who wrote the class."""
    code = getattr(method, "__code__", None)
    return code is not None and code.co_filename.startswith("<attrs generated")


def order_of(item: object) -> Any:
    """What an item has in common with those that can be compared with it.

    None if it is not known of what kind these are. Numbers are of one kind, and so are
    texts; tuples are of one if they are as long and what is in them is of one kind.
    """
    for ordered in ORDERED:
        if isinstance(item, ordered) and type(item).__lt__ is ordered.__lt__:
            return ordered
    if not isinstance(item, tuple) or type(item).__lt__ is not tuple.__lt__:
        return None
    parts = tuple(map(order_of, item))
    return None if None in parts else parts


def are_comparable(items: Iterable[object]) -> bool:
    """Tell whether any two of some items can be compared, as far as is known."""
    orders = set(map(order_of, items))
    return len(orders) <= 1 and None not in orders
