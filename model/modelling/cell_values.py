"""What a cell can hold: a function that gives a cell anything else is refused."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    MutableSequence,
    MutableSet,
)
from enum import Enum
from types import NoneType, UnionType
from typing import Any, ClassVar, Union, get_args, get_origin

import attrs

from replicheck.model.modelling.containers import Bag, Map, Queue, Set
from replicheck.model.modelling.errors import ModellingError, error_at, with_article
from replicheck.model.modelling.values import State

HOW = {
    list: "a tuple where the length never changes, else a Queue",
    dict: "a tuple with one element for each key, else a Map",
    set: "a frozenset",
    bytearray: "bytes",
    float: "an int, since equal states must be one state",
}
MUTABLE = (MutableMapping, MutableSequence, MutableSet)
COLLECTIONS = (dict, frozenset, list, set, tuple)
OPERATIONS: Mapping[type, str] = {
    Bag: "add(item)",
    Map: "put(key, value)",
    Queue: "append(item)",
    Set: "add(item)",
}
"""An operation of each class that holds what a collection of Python would."""
PLAIN = (int, str, bytes, Enum)


def require_cell_value(
    function: Callable[..., Any], cell: str, old: object, new: object
) -> None:
    """Refuse a value that has no canonical form, or is of another class than before.

    Args:
        cell: the field of the state.
        old: what is in the cell before.

    Raises:
        ModellingError: naming the function that gives the value, and the cell.
    """
    if type(old) in OPERATIONS and isinstance(new, COLLECTIONS):
        raise error_at(
            function,
            f"{function.__name__} gives {cell} {with_article(new)}, and {cell} is"
            f" {with_article(old)}: write what an operation makes of it, such as"
            f" `{cell}=s.{cell}.{OPERATIONS[type(old)]}`",
        )
    named = next(_named_tuples(new), None)
    if named is not None:
        raise error_at(
            function,
            f"{function.__name__} gives {cell} {with_article(named)}, a named tuple,"
            " and a state has one cell for each element of a tuple: derive"
            f" {type(named).__name__} from Value of replicheck.modelling",
        )
    unfit = next(_unfit_parts(new), None)
    if unfit is not None:
        raise _unfit(function, cell, new, unfit)
    _require_class(function, cell, old, new)


def require_annotated(function: Callable[..., Any], state: State) -> None:
    """Refuse a state with a value of another class than its annotation names.

    Raises:
        ModellingError: naming the function that gives it, and the cell.
    """
    for field in attrs.fields(type(state)):
        for value in _cells_of(getattr(state, field.name)):
            fault = state.fault_in_cell_(field.name, value)
            if fault:
                raise error_at(function, f"after {function.__name__} {fault}")


def require_constant(function: Callable[..., Any], name: str, value: object) -> None:
    """Refuse a constant that can change.

    Raises:
        ModellingError: naming the function that gives it, and the field.
    """
    try:
        hash(value)
    except TypeError as error:
        raise _unfit(function, name, value, value) from error


def _unfit(
    function: Callable[..., Any], name: str, value: object, part: object
) -> ModellingError:
    within = "" if part is value else f" with {with_article(part)} in it"
    why = "can change" if type(part).__hash__ is None else "has no canonical form"
    how = HOW.get(type(part), "a tuple, a frozenset or a Value")
    return error_at(
        function,
        f"{function.__name__} gives {name} {with_article(value)}{within}, which {why}:"
        f" use {how}",
    )


def _require_class(
    function: Callable[..., Any], cell: str, old: object, new: object
) -> None:
    if isinstance(old, tuple) and isinstance(new, tuple):
        for first, second in zip(old, new, strict=False):
            _require_class(function, cell, first, second)
    elif (attrs.has(type(old)) or attrs.has(type(new))) and type(old) is not type(new):
        raise error_at(
            function,
            f"{function.__name__} gives {cell} {with_article(new)} where"
            f" {with_article(old)} was, but a cell keeps its class: use Optional of"
            " replicheck.modelling, or one Value with a field that tells them apart",
        )


def _named_tuples(value: object) -> Iterator[object]:
    """Yield named tuples among the cells that a value of a field is."""
    if isinstance(value, tuple):
        if type(value) is not tuple:
            yield value
        for element in value:
            yield from _named_tuples(element)


def _cells_of(value: object) -> Iterator[object]:
    """Yield the cells of a field, of which a tuple has one for each element."""
    if isinstance(value, tuple):
        for element in value:
            yield from _cells_of(element)
    else:
        yield value


def _unfit_parts(value: Any) -> Iterator[object]:
    """Yield the parts of a value, or itself, that can be in no cell."""
    if value is None or isinstance(value, PLAIN):
        return
    kind: Any = type(value)
    if isinstance(value, tuple | frozenset):
        for part in value:
            yield from _unfit_parts(part)
    elif attrs.has(kind) and kind.__hash__ is not None:
        for field in attrs.fields(kind):
            if field.eq:
                yield from _unfit_parts(getattr(value, field.name))
    else:
        yield value


def require_values(kind: type) -> None:
    """Refuse a class with a field that cannot be in a state, or has one in it.

    Raises:
        ModellingError: naming the class, the field and what to write instead.
    """
    try:
        hints = typing.get_type_hints(kind)
    except NameError as error:
        raise error_at(kind, f"an annotation of {kind.__name__}: {error}") from error
    for name, hint in hints.items():
        if get_origin(hint) is not ClassVar:
            _require_one_class(kind, name, hint)
    _require_fields(kind, hints)
    for inner in sorted(_classes_in(hints.values(), {kind}), key=repr):
        _require_fields(inner, _hints(inner))


def _require_fields(kind: type, hints: Mapping[str, Any]) -> None:
    for name, hint in hints.items():
        wrong = None if get_origin(hint) is ClassVar else _not_a_value(hint)
        if wrong is not None:
            how = HOW.get(wrong, "a Value, or an attrs class that is frozen")
            raise error_at(
                kind,
                f"the field {kind.__name__}.{name} holds a {wrong.__name__}, which can"
                f" change or has no canonical form: use {how}",
            )


def _classes_in(hints: Iterable[Any], known: set[Any]) -> set[Any]:
    """The classes with fields within annotations, and within those of their fields."""
    found = set()
    for hint in hints:
        kind = get_origin(hint) or hint
        if isinstance(kind, type) and attrs.has(kind) and kind not in known:
            known.add(kind)
            found |= {kind} | _classes_in(_hints(kind).values(), known)
        found |= _classes_in(get_args(hint), known)
    return found


def _hints(kind: type) -> Mapping[str, Any]:
    """The annotations of a class of values; none if Python cannot read them."""
    try:
        return typing.get_type_hints(kind)
    except NameError:
        return {}


def _require_one_class(kind: type, name: str, hint: Any) -> None:
    """Refuse a cell that holds a record or a set, and something else."""
    if get_origin(hint) is tuple:
        for inner in get_args(hint):
            _require_one_class(kind, name, inner)
    if get_origin(hint) not in (Union, UnionType):
        return
    choices = [get_origin(choice) or choice for choice in get_args(hint)]
    records = [c for c in choices if c is frozenset or attrs.has(c)]
    if records:
        some = records[0].__name__
        others = " or ".join(
            "None" if choice is NoneType else choice.__name__
            for choice in choices
            if choice is not records[0]
        )
        raise error_at(
            kind,
            f"the field {kind.__name__}.{name} holds a {some} or {others}, but a cell"
            f" keeps its class: use Optional[{some}] of replicheck.modelling, or one"
            " Value with a field that tells them apart",
        )


def _not_a_value(hint: Any) -> type | None:
    """Class within an annotation whose values can be in no state."""
    kind = get_origin(hint) or hint
    if isinstance(kind, type):
        if kind in HOW or issubclass(kind, MUTABLE) or kind is Mapping:
            return kind
        if attrs.has(kind) and kind.__hash__ is None:
            return kind
        if dataclasses.is_dataclass(kind) and not attrs.has(kind):
            return kind
    return next(filter(None, map(_not_a_value, get_args(hint))), None)
