"""Classes of the values of a model, by names such as ``cluster:Replica``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any, NewType, get_args, get_origin, get_type_hints

from replicheck.explorer.errors import ModelError

MODELS = "replicheck.model."
"""Every package in this one is a model."""


def class_name(found: type) -> str:
    """Name of a class: its model, which is a package or a module, and its own name."""
    model = found.__module__.removeprefix(MODELS).partition(".")[0]
    return f"{model}:{found.__qualname__}"


@cache
def value_classes(
    state_class: type, mentioned: tuple[Any, ...] = ()
) -> Mapping[str, type]:
    """Classes that runs can hold, by name: those of annotations, and subclasses.

    Args:
        state_class: the class of the states.
        mentioned: further annotations and classes. Of two of one name that no state
            is annotated with, neither is known.

    Raises:
        ModelError: if two that a state can hold have one name.
    """
    named: dict[str, type] = {}
    for kind in _collected(state_class):
        known = named.setdefault(class_name(kind), kind)
        if known is not kind:
            raise ModelError(
                f"two classes are called {class_name(kind)}: in {known.__module__} and"
                f" in {kind.__module__}; give one another name"
            )
    further = _collected(*mentioned)
    times = Counter(map(class_name, further))
    single = {class_name(kind): kind for kind in further if times[class_name(kind)] < 2}
    return {**single, **named}


def _collected(*annotations: Any) -> dict[type, None]:
    found: dict[type, None] = {}
    for annotation in annotations:
        _collect(annotation, found)
    return found


def _collect(annotation: Any, found: dict[type, None]) -> None:
    if isinstance(annotation, NewType):
        annotation = annotation.__supertype__
    for argument in get_args(annotation):
        _collect(argument, found)
    origin = get_origin(annotation)
    if isinstance(origin, type) and origin not in found:
        # Of `Queue[T]` a value is of this class, not of one derived from it.
        for inner in _fields(origin, found):
            _collect(inner, found)
    if isinstance(annotation, type) and annotation not in found:
        for inner in _inside(annotation, found):
            _collect(inner, found)


def _inside(kind: type, found: dict[type, None]) -> Iterator[Any]:
    """Note an enumeration or an attrs class; yield what a value of it may hold."""
    if issubclass(kind, Enum):
        found[kind] = None
    yield from _fields(kind, found)
    if kind in found:
        yield from kind.__subclasses__()


def _fields(kind: type, found: dict[type, None]) -> Iterator[Any]:
    """Note an attrs class; yield the annotations of its fields."""
    # Not `attrs.has`: of a class with slots there is a former one without fields.
    if "__attrs_attrs__" in vars(kind):
        found[kind] = None
        yield from get_type_hints(kind).values()
