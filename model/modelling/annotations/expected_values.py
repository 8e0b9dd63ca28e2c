"""Expected values: whether a value is one that the annotation of its cell names.

Only what is certain counts. Classes, enumerations, unions, literals, tuples and
frozensets are understood, and the fields of a frozen value by their own annotations. A
value of anything else, such as a protocol or a type variable, is let through.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Union, Unpack, get_args, get_origin

import attrs

from replicheck.model.modelling.annotations.type_arguments import (
    substituted,
    text_of,
    variables_of,
)

ANYTHING = (Any, object, float, complex)
"""What values of other classes may stand for, such as 1 for a float."""
PLAIN = frozenset({bool, bytes, int, str, NoneType})
"""Classes whose values have no parts."""
Fault = tuple[Any, Any]
"""A part of a value, or it, and the annotation that names no such thing."""
Find = Callable[[Any], Fault | None]
"""What finds the first fault in a value, if there is one."""


def fault_in_cell(states: type, field: str, value: Any) -> str:
    """What is wrong with a value in a cell of a class of states; empty if nothing is.

    Args:
        field: the cell, or the family of cells.
    """
    find = _of_cells(states).get(field)
    # A tuple is in no cell: that a family has another shape is told by engines.
    if find is None or isinstance(value, tuple) or (fault := find(value)) is None:
        return ""
    part, expected = fault
    written = text_of(typing.get_type_hints(states)[field])
    held = _with_class(part)
    if part is not value:
        held = f"{value!r} with {held} in it where {text_of(expected)} is expected"
    return (
        f"the cell `{field}` holds {held}, and `{states.__name__}.{field}` is annotated"
        f" as {written}: {_remedy(part, expected)}"
    )


def _with_class(part: Any) -> str:
    if part is None:
        return "None"
    name = type(part).__name__
    return f"{part!r} ({'an' if name[0] in 'aeioAEIO' else 'a'} {name})"


def _remedy(part: Any, expected: Any) -> str:
    is_number = type(part) is int and isinstance(expected, type)
    if is_number and issubclass(expected, int) and expected is not bool:
        return f"write `{expected.__name__}({part})`, or change the annotation"
    return "write another value, or change the annotation"


@cache
def _of_cells(states: type) -> dict[str, Find]:
    """What finds faults in the cells of a class of states, by the names of fields."""
    found = {}
    for name, hint in _hints(states).items():
        find = _of_choices(tuple(_members(hint)), hint)
        if find is not None:
            found[name] = find
    return found


def _hints(kind: Any) -> dict[str, Any]:
    """The annotations of the fields of a class; none if Python cannot read them."""
    try:
        hints = typing.get_type_hints(kind)
    except (NameError, TypeError):
        return {}
    names = {
        field.name
        for field in attrs.fields(kind)
        if field.eq and field.converter is None
    }
    return {name: hint for name, hint in hints.items() if name in names}


def _members(hint: Any) -> Iterator[Any]:
    """Yield the annotations of the cells of a family; a tuple has one for each."""
    hint = _plain(hint)
    if get_origin(hint) is tuple:
        for inner in get_args(hint):
            yield from () if inner is ... else _members(inner)
    else:
        yield Any if hint is tuple else hint


def _plain(hint: Any) -> Any:
    """The annotation for which a name stands."""
    while isinstance(hint, NewType):
        hint = hint.__supertype__
    named = type(hint).__name__ == "TypeAliasType"
    return _plain(hint.__value__) if named else hint


@cache
def _finder(hint: Any) -> Find | None:
    """What finds faults by an annotation; None if that lets anything be there."""
    hint = _plain(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _of_choices(arguments, hint)
    if origin is Literal:
        return _of_literals(hint)
    if origin is tuple and arguments:
        return _of_tuple(hint)
    if origin is frozenset and arguments:
        return _of_items(frozenset, _finder(arguments[0]))
    kind = NoneType if hint is None else origin or hint
    if not isinstance(kind, type) or kind in ANYTHING:
        return None
    is_known = origin in (None, tuple, frozenset) or attrs.has(kind)
    if not is_known or getattr(kind, "_is_protocol", False):
        return None
    return _of_class(kind, arguments)


def _of_class(kind: type, arguments: tuple[Any, ...]) -> Find:
    def find(value: Any) -> Fault | None:
        if not isinstance(value, kind):
            return value, kind
        own: Any = type(value)
        for name, find_within in _of_fields(own, arguments if own is kind else ()):
            fault = find_within(getattr(value, name))
            if fault is not None:
                return fault
        return None

    return find


@cache
def _of_fields(kind: Any, arguments: tuple[Any, ...]) -> tuple[tuple[str, Find], ...]:
    """What finds faults in the fields of values of a class."""
    if not attrs.has(kind):
        return ()
    variables = variables_of(kind, arguments)
    found = (
        (name, _finder(substituted(hint, variables)))
        for name, hint in _hints(kind).items()
    )
    return tuple((name, find) for name, find in found if find is not None)


def _of_choices(choices: tuple[Any, ...], hint: Any) -> Find | None:
    """What finds faults where any of some annotations may be meant."""
    finders = [_finder(choice) for choice in choices]
    found = [find for find in finders if find is not None]
    if len(found) < len(finders) or len(found) < 2:
        return finders[0] if len(finders) == 1 else None

    def find_in_all(value: Any) -> Fault | None:
        is_one = any(find(value) is None for find in found)
        return None if is_one else (value, hint)

    return find_in_all


def _of_literals(hint: Any) -> Find:
    literals = get_args(hint)

    def find(value: Any) -> Fault | None:
        is_one = any(
            isinstance(value, type(literal)) and value == literal
            for literal in literals
        )
        return None if is_one else (value, hint)

    return find


def _of_tuple(hint: Any) -> Find:
    arguments = get_args(hint)
    if len(arguments) == 2 and arguments[1] is ...:
        return _of_items(tuple, _finder(arguments[0]))
    if any(map(_is_unpacked, arguments)):
        return _of_items(tuple, None)
    finders = [_finder(argument) for argument in arguments]

    def find(value: Any) -> Fault | None:
        if not isinstance(value, tuple) or len(value) != len(finders):
            return value, hint
        for find_within, part in zip(finders, value, strict=True):
            fault = None if find_within is None else find_within(part)
            if fault is not None:
                return fault
        return None

    return find


def _is_unpacked(argument: Any) -> bool:
    """Tell whether an argument of a tuple stands for several elements."""
    return get_origin(argument) is Unpack or getattr(argument, "__unpacked__", False)


def _of_items(kind: Any, find: Find | None) -> Find:
    without_faults: set[type] = set()
    """Classes of items in which there is nothing else to look at."""

    def find_in_items(value: Any) -> Fault | None:
        if not isinstance(value, kind):
            return value, kind
        if find is None or without_faults.issuperset(map(type, value)):
            return None
        if all(find(item) is None for item in value):
            without_faults.update(filter(PLAIN.__contains__, map(type, value)))
            return None
        items = value if kind is tuple else sorted(value, key=repr)
        return next(fault for item in items if (fault := find(item)))

    return find_in_items
