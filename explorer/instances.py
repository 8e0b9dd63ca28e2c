"""Instances: an action or a predicate with values for its parameters."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any

from attrs import field, frozen

from replicheck.explorer.errors import ModelError
from replicheck.explorer.model import Domains

MOST_STEPS = 100_000
"""Steps that one instance of an action has in one state at most."""


@frozen
class Instance:
    """One function with one choice of arguments, such as ``fetch(leader=0)``."""

    function: Callable[..., Any]
    arguments: tuple[tuple[str, object], ...] = ()
    values: tuple[object, ...] = field(init=False, eq=False, repr=False)
    """The arguments without their names."""

    @values.default
    def _values(self) -> tuple[object, ...]:
        return tuple(value for _, value in self.arguments)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def label(self) -> str:
        """The call as a person would write it."""
        inside = ", ".join(f"{name}={value}" for name, value in self.arguments)
        return f"{self.name}({inside})" if inside else self.name

    def __call__(self, *states: object) -> Any:
        """Call the function on a state (a step property: on two).

        Raises:
            TypeError: if it returns None, which neither is true nor has next states.
        """
        answer = self.function(*states, *self.values)
        if answer is None:
            raise TypeError("its answer is None: end each of its branches by `return`")
        return answer

    def require_end(self, number: int) -> None:
        """Refuse an action that yields one next state after the other.

        Args:
            number: of the next state, from 0 on.
        Raises:
            ModelError: if there are too many.
        """
        if number < MOST_STEPS:
            return
        error = ModelError(
            f"`{self.label}` yields more than {MOST_STEPS:,} next states of one state:"
            " end its loop"
        )
        error.is_about(self.function)
        raise error


def instances(
    functions: Sequence[Callable[..., Any]], domains: Domains, states: int = 1
) -> tuple[Instance, ...]:
    """Every instance, functions in their order, arguments in product order.

    Args:
        functions: take ``states`` states first, then parameters with annotations.
        domains: the values of each annotated type.
    Raises:
        ModelError: if a parameter's annotation has no domain.
    """
    return tuple(
        Instance(function, tuple(zip(names, values, strict=True)))
        for function in functions
        for names, ranges in [_parameters(function, domains, states)]
        for values in product(*ranges)
    )


def _parameters(
    function: Callable[..., Any], domains: Domains, states: int
) -> tuple[list[str], list[Sequence[object]]]:
    try:
        hints = _types_of(function, states)
    except NameError as error:
        raise ModelError(
            f"the annotations of `{function.__name__}` cannot be read: {error}. Define"
            " the types of its parameters in its module"
        ) from error
    ranges = []
    for name, hint in hints.items():
        if hint not in domains:
            known = (
                ", ".join(sorted(_type_name(domain) for domain in domains)) or "none"
            )
            raise ModelError(
                f"`{function.__name__}` has the parameter `{name}: {_type_name(hint)}`,"
                f" for which the model has no domain. Annotate it with one of: {known}."
            )
        ranges.append(domains[hint])
    return [*hints], ranges


@cache
def _types_of(function: Callable[..., Any], states: int) -> Mapping[str, object]:
    """The types of the parameters behind the states; no other is evaluated."""
    names = list(inspect.signature(function).parameters)[states:]
    if not names:
        return {}
    written = function.__annotations__
    wanted = SimpleNamespace(
        __annotations__={name: written[name] for name in names if name in written}
    )
    hints = typing.get_type_hints(wanted, inspect.unwrap(function).__globals__)
    return {name: hints.get(name) for name in names}


def _type_name(hint: object) -> str:
    return getattr(hint, "__name__", str(hint))
