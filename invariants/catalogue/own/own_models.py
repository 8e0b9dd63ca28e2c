"""Models of a user's own: loaded from a file or a module, and made a system."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

import attrs

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.own.module_loading import (
    called,
    load_module,
    sources_digest,
)
from replicheck.invariants.catalogue.own.references import relative_reference
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System, summary_line
from replicheck.invariants.describers.model_describer import (
    ModelDescriber,
    documents_of,
)
from replicheck.model.modelling.model import Model
from replicheck.model.modelling.values import Id


def own_system(reference: str) -> System:
    """System of a model that a reference names, or the system that it names itself.

    Raises:
        ScenarioError: if there is no model, or it cannot be explored as it is written.
    """
    module, name = load_module(reference)
    found = _model_in(module, name, Place(reference))
    if isinstance(found, System):
        return attrs.evolve(found, name=reference, digest=sources_digest())
    return system_of(found, reference)


def system_of(model: Model[Any], name: str) -> System:
    """System of a model of a user's own, under the name of a reference to it.

    Raises:
        ScenarioError: if it cannot be explored as it is written.
    """
    place = Place(name)

    def build(protocol: Any, bounds: Any) -> Any:
        return called(place, lambda: model.instance(protocol, bounds))

    called(place, model.try_out)
    protocol, variants = model.protocols()
    instance = build(protocol, called(place, model.bounds))
    return System(
        name=name,
        state=type(instance.start),
        bounds=model.bounds,
        protocols=(protocol,),
        describe=partial(describer_of, model),
        build=build,
        mutations=variants,
        invariants=tuple(model.invariants),
        steps=tuple(model.steps),
        witnesses=tuple(model.witnesses),
        initials=model.initials,
        environment=tuple(model.faults),
        digest=sources_digest(),
    )


def reference_of(model: Model[Any]) -> str:
    """Reference to a model that Python code has, by the file with its beginning.

    Raises:
        ModellingError: if it has none.
    """
    file, name = model.place()
    return relative_reference(f"{file}:{name}" if name else file)


def own_scenario(system: System) -> Scenario:
    """Scenario of a model of a user's own with its defaults: everything it claims."""
    fields = attrs.fields(system.bounds)
    ranges = {bound.name: bound.metadata.get("fuzz") for bound in fields}
    return Scenario(
        name=system.name,
        summary=summary_line(system.state),
        model=system.name,
        protocol=system.protocols[0].name,
        bounds=attrs.asdict(system.bounds()),
        invariants=tuple(claim.__name__ for claim in system.invariants),
        steps=tuple(claim.__name__ for claim in system.steps),
        witnesses=tuple(claim.__name__ for claim in system.witnesses),
        ranges={name: ends for name, ends in ranges.items() if ends is not None},
    )


def describer_of(model: Model[Any]) -> ModelDescriber:
    """Describer of a model that has none: each number of its first ids has a lane."""
    kinds = [kind for kind in model.domains if isinstance(kind, type)]
    acting = [kind for kind in kinds if issubclass(kind, Id)][:1]
    names = [
        name
        for action in model.actions
        for name, hint in action.__annotations__.items()
        if acting and hint in (acting[0], acting[0].__name__)
    ]
    return ModelDescriber(
        store=model.name,
        noun=acting[0].__name__.lower() if acting else "process",
        participants=_indices,
        acting=tuple(dict.fromkeys(names)),
        faults=frozenset(action.__name__ for action in model.faults),
        documents=documents_of(model.protocols()[:1]),
    )


def _indices(state: Any) -> range:
    """Numbers of the longest family of cells."""
    fields = [getattr(state, field.name) for field in attrs.fields(type(state))]
    return range(max((len(x) for x in fields if isinstance(x, tuple)), default=0))


def _model_in(module: ModuleType, name: str, place: Place) -> Model[Any] | System:
    found: dict[str, Model[Any] | System] = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, Model | System)
    }
    if name:
        if name not in found:
            raise place.unknown("model", name, found)
        return found[name]
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise place.error(
            f"has several models: name one of {', '.join(found)} behind a colon"
        )
    raise place.error(
        'there is no model in it: write `model = Model("NAME")`, with Model from'
        " replicheck.modelling"
    )
