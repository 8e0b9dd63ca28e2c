"""Properties of a user's own, claimed of any model: functions in a file or a module."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from attrs import evolve

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.own.module_loading import (
    load_module,
    sources_digest,
)
from replicheck.invariants.catalogue.own.references import (
    is_reference,
    relative_reference,
)
from replicheck.invariants.catalogue.systems import Predicate, System

PropertyKind = Literal["invariants", "steps", "witnesses"]
KINDS: tuple[PropertyKind, ...] = ("invariants", "steps", "witnesses")

STATES: Mapping[PropertyKind, tuple[int, str]] = {
    "invariants": (1, "an invariant, which is called with a state"),
    "steps": (2, "a step property, which is called with the states before and after"),
    "witnesses": (1, "a witness, which is called with a state"),
}
"""By the kind of a property how many states it takes, and how that is told."""


def with_own_properties(
    system: System,
    names: Iterable[str],
    kind: PropertyKind | None = None,
    folder: Path = Path(),
) -> tuple[System, tuple[str, ...]]:
    """System with the properties that references name, and the names of all.

    Args:
        names: references, and names of properties that the system has.
        kind: of the properties of references; without one, a function of two states is
            a step property, any other an invariant.
        folder: what the paths of files are relative to.

    Raises:
        ScenarioError: if there is no such function, it does not take the states of its
            kind, or its name is taken.
    """
    known: list[str] = []
    for name in names:
        if is_reference(name):
            reference = relative_reference(name, folder)
            predicate = _predicate(reference)
            known.append(predicate.__name__)
            system = _with(system, predicate, reference, kind)
        else:
            known.append(name)
    return system, tuple(known)


def _with(
    system: System, predicate: Predicate, reference: str, kind: PropertyKind | None
) -> System:
    kind = kind or _kind_of(predicate, system.state)
    _require_states(predicate, kind, Place(reference))
    known: tuple[Predicate, ...] = getattr(system, kind)
    if predicate in known:
        return system
    if predicate.__name__ in system.predicates:
        raise Place(reference).error(
            f"the model {system.name} has a property {predicate.__name__} already: give"
            " yours another name"
        )
    changed: dict[str, Any] = {kind: (*known, predicate)}
    return evolve(
        system,
        **changed,
        references={**system.references, predicate.__name__: reference},
        digest=sources_digest(),
    )


def _require_states(predicate: Predicate, kind: PropertyKind, place: Place) -> None:
    count, expected = STATES[kind]
    try:
        inspect.signature(predicate).bind_partial(*range(count))
    except TypeError as error:
        line = predicate.__code__.co_firstlineno
        raise place.error(
            f"the function in line {line} takes fewer arguments than {expected}"
        ) from error


def _predicate(reference: str) -> Predicate:
    module, name = load_module(reference)
    place = Place(reference)
    if not name:
        raise place.error("name the property behind a colon, such as my.py:my_property")
    functions = {k: v for k, v in vars(module).items() if inspect.isfunction(v)}
    if name not in functions:
        raise place.unknown("function", name, functions)
    if functions[name].__name__ == "<lambda>":
        raise place.error(
            "a property is a lambda, which has no name for reports: write a function"
        )
    try:
        typing.get_type_hints(functions[name])
    except NameError as error:
        raise place.error(f"its annotations cannot be read: {error}") from error
    return functions[name]


def _kind_of(predicate: Predicate, state: type) -> PropertyKind:
    hints: dict[str, Any] = typing.get_type_hints(predicate)
    names = list(inspect.signature(predicate).parameters)
    states = sum(hints.get(name) is state for name in names[:2])
    return "steps" if states == 2 else "invariants"
