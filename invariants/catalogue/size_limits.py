"""How large an instance may be: what no engine could begin with is refused."""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from replicheck.invariants.catalogue.errors import Place

Domains = Mapping[object, Sequence[object]]

MOST_OF_A_BOUND = 255
"""The greatest value of a bound. The shipped scenarios have none above 4, and with far
greater ones an engine does not get through the first levels."""
MOST_INSTANCES = 5_000
"""An engine learns each of them in the first state; no shipped scenario has 1,000."""


@cache
def parameters(function: Callable[..., Any], states: int = 1) -> dict[str, object]:
    """Return the names of the parameters behind the states, with their types."""
    names = [*inspect.signature(function).parameters][states:]
    hints = typing.get_type_hints(function)
    return {name: hints[name] for name in names}


def require_a_size(
    functions: Iterable[tuple[Callable[..., Any], int]], domains: Domains, place: Place
) -> None:
    """Refuse what has more instances than an engine could begin with.

    Args:
        functions: actions and properties, each with how many states it takes.
        domains: the values of each type of a parameter.
        place: where the bounds were given.

    Raises:
        ScenarioError: if there are more than `MOST_INSTANCES`.
    """
    instances = sum(
        math.prod(len(domains[each]) for each in parameters(function, states).values())
        for function, states in functions
    )
    if instances <= MOST_INSTANCES:
        return
    largest = max(domains, key=lambda each: len(domains[each]))
    raise place.at("bounds").error(
        f"make {instances:,} actions and properties with their arguments, expected at"
        f" most {MOST_INSTANCES:,}; {getattr(largest, '__name__', largest)} alone has"
        f" {len(domains[largest]):,} values: choose smaller bounds"
    )
