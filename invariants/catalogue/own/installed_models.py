"""Models that installed packages offer, by entry points."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar, cast

from attrs import evolve

from replicheck.invariants.catalogue.lazy_mapping import Deferred, Lazily
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "replicheck.models"
"""The entry points: a name for a model, and a reference to it."""
V = TypeVar("V")


@cache
def installed_systems() -> Mapping[str, System]:
    """Installed models, each loaded when it is first asked for."""
    return Lazily(Deferred(partial(_makers, _system)))


@cache
def installed_scenarios() -> Mapping[str, Scenario]:
    """For each installed model the scenario with its defaults."""
    return Lazily(Deferred(partial(_makers, _scenario)))


def with_installed_systems(
    known: Mapping[str, System],
) -> MutableMapping[str, System]:
    """Systems by name, to which a user's own can be added; installed ones come last."""
    return _layers(known, installed_systems())


def with_installed_scenarios(
    known: Mapping[str, Scenario],
) -> MutableMapping[str, Scenario]:
    """Scenarios by name, to which a user's own can be added; installed ones last."""
    return _layers(known, installed_scenarios())


def _layers(*known: Mapping[str, V]) -> MutableMapping[str, V]:
    return ChainMap({}, *(cast(MutableMapping[str, V], names) for names in known))


def _makers(make: Callable[[EntryPoint], V]) -> dict[str, Callable[[], V]]:
    from importlib.metadata import entry_points

    offered = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return {point.name: partial(make, point) for point in offered}


def _system(point: EntryPoint) -> System:
    from replicheck.invariants.catalogue.own.own_models import own_system

    return evolve(own_system(point.value), name=point.name)


def _scenario(point: EntryPoint) -> Scenario:
    from replicheck.invariants.catalogue.own.own_models import own_scenario

    return own_scenario(installed_systems()[point.name])
