"""What a cell can hold: a function that gives a cell anything else is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import attrs

from replicheck.model.modelling.errors import ModellingError, error_at, with_article
from replicheck.model.modelling.values import HOW

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
