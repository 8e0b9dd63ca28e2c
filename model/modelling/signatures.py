"""Parameters of the functions of a model of one's own."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

from replicheck.model.modelling.errors import error_at
from replicheck.model.modelling.values import State


def parameters_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Parameters behind the states, with their types.

    Raises:
        ModellingError: if a type cannot be read, or a parameter has none.
    """
    try:
        hints = typing.get_type_hints(function)
    except NameError as error:
        raise error_at(
            function, f"the annotations of {function.__name__} cannot be read: {error}"
        ) from error
    names = list(inspect.signature(function).parameters)
    behind = [n for n in names if not _is_state(hints.get(n))]
    if len(behind) == len(names):
        first = hints.get(names[0]) if names else None
        raise error_at(
            function,
            f"{function.__name__} takes no state first"
            + (f", since {first.__name__} is none" if isinstance(first, type) else "")
            + ": derive the state's class from replicheck.modelling.State, which has"
            " `evolve`, and annotate it",
        )
    missing = [name for name in behind if name not in hints]
    if missing:
        raise error_at(
            function,
            f"{function.__name__} says no type of {missing[0]}: annotate it",
        )
    return {name: hints[name] for name in behind}


def _is_state(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, State)
