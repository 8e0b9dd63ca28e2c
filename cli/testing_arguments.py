"""Arguments of checks in Python, refused if they are not what is expected."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from replicheck.cli.tasks.engines import ENGINES
from replicheck.explorer.engine import Limits

ARGUMENTS: Mapping[str, tuple[type, str]] = {
    "protocol": (str, "the name of a protocol"),
    "bounds": (Mapping, "a mapping such as {'brokers': 2}"),
    "initial": (str, "the name of an initial state"),
    "engine": (str, f"the name of an engine: {', '.join(ENGINES)}"),
    "limits": (Limits, "a value of replicheck.explorer.engine.Limits"),
    "traces": (Path, "a pathlib.Path"),
    "livelocks": (bool, "True or False"),
    "states": (int, "a number"),
}
"""The class of each argument beside claims, and what is expected."""


def require_arguments(**given: object) -> None:
    """Refuse arguments that are not what is expected; None is no argument.

    Raises:
        TypeError: naming the first.
    """
    __tracebackhide__ = True
    for name, value in given.items():
        kind, expected = ARGUMENTS[name]
        is_kind = isinstance(value, kind) and (name != "engine" or value in ENGINES)
        if value is not None and not is_kind:
            raise TypeError(f"{name} is {value!r}, expected {expected}")
