"""Values of cells as a person would note them down: short, and without quotes."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from enum import Enum
from typing import Any

import attrs

from replicheck.traces.printable_text import printable_line

LONG_SET = 24
"""From this many characters on, only what changed in a set is shown.

Of records that is shown of any set, with their classes.
"""
LONG_SEQUENCE = 40
"""From this many characters on, only what changed in a sequence is shown."""


def note(value: Any) -> str:
    """A value in short: ``[…]`` a sequence, ``{…}`` a set, ``(…)`` a record.

    A record without fields is the name of its class. A class that defines ``__str__``
    decides for itself.
    """
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Enum():
            return (value.name or "none").lower()
        case tuple():
            return f"[{', '.join(_notes(value))}]"
        case frozenset():
            return f"{{{', '.join(_notes(in_order(value)))}}}"
    if not is_record(value):
        return printable_line(str(value))
    inside = fields_of(value)
    if not inside:
        return type(value).__name__
    if len(inside) == 1:
        return note(*inside.values())
    return f"({note_fields(inside)})"


def _notes(values: Sequence[Any]) -> Iterable[str]:
    """Elements of a container in short; records of several classes have their names."""
    classes = {type(value) for value in values if is_record(value)}
    return map(note if len(classes) < 2 else _note_with_class, values)


def _note_with_class(value: Any) -> str:
    """Value in short, a record with the name of its class."""
    if not is_record(value):
        return note(value)
    inside = fields_of(value)
    return f"{type(value).__name__}({note_fields(inside)})" if inside else note(value)


def _note_named(value: Any) -> str:
    """Value in short, records with the names of their classes, also within a tuple."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_note_named, value))}]"
    return _note_with_class(value)


def note_cell(value: Any) -> str:
    """The value of a cell; the brackets around a record are left out."""
    if is_record(value) and len(fields_of(value)) > 1:
        return note_fields(fields_of(value))
    return note(value)


def note_without_defaults(value: Any) -> str:
    """Value of a cell, of a record only the fields that do not have their default."""
    if not is_record(value):
        return note_cell(value)
    defaults = _defaults(type(value))
    inside = {
        name: inner
        for name, inner in fields_of(value).items()
        if name not in defaults or defaults[name] != inner
    }
    return note_fields(inside) if len(fields_of(value)) > 1 else note(value)


def note_change(old: Any, new: Any) -> str:
    """Difference of a new value, field by field where it has fields."""
    if is_record(old) and type(old) is type(new):
        before, after = fields_of(old), fields_of(new)
        only = len(before) == 1
        return ", ".join(
            note_change(before[name], after[name])
            if only
            else f"{name} {note_change(before[name], after[name])}"
            for name in before
            if before[name] != after[name]
        )
    if is_record(old) and is_record(new):
        return f"{_note_with_class(old)} -> {_note_with_class(new)}"
    if isinstance(old, frozenset) and isinstance(new, frozenset):
        is_short = len(note(old | new)) < LONG_SET
        if is_short and not any(map(_has_record, old ^ new)):
            return f"{note(old)} -> {note(new)}"
        return _difference(old, new)
    if isinstance(old, tuple) and isinstance(new, tuple):
        whole = f"{note(old)} -> {note(new)}"
        return whole if len(whole) < LONG_SEQUENCE else _sequence_change(old, new)
    return f"{note(old)} -> {note(new)}"


def note_moved(old: Any, new: Any, told: Container[Any]) -> tuple[list[str], list[str]]:
    """What left the sets in a value and what came into them, but for what is told.

    Records are looked into, field by field.
    """
    if isinstance(old, frozenset) and isinstance(new, frozenset):
        gone, come = (
            [f"{sign} {_note_named(element)}" for element in in_order(moved)]
            for sign, moved in (
                ("-", {element for element in old - new if element not in told}),
                ("+", {element for element in new - old if element not in told}),
            )
        )
        return gone, come
    gone, come = [], []
    if is_record(old) and type(old) is type(new):
        after = fields_of(new)
        for name, value in fields_of(old).items():
            left, came = note_moved(value, after[name], told)
            gone, come = gone + left, come + came
    return gone, come


def note_fields(inside: dict[str, Any]) -> str:
    """The fields of a record, each as its name and value."""
    return ", ".join(f"{name} {note(value)}" for name, value in inside.items())


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of an attrs value that tell it from another."""
    names = [field.name for field in attrs.fields(type(value)) if field.eq]
    return {name: getattr(value, name) for name in names}


def _defaults(record: type) -> dict[str, Any]:
    """Defaults of the fields of an attrs class that have one."""
    return {
        field.name: field.default.factory()
        if isinstance(field.default, attrs.Factory)  # type: ignore[arg-type]
        else field.default
        for field in attrs.fields(record)
        if field.default is not attrs.NOTHING
    }


def in_order(values: Iterable[Any]) -> list[Any]:
    """The elements of a set in an order that is the same in every process."""
    elements = list(values)
    if all(isinstance(element, int) for element in elements):
        return sorted(elements)
    return sorted(elements, key=note)


def is_record(value: Any) -> bool:
    """Tell whether a value is noted by its fields."""
    return attrs.has(type(value)) and "__str__" not in vars(type(value))


def _has_record(value: Any) -> bool:
    """Tell whether a value is a record, or a tuple with one in it."""
    if isinstance(value, tuple):
        return any(map(_has_record, value))
    return is_record(value)


def _difference(old: frozenset[Any], new: frozenset[Any]) -> str:
    gone = [f"- {_note_named(element)}" for element in in_order(old - new)]
    come = [f"+ {_note_named(element)}" for element in in_order(new - old)]
    return ", ".join(gone + come)


def _sequence_change(old: tuple[Any, ...], new: tuple[Any, ...]) -> str:
    """What was taken from the head and added at the end, or changed at an index."""
    as_queue = _queue_change(old, new)
    if len(old) != len(new):
        return as_queue
    by_index = ", ".join(
        f"[{index}] {note_change(before, after)}"
        for index, (before, after) in enumerate(zip(old, new, strict=True))
        if before != after
    )
    return min(by_index, as_queue, key=len)


def _queue_change(old: tuple[Any, ...], new: tuple[Any, ...]) -> str:
    """What was taken from the head, and what was added at the end."""
    kept = max(
        count
        for count in range(min(len(old), len(new)) + 1)
        if old[len(old) - count :] == new[:count]
    )
    taken = [f"- {_note_with_class(value)}" for value in old[: len(old) - kept]]
    added = [f"+ {_note_with_class(value)}" for value in new[kept:]]
    return ", ".join((*taken, *added))
