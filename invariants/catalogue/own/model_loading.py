"""Models by reference: loaded from a file or a module, and made a system."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from functools import partial, wraps
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import attrs

from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.own.module_loading import (
    called,
    is_shipped,
    load_module,
    sources_digest,
)
from replicheck.invariants.catalogue.own.references import relative_reference
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.systems import System, summary_line
from replicheck.model.modelling.model import Model
from replicheck.model.protocol import Protocol

if TYPE_CHECKING:
    from replicheck.invariants.describers.model_describer import ModelDescriber


def system_at(reference: str, name: str) -> System:
    """System of the model that a reference names, under a name.

    Raises:
        ScenarioError: if there is no model, or it cannot be explored as it is written.
    """
    module, wanted = load_module(reference)
    return system_of(_model_in(module, wanted, Place(reference)), name)


def system_of(model: Model[Any], name: str) -> System:
    """System of a model, under a name.

    Raises:
        ScenarioError: if it cannot be explored as it is written.
    """
    build, state = model.instances, model.state
    decorated: tuple[Any, Any] = (), ()
    initials: Mapping[str, Callable[[Any], Any]] = model.initials
    if build is None or state is None:
        build, state, decorated = _decorated(model, Place(name))
        initials = _initials(model, Place(name))
    protocols, variants = decorated
    protocols, mutations = (
        (*protocols, *model.protocols),
        (*variants, *model.mutations),
    )
    is_own = not is_shipped(model.module)
    return System(
        name=name,
        state=state,
        bounds=model.bounds,
        protocols=protocols,
        describe=partial(_describer, model),
        build=build,
        mutations=mutations,
        reductions=tuple(model.reductions),
        invariants=tuple(model.invariants),
        steps=tuple(model.steps),
        witnesses=tuple(model.witnesses),
        run_claims=tuple(model.run_claims),
        strong=_with_stand_ins(model, model.strong),
        unfair=_with_stand_ins(model, model.unfair),
        initials=initials,
        environment=_with_stand_ins(model, model.faults),
        needs=model.needs,
        digest=sources_digest() if is_own else "",
        mentioned=_mentioned(model, (*protocols, *mutations)) if is_own else (),
    )


def _mentioned(model: Model[Any], protocols: Collection[Protocol]) -> tuple[Any, ...]:
    # Imported only here: the cells of shipped models are annotated with all they hold.
    from replicheck.invariants.catalogue.own.mentioned_classes import mentioned_classes

    return mentioned_classes(model, protocols)


def _decorated(
    model: Model[Any], place: Place
) -> tuple[Callable[..., Any], type, tuple[Any, Any]]:
    """How instances of a model of decorated functions are made, tried once."""
    # Imported only here: shipped models make their instances themselves.
    from replicheck.model.modelling import instantiation

    def build(protocol: Any, bounds: Any) -> Any:
        return called(place, lambda: instantiation.instance_of(model, protocol, bounds))

    called(place, lambda: instantiation.try_out(model))
    protocols = instantiation.decorated_protocols(model)
    instance = build(protocols[0][0], called(place, model.bounds))
    return build, type(next(instance.initial_states())), protocols


def _initials(model: Model[Any], place: Place) -> dict[str, Callable[[Any], Any]]:
    """Beginnings of a model of decorated functions, each of which is looked at."""
    from replicheck.model.modelling import instantiation

    def looked_at(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @wraps(function)
        def states(bounds: Any) -> Any:
            return called(place, lambda: instantiation.initial_states(function, bounds))

        return states

    return {name: looked_at(function) for name, function in model.initials.items()}


def _with_stand_ins(
    model: Model[Any], actions: Collection[Callable[..., Any]]
) -> tuple[Callable[..., Any], ...]:
    """Some actions of a model, and what stands in their place in its variants."""
    if not model.variants:
        return tuple(actions)
    from replicheck.model.modelling import instantiation

    return instantiation.with_stand_ins(model, actions)


def _describer(model: Model[Any]) -> ModelDescriber:
    describer = model.describer
    if describer is None:
        from replicheck.invariants.catalogue.own.plain_describer import describer_of

        return describer_of(model)
    if isinstance(describer, str):
        module, _, name = describer.partition(":")
        describer = getattr(import_module(module), name)
    return cast("ModelDescriber", describer)


def reference_of(model: Model[Any]) -> str:
    """Reference to a model that Python code has, by the file in which it is written.

    Raises:
        ScenarioError: if that has no name for it.
    """
    module = sys.modules.get(model.module)
    names = {} if module is None else vars(module)
    models = [key for key, value in names.items() if isinstance(value, Model)]
    name = next((key for key in models if names[key] is model), "")
    file = getattr(module, "__file__", None)
    if file is None or not name:
        raise Place(model.place).error(
            f"the model {model.name} has no name in its module: write"
            " `model = Model(…)` outside of functions"
        )
    return relative_reference(f"{file}:{name}" if len(models) > 1 else file)


def own_scenario(system: System) -> Scenario:
    """Scenario of a model with its defaults: everything that it claims."""
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


def _model_in(module: ModuleType, name: str, place: Place) -> Model[Any]:
    found = {
        key: value for key, value in vars(module).items() if isinstance(value, Model)
    }
    if name:
        if name not in found:
            raise place.unknown("model", name, found)
        return found[name]
    written_here = {k: v for k, v in found.items() if v.module == module.__name__}
    found = written_here or found
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
