"""Type arguments: what type variables stand for in the annotations of a class."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin


def text_of(hint: Any) -> str:
    """An annotation as a person would write it, without the names of modules."""
    if hint in (None, NoneType):
        return "None"
    if hint is ...:
        return "..."
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return str(hint).removeprefix("typing.")
    if origin in (Union, UnionType):
        return " | ".join(map(text_of, arguments))
    if isinstance(origin, type) and arguments:
        return f"{origin.__name__}[{', '.join(map(text_of, arguments))}]"
    return getattr(hint, "__name__", str(hint))


def variables_of(kind: Any, arguments: tuple[Any, ...]) -> Mapping[Any, Any]:
    """What each type variable stands for in a class and its bases.

    A variable that stands for two things stands for anything.
    """
    found = dict(zip(getattr(kind, "__parameters__", ()), arguments, strict=False))
    for base in vars(kind).get("__orig_bases__", kind.__bases__):
        origin = get_origin(base) or base
        if origin in (Generic, object) or not isinstance(origin, type):
            continue
        given = tuple(substituted(argument, found) for argument in get_args(base))
        for variable, meaning in variables_of(origin, given).items():
            if found.setdefault(variable, meaning) != meaning:
                found[variable] = Any
    return found


def substituted(hint: Any, variables: Mapping[Any, Any]) -> Any:
    """An annotation with a meaning in place of each type variable."""
    if isinstance(hint, TypeVar):
        return variables.get(hint, Any)
    parameters = getattr(hint, "__parameters__", ())
    if not parameters or get_origin(hint) is None:
        return hint
    if not all(isinstance(parameter, TypeVar) for parameter in parameters):
        return Any
    return hint[tuple(variables.get(parameter, Any) for parameter in parameters)]
