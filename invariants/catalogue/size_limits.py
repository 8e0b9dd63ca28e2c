"""What is too large is refused: a user's file, and what no engine could begin with."""

from __future__ import annotations

import errno
import inspect
import math
import os
import re
import stat
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from replicheck.invariants.catalogue.errors import Place

Domains = Mapping[object, Sequence[object]]

MOST_OF_A_BOUND = 255
"""The greatest value of a bound. The shipped scenarios have none above 4, and with far
greater ones an engine does not get through the first levels."""
MOST_INSTANCES = 5_000
"""An engine learns each of them in the first state; no shipped scenario has 1,000."""


MOST_BYTES = 2**20
"""The largest suite file; the shipped ones have less than a tenth of it."""
MOST_NESTED = 12
"""The deepest nesting of tables and lists, and the most parts of a dotted key."""
MOST_TEXT = 10_000
"""The longest text, in characters."""
MOST_KEY = 200
MOST_INTEGER = 2**63
"""Integers of TOML have 64 bits."""
LONG_KEY = re.compile(
    r"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*)" + f"{{{MOST_NESTED},{MOST_NESTED}}}"
)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters but for tabs and newlines, and marks of direction."""
UNPRINTABLE = re.compile(f"{CONTROL.pattern}|[\t\n\ud800-\udfff]")
"""What no line can hold: lone surrogates stand for bytes that are no UTF-8."""


def read_suite_text(path: Path) -> str:
    """Text of a user's file.

    Raises:
        OSError: if it cannot be read, is larger than `MOST_BYTES`, or is no regular
            file: a pipe or a device has no end.
        UnicodeDecodeError: if it is not in UTF-8.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise OSError(errno.EINVAL, "its name has a NUL character") from error
    with os.fdopen(handle, "rb") as file:
        known = os.fstat(handle)
        if not stat.S_ISREG(known.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if known.st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES:,} bytes")
        return file.read(known.st_size).decode("utf-8-sig")


def require_printable_path(path: str, place: Place) -> None:
    """Refuse the path of a user's file, which reports name, if no line can hold it.

    Raises:
        ScenarioError: if it has a control character, or is not in UTF-8.
    """
    found = UNPRINTABLE.search(path)
    if found is not None:
        raise place.error(
            f"the path has the character U+{ord(found[0]):04X}, which no report can"
            " print: rename the file or its folder"
        )


def require_bounded_text(text: str, place: Place) -> None:
    """Refuse a text of TOML that takes too long to be read.

    Raises:
        ScenarioError: if a key has more parts than tables may be nested.
    """
    found = LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise place.error(
            f"line {line}: a key of {MOST_NESTED} or more parts, expected fewer"
        )


def require_bounded_values(value: object, place: Place, depth: int = 0) -> None:
    """Refuse values that are nested too deeply, too long, or cannot be printed.

    Raises:
        ScenarioError: naming the key.
    """
    match value:
        case dict():
            for key, inside in value.items():
                _require_key(key, place)
                require_bounded_values(inside, _deeper(place.at(key), depth), depth + 1)
        case list():
            for number, inside in enumerate(value, start=1):
                within = _deeper(place.item(number), depth)
                require_bounded_values(inside, within, depth + 1)
        case str():
            _require_bounded_string(value, place)
        case int() if abs(value) >= MOST_INTEGER:
            raise place.error("is an integer of more than 64 bits")


def _deeper(place: Place, depth: int) -> Place:
    if depth >= MOST_NESTED:
        raise place.error(f"is nested more than {MOST_NESTED} deep")
    return place


def _require_key(key: str, place: Place) -> None:
    _require_bounded_string(key, place)
    if len(key) > MOST_KEY or "\n" in key or "\t" in key:
        raise place.error(
            f"has a key of {len(key):,} characters, expected one line of at most"
            f" {MOST_KEY}"
        )


def _require_bounded_string(text: str, place: Place) -> None:
    if len(text) > MOST_TEXT:
        raise place.error(
            f"has a text of {len(text):,} characters, expected at most {MOST_TEXT:,}"
        )
    found = CONTROL.search(text)
    if found is not None:
        raise place.error(f"has the control character U+{ord(found[0]):04X}")


@cache
def _types(function: Callable[..., Any], states: int) -> Mapping[str, object]:
    """The parameters behind the states, with their types; None of one without."""
    names = [*inspect.signature(function).parameters][states:]
    hints = typing.get_type_hints(function) if names else {}
    return {name: hints.get(name) for name in names}


def _values(
    function: Callable[..., Any], states: int, domains: Domains, place: Place
) -> list[Sequence[object]]:
    """The values of each parameter behind the states.

    Raises:
        ScenarioError: if it is not known which values one has.
    """
    types = _types(function, states)
    for parameter, hint in types.items():
        if hint not in domains:
            known = sorted(getattr(of, "__name__", str(of)) for of in domains)
            annotated = getattr(hint, "__name__", str(hint))
            name = getattr(function, "__name__", str(function))
            raise place.error(
                f"{name} has the parameter {parameter}: {annotated}, for which the"
                " model has no values. Annotate it with one of: "
                + (", ".join(known) or "none")
            )
    return [domains[hint] for hint in types.values()]


def require_a_size(
    functions: Iterable[tuple[Callable[..., Any], int]], domains: Domains, place: Place
) -> None:
    """Refuse what has more instances than an engine could begin with.

    Args:
        functions: actions and properties, each with how many states it takes.
        domains: the values of each type of a parameter.
        place: where the bounds were given.

    Raises:
        ScenarioError: if there are more than `MOST_INSTANCES`, or a parameter has none.
    """
    instances = sum(
        math.prod(map(len, _values(function, states, domains, place)))
        for function, states in functions
    )
    if instances <= MOST_INSTANCES:
        return
    largest = max(domains, key=lambda hint: len(domains[hint]))
    raise place.at("bounds").error(
        f"make {instances:,} actions and properties with their arguments, expected at"
        f" most {MOST_INSTANCES:,}; {getattr(largest, '__name__', largest)} alone has"
        f" {len(domains[largest]):,} values: choose smaller bounds"
    )
