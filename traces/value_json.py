"""Values and runs as JSON and back again.

What comes back equals what was written, but a named tuple comes back as a tuple, and an
id as a number: `Replayer` has the model's own states of a run.

None, truth values, numbers and texts are themselves; an array is a tuple; an object
has one of the keys ``$class`` (an attrs value, with its fields), ``$set`` (a frozenset,
sorted) or ``$enum`` (a member by its name, flags by their number). No attribute begins
with ``$``, so a tag is never mistaken. A class has the name that `value_classes` gives
it, not that of its module. A run is an object for each state: the first in full, the
others with the cells that changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, Flag
from typing import Any

import attrs

from replicheck.explorer.report import Step, Trace
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.traces.printable_text import has_control_character
from replicheck.traces.state_diff import changes
from replicheck.traces.value_classes import class_name

CLASS, SET, ENUM = "$class", "$set", "$enum"


Classes = Mapping[str, type]
"""The classes of a model's values, by the names that `value_classes` gives them."""


class EncodingError(ValueError):
    """A value has no JSON form here, or a JSON value stands for none of ours."""


class UnknownClass(EncodingError):
    """A JSON value is of a class that the model at hand does not have."""

    def __init__(self, name: object) -> None:
        super().__init__(f"there is no class {name}: it is of another model")
        self.name = name


def encode(value: Any) -> Any:
    """A value in its JSON form.

    Raises:
        EncodingError: if the value holds something else than a state may hold.
    """
    if isinstance(value, Flag):
        return {ENUM: class_name(type(value)), "value": value.value}
    if isinstance(value, Enum):
        return {ENUM: class_name(type(value)), "name": value.name}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, tuple):
        return [encode(element) for element in value]
    if isinstance(value, frozenset):
        return {SET: sorted(map(encode, value), key=_sort_key)}
    if attrs.has(type(value)):
        inside = {
            field.name: encode(getattr(value, field.name))
            for field in attrs.fields(type(value))
            if field.init
        }
        return {CLASS: class_name(type(value)), **inside}
    raise EncodingError(f"{value!r} of type {type(value).__name__} has no JSON form")


def decode(form: Any, classes: Classes) -> Any:
    """Value that a JSON form stands for.

    Only ``classes`` are found, by their names: a file cannot make replicheck import
    anything.

    Raises:
        EncodingError: if a class is unknown or does not have these fields.
    """
    if isinstance(form, list):
        return tuple(decode(element, classes) for element in form)
    if not isinstance(form, dict):
        return form
    if SET in form:
        return frozenset(decode(element, classes) for element in form[SET])
    if ENUM in form:
        kind = _class_named(form[ENUM], classes)
        if "value" in form:
            return _flags(kind, form["value"])
        return _member(kind, form.get("name"))
    if CLASS in form:
        fields = {k: decode(part, classes) for k, part in form.items() if k != CLASS}
        return _build(_class_named(form[CLASS], classes), fields)
    raise EncodingError(f"an object without a tag: {json.dumps(form)[:80]}")


def entries(
    trace: Trace[Any], observations: Sequence[Sequence[str]] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield for each state what its line holds; ``observations`` are those of steps."""
    layout = Layout.of(trace.start)
    yield {"state": 1, "initial": encode(trace.start)}
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        changed = changes(layout, before, step.state)
        entry = {
            "state": number,
            "action": step.action,
            "arguments": {k: encode(v) for k, v in step.arguments.items()},
            "cells": {str(change.cell): encode(change.new) for change in changed},
        }
        if observations is not None:
            entry["observations"] = list(observations[number - 2])
        yield entry
        before = step.state


def trace_of(entries: Sequence[Mapping[str, Any]], classes: Classes) -> Trace[Any]:
    """Trace of which `entries` yielded these, of a model with these classes of values.

    Raises:
        KeyError, EncodingError, ModelError: if they are of no model at hand.
    """
    start = decode(entries[0]["initial"], classes)
    layout = Layout.of(start)
    names = {str(cell): cell for cell in layout.cells}
    state, steps = start, []
    for entry in entries[1:]:
        cells, arguments = (
            {name: decode(form, classes) for name, form in entry[part].items()}
            for part in ("cells", "arguments")
        )
        require_printable({"action": entry["action"], **entry["arguments"]})
        new = {names[name]: value for name, value in cells.items()}
        state = _after(layout, state, new)
        steps.append(Step(entry["action"], arguments, state))
    return Trace(start, tuple(steps))


def require_printable(described: Mapping[str, Any]) -> None:
    """Refuse a text that is not printable; an instance may have several lines.

    Raises:
        ValueError: naming the key.
    """
    for key, value in described.items():
        texts = value if isinstance(value, list | dict) else [value]
        if key != "instance" and any(
            has_control_character(str(text)) for text in texts
        ):
            raise ValueError(f"{key} has a control character")


def _sort_key(form: Any) -> tuple[bool, Any, str]:
    is_number = isinstance(form, int)
    return (not is_number, form if is_number else 0, json.dumps(form, sort_keys=True))


def _class_named(name: Any, classes: Classes) -> Any:
    if name not in classes:
        raise UnknownClass(name)
    return classes[name]


def _member(kind: Any, name: Any) -> Any:
    try:
        return kind[name]
    except (KeyError, TypeError) as error:
        raise EncodingError(f"{kind.__name__} has no member {name}") from error


def _flags(kind: Any, number: Any) -> Any:
    """Flags, of which any number are set."""
    try:
        return kind(number)
    except (ValueError, TypeError) as error:
        raise EncodingError(f"{kind.__name__} has no flags {number}") from error


def _build(kind: Any, fields: dict[str, Any]) -> Any:
    try:
        names = {field.name: field.alias for field in attrs.fields(kind)}
        return kind(**{names[key]: value for key, value in fields.items()})
    except (attrs.exceptions.NotAnAttrsClassError, KeyError) as error:
        raise EncodingError(f"{kind.__name__} has no field {error}") from error
    except (TypeError, ValueError) as error:
        raise EncodingError(f"{kind.__name__} cannot be: {error}") from error


def _after(layout: Layout, before: Any, new: dict[Cell, Any]) -> Any:
    values = zip(layout.cells, layout.values(before), strict=True)
    return layout.build(before, tuple(new.get(cell, old) for cell, old in values))
