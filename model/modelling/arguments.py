"""What a model is given: each thing that is no such argument is refused where it is."""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

import attrs

from replicheck.model.modelling.errors import (
    ModellingError,
    error_at,
    short,
    with_article,
)

NUMBERS = (int, type(attrs.field()))
"""A bound's default, or the field that `bound` makes of it."""
HERE = __name__.rpartition(".")[0]
OF_GLOBALS = frozenset({"DELETE_GLOBAL", "STORE_GLOBAL"})
OF_CLOSURES = frozenset({"DELETE_DEREF", "STORE_DEREF"})
"""Instructions that assign a variable that several functions have."""


def require_name(name: object) -> None:
    """Refuse a name of a model or a variant that reports cannot show.

    Raises:
        ModellingError: naming the place.
    """
    if not isinstance(name, str):
        raise _error(f"{_shown(name)} is no name: write a text, such as 'lease'")
    if not name.strip() or not name.isprintable():
        raise _error(
            f"{name!r} is no name: write one line of letters that can be printed"
        )


def require_bounds(bounds: object) -> None:
    """Refuse bounds that are no class of bounds.

    Raises:
        ModellingError: naming the place.
    """
    if bounds is None or (isinstance(bounds, type) and attrs.has(bounds)):
        return
    if attrs.has(type(bounds)):
        raise _error(
            f"bounds={_shown(bounds)} is a value: give the class,"
            f" bounds={type(bounds).__name__}"
        )
    raise _error(
        f"bounds={_shown(bounds)} is no class of bounds: derive one from"
        " replicheck.modelling.Bounds"
    )


def require_bound(
    default: object, within: tuple[int, int], fuzz: tuple[int, int] | None
) -> None:
    """Refuse a bound that is not within what it may be.

    Args:
        within: the least that it may be, and the greatest.
        fuzz: the range that is fuzzed.

    Raises:
        ModellingError: naming the place.
    """
    if not isinstance(default, int):
        raise _error(f"a bound is {_shown(default)}, expected a number")
    least, greatest = within
    if not least <= default <= greatest:
        raise _error(
            f"a bound is {default}, and may be {least} to {greatest}: choose another"
            " default, or other limits by `at_least` and `at_most`"
        )
    match fuzz:
        case None:
            return
        case (int(low), int(high)) if least <= low <= high <= greatest:
            return
    raise _error(
        f"fuzz={fuzz!r} is no range of {least} to {greatest}: write"
        f" fuzz=({least}, {default})"
    )


def require_numbers(cls: type) -> None:
    """Refuse a class of bounds with a field that is no number with a default.

    Raises:
        ModellingError: naming the field.
    """
    annotated = inspect.get_annotations(cls)
    for name, value in vars(cls).items():
        is_field = isinstance(value, NUMBERS) and not name.startswith("__")
        if is_field and name not in annotated:
            raise error_at(
                cls, f"{cls.__name__}.{name} says no type: write `{name}: int = …`"
            )
    for name in annotated:
        default = vars(cls).get(name)
        if not isinstance(default, NUMBERS):
            raise error_at(
                cls,
                f"the bound {cls.__name__}.{name} is {with_article(default)} by"
                f" default, expected a number: write `{name}: int = bound(3)`",
            )


def require_domains(domains: object) -> None:
    """Refuse domains that do not say of classes which values these have.

    Raises:
        ModellingError: naming the place.
    """
    if not isinstance(domains, Mapping | None):
        raise _error(
            f"domains={_shown(domains)} is no dictionary: write"
            ' domains={Server: "NAME OF A BOUND"}'
        )
    for kind, values in (domains or {}).items():
        require_class(kind, "has values")
        if not isinstance(values, str) and not callable(values):
            raise _error(
                f"the values of {_shown(kind)} are {_shown(values)}: expected the name"
                " of a bound that counts them, or a function of the bounds"
            )


def require_class(kind: object, why: str) -> None:
    """Refuse what is no class and no `NewType`.

    Raises:
        ModellingError: naming the place.
    """
    if isinstance(kind, str) or not hasattr(kind, "__name__"):
        raise _error(f"{_shown(kind)} {why}, and is no class: write the class itself")


def require_function(function: object) -> None:
    """Refuse what is no function with a name.

    Raises:
        ModellingError: naming the place.
    """
    if not callable(function) or not hasattr(function, "__name__"):
        raise _error(
            f"{_shown(function)} is no function with a name: write `def` and a name"
            " that says what it does or claims"
        )


def require_generator(function: Callable[..., Any]) -> None:
    """Refuse an action that does not yield its next states.

    Raises:
        ModellingError: naming the place.
    """
    require_function(function)
    if not inspect.isgeneratorfunction(function):
        raise error_at(
            function,
            f"{function.__name__} returns its next state: write `yield s.evolve(…)`,"
            " and no yield where it is disabled",
        )


def require_no_outer_writes(function: Callable[..., Any]) -> None:
    """Refuse a function of states that assigns a variable outside of it.

    Raises:
        ModellingError: naming the function and the variable.
    """
    code = getattr(inspect.unwrap(function), "__code__", None)
    written = () if code is None else _outer_writes(code, frozenset(code.co_freevars))
    for name in written:
        raise error_at(
            function,
            f"{function.__name__} assigns {name}, a variable outside of it; what is"
            " run in some states only, in any order, changes nothing: make"
            f" {name} a cell of the state, or take the assignment away",
        )


def _outer_writes(code: CodeType, outer: frozenset[str]) -> Iterator[str]:
    """Yield the global variables that code assigns, and those that are ``outer``."""
    for step in dis.get_instructions(code):
        is_outer = step.opname in OF_CLOSURES and step.argval in outer
        if is_outer or step.opname in OF_GLOBALS:
            yield step.argval
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _outer_writes(inner, outer & frozenset(inner.co_freevars))


def require_property(predicate: Callable[..., Any]) -> None:
    """Refuse a property that has no name for reports.

    Raises:
        ModellingError: naming the place.
    """
    require_function(predicate)
    if predicate.__name__ == "<lambda>":
        raise error_at(
            predicate,
            "a property is a lambda, which has no name for reports: write a function"
            " whose name says what holds",
        )


def require_mapping(replaced: object) -> None:
    """Refuse what does not say for actions which ones take their place.

    Raises:
        ModellingError: naming the place.
    """
    if not isinstance(replaced, Mapping):
        raise _error(
            f"{_shown(replaced)} is no dictionary: write {{action: the action in its"
            " place}"
        )


def _shown(value: object) -> str:
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else repr(value)


def _error(problem: str) -> ModellingError:
    """The error with the place outside of this package that the argument comes from."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(HERE):
        frame = frame.f_back
    return ModellingError(
        f"{short(frame.f_code.co_filename)}:{frame.f_lineno}: {problem}"
    )
