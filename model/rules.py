"""Rules: single functions of a model that a protocol can replace.

A function marked with `rule` is called like any other. What runs is the replacement
that the state's protocol names, if it names one. A state says so in its constant
``replacements``, by name, so that a trace can be written and read again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
Replacements = tuple[tuple[str, str], ...]
"""Names of functions, and of functions that run instead, as ``model:function``."""
MODELS = "replicheck.model."
"""Every package in this one is a model."""
FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Rules, and the functions that protocols put in their place, by name."""


def rule(function: F) -> F:
    """Let protocols replace a function whose first argument is the state."""
    name = name_of(function)

    @wraps(function)
    def run(state: Any, *arguments: Any) -> Any:
        for replaced, by in state.replacements:
            if replaced == name:
                return function_named(by)(state, *arguments)
        return function(state, *arguments)

    register(run)
    return cast(F, run)


def register(function: Callable[..., Any]) -> str:
    """Name of a function by which it is found from now on.

    Raises:
        ValueError: if another function of the model has this name.
    """
    name = name_of(function)
    known = FUNCTIONS.setdefault(name, function)
    if known is not function:
        raise ValueError(
            f"{name} is a function of {known.__module__} and of {function.__module__};"
            " give one another name"
        )
    return name


def original(function: F) -> F:
    """The function of a rule that runs if no protocol replaces it."""
    return cast(F, cast(Any, function).__wrapped__)


def is_rule(function: Callable[..., Any]) -> bool:
    """Tell whether protocols can replace a function."""
    return hasattr(function, "__wrapped__")


def name_of(function: Callable[..., Any]) -> str:
    """Name by which a state knows a function: its model's, then its own."""
    model = function.__module__.removeprefix(MODELS).partition(".")[0]
    return f"{model}:{function.__qualname__}"


def function_named(name: str) -> Callable[..., Any]:
    """Function that a state knows by a name; its module is imported already."""
    return FUNCTIONS[name]
