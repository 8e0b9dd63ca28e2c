"""Values of cells as a person would note them down: short, and without quotes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any

import attrs

from replicheck.traces.printable_text import printable_line

LONG_SET = 24
"""From this many characters on, only what changed in a set is shown."""


def note(value: Any) -> str:
    """A value in short: ``[…]`` a sequence, ``{…}`` a set, ``(…)`` a record.

    A class that defines ``__str__`` decides for itself.
    """
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Enum():
            return value.name.lower()
        case tuple():
            return f"[{', '.join(map(note, value))}]"
        case frozenset():
            return f"{{{', '.join(map(note, in_order(value)))}}}"
    if not is_record(value):
        return printable_line(str(value))
    inside = fields_of(value)
    if len(inside) == 1:
        return note(*inside.values())
    return f"({note_fields(inside)})"


def note_cell(value: Any) -> str:
    """The value of a cell; the brackets around a record are left out."""
    if is_record(value) and len(fields_of(value)) > 1:
        return note_fields(fields_of(value))
    return note(value)


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
    if isinstance(old, frozenset) and isinstance(new, frozenset):
        whole = f"{note(old)} -> {note(new)}"
        return whole if len(note(old | new)) < LONG_SET else _difference(old, new)
    return f"{note(old)} -> {note(new)}"


def note_fields(inside: dict[str, Any]) -> str:
    """The fields of a record, each as its name and value."""
    return ", ".join(f"{name} {note(value)}" for name, value in inside.items())


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of an attrs value that tell it from another."""
    names = [field.name for field in attrs.fields(type(value)) if field.eq]
    return {name: getattr(value, name) for name in names}


def in_order(values: Iterable[Any]) -> list[Any]:
    """The elements of a set in an order that is the same in every process."""
    elements = list(values)
    if all(isinstance(element, int) for element in elements):
        return sorted(elements)
    return sorted(elements, key=note)


def is_record(value: Any) -> bool:
    """Tell whether a value is noted by its fields."""
    return attrs.has(type(value)) and "__str__" not in vars(type(value))


def _difference(old: frozenset[Any], new: frozenset[Any]) -> str:
    gone = [f"- {note(element)}" for element in in_order(old - new)]
    come = [f"+ {note(element)}" for element in in_order(new - old)]
    return ", ".join(gone + come)
