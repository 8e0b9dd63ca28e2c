"""The describer of a model that has none of its own."""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs

from replicheck.invariants.describers.model_describer import (
    ModelDescriber,
    documents_of,
)
from replicheck.model.modelling.instantiation import decorated_protocols, with_stand_ins
from replicheck.model.modelling.model import Model
from replicheck.model.modelling.values import Id


def describer_of(model: Model[Any]) -> ModelDescriber:
    """Describer of a model that has none: each number of its first ids has a lane."""
    kinds = [kind for kind in model.domains if isinstance(kind, type)]
    acting = [kind for kind in kinds if issubclass(kind, Id)][:1]
    of_variants = [new for known in model.variants.values() for new in known.values()]
    names = [
        name
        for action in (*model.actions, *of_variants)
        for name, hint in action.__annotations__.items()
        if acting and hint in (acting[0], acting[0].__name__)
    ]
    faults = with_stand_ins(model, model.faults)
    decorated, variants = decorated_protocols(model)
    actions = {*model.actions, *of_variants}
    return ModelDescriber(
        store=model.name,
        noun=acting[0].__name__.lower() if acting else "process",
        participants=_indices,
        acting=tuple(dict.fromkeys(names)),
        faults=frozenset(action.__name__ for action in faults),
        looping=frozenset(action.__name__ for action in filter(_loops, actions)),
        documents=documents_of((*decorated, *variants, *model.protocols)),
        budgets=partial(_budgets, names_of_budgets(model.bounds)),
    )


def _loops(action: Callable[..., Any]) -> bool:
    """Tell whether an action yields in a `for`, or leaves it to another function."""
    code = list(dis.get_instructions(action))
    yields = [step.offset for step in code if step.opname == "YIELD_VALUE"]
    return any(
        step.opname == "GET_YIELD_FROM_ITER"
        or (
            step.opname == "FOR_ITER"
            and any(step.offset < offset < step.argval for offset in yields)
        )
        for step in code
    )


def names_of_budgets(bounds: type) -> tuple[str, ...]:
    """Bounds that say how often a fault may happen."""
    known = attrs.fields(bounds)
    return tuple(bound.name for bound in known if "is_budget" in bound.metadata)


def _budgets(names: tuple[str, ...], state: Any) -> dict[str, int]:
    """Nothing is known of what is left of them; faults are known by their names."""
    return dict.fromkeys(names, 0)


def _indices(state: Any) -> range:
    """Numbers of the longest family of cells."""
    fields = [getattr(state, field.name) for field in attrs.fields(type(state))]
    return range(max((len(x) for x in fields if isinstance(x, tuple)), default=0))
