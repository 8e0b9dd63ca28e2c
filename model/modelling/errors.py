"""Errors of a model of one's own, each with the file and line that it is about."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakSet

MAKERS = frozenset({("attr._make", "wrap"), ("dataclasses", "_process_class")})
"""Functions that make what a decorated class has, by the names of their modules."""
_made: WeakSet[type] = WeakSet()
"""Classes that are frozen and have the methods of their fields."""

CALLED_DECORATOR = re.compile(r"Model\.(\w+)\(\) missing 1 .*'(function|predicate)'$")
PLAIN_CLASS = re.compile(r"(\w+)\(\) takes no arguments$")


class ModellingError(Exception):
    """A model is not written as it can be explored; the message says how to."""


def error_at(subject: Callable[..., Any] | type, problem: str) -> ModellingError:
    """Error about a function or a class, with the place where it is written."""
    return ModellingError(f"{place_of(subject)}: {problem}")


def remedy_of(error: BaseException) -> str:
    """What to write in place of a mistake that Python tells by a message of its own."""
    text = str(error) if isinstance(error, TypeError) else ""
    if decorator := CALLED_DECORATOR.match(text):
        return f": write `@model.{decorator[1]}` without parentheses"
    if plain := PLAIN_CLASS.match(text):
        return (
            f": write `class {plain[1]}(State):`, or `(Value)` where it is in a cell,"
            " so that it has fields"
        )
    return ""


def place_of(subject: Callable[..., Any] | type) -> str:
    """File and line of a function or a class, as far as Python knows them."""
    if not isinstance(subject, type) and hasattr(subject, "__code__"):
        code = subject.__code__
        return f"{short(code.co_filename)}:{code.co_firstlineno}"
    try:
        file, line = inspect.getsourcefile(subject), inspect.getsourcelines(subject)[1]
    except (OSError, TypeError):
        return getattr(subject, "__qualname__", repr(subject))
    return f"{short(file or '?')}:{line}"


def short(file: str) -> str:
    """Path of a file as it is seen from the current directory, if it is below."""
    path = Path(file)
    return str(
        path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    )


def with_article(value: object) -> str:
    """A value by its class: a Node, an int, or nothing."""
    if value is None:
        return "nothing"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def note_made(kind: type) -> None:
    """Take note that a class is frozen and has the methods of its fields."""
    _made.add(kind)


def require_unmade(kind: type) -> None:
    """Refuse to make once more what was made; attrs asks this of each class it made.

    Raises:
        ModellingError: naming the class.
    """
    if kind in _made:
        raise error_at(kind, _problem(kind))


def require_new(kind: type) -> None:
    """Refuse a copy of a class with fields that was made, to which slots were given.

    Raises:
        ModellingError: naming the class.
    """
    if vars(kind).keys() >= {"__attrs_attrs__", "__annotations__"}:
        raise error_at(kind, _problem(kind))


def problem_of_decorator(error: BaseException) -> str | None:
    """What is wrong with a class that a decorator could not make once more.

    None if the error is another one.
    """
    at = error.__traceback__
    while at is not None:
        frame = at.tb_frame
        maker = (frame.f_globals.get("__name__"), frame.f_code.co_name)
        if maker in MAKERS and frame.f_locals["cls"] in _made:
            return _problem(frame.f_locals["cls"])
        at = at.tb_next
    return None


def _problem(kind: type) -> str:
    return (
        f"{kind.__name__} has a decorator of attrs or dataclasses, and needs none: what"
        " derives from a class of replicheck.modelling is frozen, and has the methods"
        " of its fields. Take the decorator away"
    )
