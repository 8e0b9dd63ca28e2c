"""Calling a model's functions on plain states; what raises is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from replicheck.explorer.errors import ModelError, message_of, place_raised
from replicheck.explorer.instances import Instance

S = TypeVar("S")


class Raised(Exception):
    """A function of the model raised in a state."""

    def __init__(self, instance: Instance, state: Any, error: Exception) -> None:
        super().__init__(message_of(error))
        self.function, self.state = instance.label, state
        self.place = place_raised(error, instance.function)


def call(predicate: Instance, state: Any, *after: Any) -> bool:
    """Answer of a predicate about a state, or about a step.

    Raises:
        Raised: if the predicate does.
    """
    try:
        return bool(predicate(state, *after))
    except Exception as error:
        raise Raised(predicate, state, error) from error


def steps_of(action: Instance, state: S) -> Iterator[S]:
    """Yield the states to which an action leads.

    Raises:
        Raised: if the action does.
    """
    try:
        found: Iterable[S] = action(state)
        for number, after in enumerate(found):
            action.require_end(number)
            yield after
    except ModelError:
        raise
    except Exception as error:
        raise Raised(action, state, error) from error
