"""Errors of a model of one's own, each with the file and line that it is about."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
