"""Rules: single functions of a model that a protocol can replace.

A function marked with `rule` is called like any other. What runs is the replacement
that the state's protocol names, if it names one. A state says so in its constant
``replacements``, by name, so that a trace can be written and read again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
Replacements = tuple[tuple[str, str], ...]
"""Names of functions, and of those that run instead, as ``module:function``."""


def rule(function: F) -> F:
    """Let protocols replace a function whose first argument is the state."""
    name = name_of(function)

    @wraps(function)
    def run(state: Any, *arguments: Any) -> Any:
        for replaced, by in state.replacements:
            if replaced == name:
                return function_named(by)(state, *arguments)
        return function(state, *arguments)

    return cast(F, run)


def original(function: F) -> F:
    """The function of a rule that runs if no protocol replaces it."""
    return cast(F, cast(Any, function).__wrapped__)


def is_rule(function: Callable[..., Any]) -> bool:
    """Tell whether protocols can replace a function."""
    return hasattr(function, "__wrapped__")


def name_of(function: Callable[..., Any]) -> str:
    """Return the name by which a state knows a function."""
    return f"{function.__module__}:{function.__qualname__}"


def function_named(name: str) -> Callable[..., Any]:
    """Return the function that a state knows by a name."""
    module, _, function = name.partition(":")
    return cast(Callable[..., Any], getattr(sys.modules[module], function))
