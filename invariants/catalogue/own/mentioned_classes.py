"""Classes of values that a model of a user's own mentions outside of its state.

A run may hold values that no annotation of a cell names: arguments of actions, and what
a cell of type ``frozenset`` has. Their classes are looked for among the names of the
modules of the model, which run whenever it does, and nowhere else: so a file of a run
cannot have any other class called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from enum import Enum
from types import ModuleType
from typing import Any, get_type_hints

from replicheck.invariants.catalogue.own.module_loading import own_modules
from replicheck.model.modelling.model import Model
from replicheck.model.modelling.values import Value
from replicheck.model.protocol import Protocol


def mentioned_classes(
    model: Model[Any], protocols: Collection[Protocol]
) -> tuple[Any, ...]:
    """The types of parameters and domains, and classes that its own modules name."""
    actions = [action for protocol in protocols for action in protocol.actions]
    predicates = (*model.invariants, *model.steps, *model.witnesses)
    functions = (*actions, *predicates)
    own = {name for name, _ in own_modules()}
    names = [model.module, *(function.__module__ for function in functions)]
    modules: dict[str, None] = {}
    for name in names:
        _add_module(name, own, modules)
    found = [
        *model.domains,
        *(hint for function in functions for hint in _hints(function)),
        *(kind for name in modules for kind in _classes(sys.modules[name], own)),
    ]
    return tuple(dict.fromkeys(found))


def _add_module(name: str, own: Collection[str], found: dict[str, None]) -> None:
    """Add a module of the user's own, and those of which it has names."""
    if name not in own or name in found:
        return
    found[name] = None
    for value in vars(sys.modules[name]).values():
        if isinstance(value, ModuleType):
            _add_module(value.__name__, own, found)


def _hints(function: Callable[..., Any]) -> Iterator[Any]:
    # Of functions that no decorator looked at, annotations need not be readable.
    with suppress(NameError, TypeError):
        yield from get_type_hints(function).values()


def _classes(module: ModuleType, own: Collection[str]) -> Iterator[type]:
    """Yield the classes that a module names, if they are the user's or of values."""
    for value in vars(module).values():
        if isinstance(value, type) and (
            value.__module__ in own or _is_of_values(value)
        ):
            yield from _with_inner(value)


def _is_of_values(kind: type) -> bool:
    """Tell whether a class has values; of `Value` and `Enum` there are too many."""
    if issubclass(kind, Enum):
        return len(kind) > 0
    return issubclass(kind, Value) and kind is not Value


def _with_inner(kind: type) -> Iterator[type]:
    yield kind
    for value in vars(kind).values():
        is_inner = isinstance(value, type) and value is not kind
        if is_inner and value.__qualname__.startswith(f"{kind.__qualname__}."):
            yield from _with_inner(value)
