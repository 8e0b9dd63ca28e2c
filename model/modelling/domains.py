"""The values that parameters take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from itertools import islice
from typing import Any, TypeVar

import attrs

from replicheck.model.modelling.errors import error_at
from replicheck.model.modelling.signatures import parameters_of

B = TypeVar("B")
Values = str | Callable[[B], Iterable[object]]
"""Values of a parameter's type: the name of a bound that counts ids, or a function."""
MOST_VALUES = 5_000
"""Each value of a parameter is an instance of its action, which an engine learns."""


def domains_of(
    model: str,
    domains: Mapping[Any, Values[Any]],
    bounds: Any,
    functions: Iterable[Callable[..., Any]],
) -> dict[object, tuple[object, ...]]:
    """For each type of a parameter of some functions its values within bounds.

    Raises:
        ModellingError: if one has none that are known, or too many.
    """
    found: dict[object, tuple[object, ...]] = {bool: (False, True)}
    for kind, values in domains.items():
        listed = (
            range(_bound(bounds, kind, values))
            if isinstance(values, str)
            else values(bounds)
        )
        is_plain = not isinstance(kind, type) or issubclass(kind, Enum)
        few = tuple(islice(listed, MOST_VALUES + 1))
        if len(few) > MOST_VALUES:
            raise error_at(
                type(bounds),
                f"the model {model} has more than {MOST_VALUES:,} values of"
                f" {getattr(kind, '__name__', kind)}: choose smaller bounds",
            )
        found[kind] = tuple(
            value if is_plain or isinstance(value, kind) else kind(value)
            for value in few
        )
    for function in functions:
        for name, hint in parameters_of(function).items():
            if isinstance(hint, type) and issubclass(hint, Enum):
                found.setdefault(hint, tuple(hint))
            if hint is type(bounds):
                _refuse_bounds(function, name, hint)
            if hint not in found:
                _refuse_parameter(function, name, hint)
    return found


def _bound(bounds: Any, kind: type, name: str) -> int:
    """The bound that counts ids of a class."""
    value = getattr(bounds, name, None)
    if not isinstance(value, int):
        known = [field.name for field in attrs.fields(type(bounds))]
        raise error_at(
            type(bounds),
            f"domains={{{kind.__name__}: {name!r}}} names no bound; those of"
            f" {type(bounds).__name__} are {', '.join(known) or 'none'}",
        )
    return value


def _refuse_bounds(function: Callable[..., Any], name: str, kind: type) -> None:
    raise error_at(
        function,
        f"{function.__name__} has the bounds as its parameter {name}: have the state"
        f" hold them, in a field `{name}: {kind.__name__} = constant()`, and ask"
        f" `s.{name}`",
    )


def _refuse_parameter(function: Callable[..., Any], name: str, hint: Any) -> None:
    kind = getattr(hint, "__name__", hint)
    raise error_at(
        function,
        f"{function.__name__} has the parameter {name}: {kind}, and nothing says"
        f' which values that has: write domains={{{kind}: "NAME OF A BOUND"}} in'
        f" Model(…), or a function of the bounds",
    )
