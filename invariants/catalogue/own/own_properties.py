"""Properties of a user's own, claimed of any model: functions in a file or a module."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from attrs import evolve

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.own.module_loading import (
    load_module,
    sources_digest,
)
from replicheck.invariants.catalogue.own.references import is_reference
from replicheck.invariants.catalogue.systems import Predicate, System


def with_own_properties(
    system: System, names: Iterable[str], folder: Path = Path()
) -> tuple[System, tuple[str, ...]]:
    """System with the properties that references name, and the names of all.

    A function of two states is a step property, any other an invariant.

    Raises:
        ScenarioError: if there is no such function, or its name is taken.
    """
    known: list[str] = []
    for name in names:
        if is_reference(name):
            predicate = _predicate(name, folder)
            known.append(predicate.__name__)
            system = _with(system, predicate, name)
        else:
            known.append(name)
    return system, tuple(known)


def _with(system: System, predicate: Predicate, reference: str) -> System:
    if system.references.get(predicate.__name__) == reference:
        return system
    if predicate.__name__ in system.predicates:
        raise Place(reference).error(
            f"the model {system.name} has a property {predicate.__name__} already: give"
            " yours another name"
        )
    system = evolve(
        system,
        references={**system.references, predicate.__name__: reference},
        digest=sources_digest(),
    )
    if _states_of(predicate, system.state) == 2:
        return evolve(system, steps=(*system.steps, predicate))
    return evolve(system, invariants=(*system.invariants, predicate))


def _predicate(reference: str, folder: Path) -> Predicate:
    module, name = load_module(reference, folder)
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
    return functions[name]


def _states_of(predicate: Predicate, state: type) -> int:
    hints: dict[str, Any] = typing.get_type_hints(predicate)
    names = list(inspect.signature(predicate).parameters)
    return sum(hints.get(name) is state for name in names[:2])
