"""Properties of the fetching brokers, as properties of a larger state that has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from replicheck.invariants.catalogue.systems import Predicate
from replicheck.model.fetching.state import Brokers

View = Callable[[Any], Brokers]
"""A larger state as the functions of the fetching brokers know it."""


def of_states(view: View, predicate: Predicate) -> Predicate:
    """A property of the fetching brokers as one of the larger state."""

    @wraps(predicate)
    def holds(whole: Any, *arguments: Any) -> bool:
        return predicate(view(whole), *arguments)

    return holds


def of_steps(view: View, predicate: Predicate) -> Predicate:
    """A property of a step of the fetching brokers as one of a step of the larger."""

    @wraps(predicate)
    def holds(before: Any, after: Any, *arguments: Any) -> bool:
        return predicate(view(before), view(after), *arguments)

    return holds
