"""Values as JSON and back again, without loss.

None, truth values, numbers and texts are themselves; an array is a tuple; an object
has one of the keys ``$class`` (an attrs value, with its fields), ``$set`` (a frozenset,
sorted) or ``$enum``. No attribute begins with ``$``, so a tag is never mistaken. A
class has the name that `value_classes` gives it, not that of its module.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any

import attrs

from replicheck.traces.value_classes import class_name

CLASS, SET, ENUM = "$class", "$set", "$enum"


class EncodingError(ValueError):
    """A value has no JSON form here, or a JSON value stands for none of ours."""


def encode(value: Any) -> Any:
    """A value in its JSON form.

    Raises:
        EncodingError: if the value holds something else than a state may hold.
    """
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


def decode(form: Any, classes: Mapping[str, type]) -> Any:
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
        return _member(_class_named(form[ENUM], classes), form.get("name"))
    if CLASS in form:
        fields = {k: decode(part, classes) for k, part in form.items() if k != CLASS}
        return _build(_class_named(form[CLASS], classes), fields)
    raise EncodingError(f"an object without a tag: {json.dumps(form)[:80]}")


def _sort_key(form: Any) -> tuple[bool, Any, str]:
    is_number = isinstance(form, int)
    return (not is_number, form if is_number else 0, json.dumps(form, sort_keys=True))


def _class_named(name: Any, classes: Mapping[str, type]) -> Any:
    if name not in classes:
        raise EncodingError(f"there is no class {name}: it is of another model")
    return classes[name]


def _member(kind: Any, name: Any) -> Any:
    try:
        return kind[name]
    except (KeyError, TypeError) as error:
        raise EncodingError(f"{kind.__name__} has no member {name}") from error


def _build(kind: Any, fields: dict[str, Any]) -> Any:
    try:
        names = {field.name: field.alias for field in attrs.fields(kind)}
        return kind(**{names[key]: value for key, value in fields.items()})
    except (attrs.exceptions.NotAnAttrsClassError, KeyError) as error:
        raise EncodingError(f"{kind.__name__} has no field {error}") from error
    except (TypeError, ValueError) as error:
        raise EncodingError(f"{kind.__name__} cannot be: {error}") from error
