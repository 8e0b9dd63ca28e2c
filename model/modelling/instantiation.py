"""From what a model says by decorators to an instance: what engines explore."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any

from replicheck.model.modelling.arguments import require_no_outer_writes
from replicheck.model.modelling.cell_values import require_annotated, require_values
from replicheck.model.modelling.domains import domains_of
from replicheck.model.modelling.errors import error_at, with_article
from replicheck.model.modelling.model import Model
from replicheck.model.modelling.symmetry import IdRenamings
from replicheck.model.modelling.trial import (
    MOST_CALLS,
    require_bags,
    require_cell_values,
    require_families,
    try_actions,
    try_predicates,
)
from replicheck.model.modelling.values import State
from replicheck.model.protocol import Protocol, ProtocolModel

MOST_INITIAL_STATES = 1_000_000
"""A beginning yields no more of them."""


def decorated_protocols(
    model: Model[Any],
) -> tuple[tuple[Protocol, ...], tuple[Protocol, ...]]:
    """Protocol of the decorated actions, if any, and the protocols of the variants."""
    if not model.actions:
        return (), ()
    whole = Protocol(model.name, tuple(model.actions))
    variants = []
    for name, replaced in model.variants.items():
        variant = whole
        for old, new in replaced.items():
            variant = variant.replacing(old, by=new)
        variants.append(variant.named(name).mutating(whole))
    return (whole,), tuple(variants)


def with_stand_ins(
    model: Model[Any], actions: Collection[Callable[..., Any]]
) -> tuple[Callable[..., Any], ...]:
    """Some actions of a model, and what stands in their place in its variants."""
    new = [
        by
        for replaced in model.variants.values()
        for old, by in replaced.items()
        if old in actions
    ]
    return tuple(dict.fromkeys((*actions, *new)))


def instance_of(model: Model[Any], protocol: Protocol, bounds: Any) -> ProtocolModel:
    """Model under a protocol within bounds, from its first beginning on.

    Raises:
        ModellingError: if it is not written as it can be explored.
    """
    domains = _domains(model, bounds)
    return ProtocolModel(
        model.name,
        protocol,
        bounds,
        _first_initial(model),
        domains,
        symmetries=IdRenamings(model.families, domains),
        constraints=tuple(model.constraints),
        start=initial_states(_first_initial(model), bounds),
    )


def initial_states(function: Callable[[Any], Any], bounds: Any) -> tuple[State, ...]:
    """Initial states of a beginning: what it returns, or all that it yields.

    Raises:
        ModellingError: if there is none, or one is no state.
    """
    if len(inspect.signature(function).parameters) != 1:
        raise error_at(
            function,
            f"{function.__name__} is a beginning: expected one parameter, the bounds:"
            f" {type(bounds).__name__}",
        )
    begun, verb = function(bounds), "returns"
    states = [begun]
    if isinstance(begun, Iterator):
        states, verb = [*islice(begun, MOST_INITIAL_STATES + 1)], "yields"
    if not states:
        raise error_at(
            function,
            f"{function.__name__} yields no state within these bounds, expected one or"
            " more: there runs begin",
        )
    if len(states) > MOST_INITIAL_STATES:
        raise error_at(
            function,
            f"{function.__name__} yields more than {MOST_INITIAL_STATES:,} states: end"
            " its loop, or let an action choose the rest",
        )
    for state in states:
        if not isinstance(state, State):
            raise error_at(
                function,
                f"{function.__name__} {verb} {with_article(state)}, expected a state:"
                " a class derived from replicheck.modelling.State. Where runs begin in"
                " several states, `yield` each",
            )
        if type(state) is not type(states[0]):
            raise error_at(
                function,
                f"{function.__name__} yields {with_article(states[0])} and"
                f" {with_article(state)}, expected states of one class",
            )
    require_values(type(states[0]))
    return tuple(states)


def try_out(model: Model[Any]) -> None:
    """Run every function once in the first state, within the default bounds.

    What initial states hold is looked at in the first ``MOST_CALLS`` of them.

    Raises:
        ModellingError: for the first that is not written as it can be explored.
    """
    bounds = model.bounds()
    beginning = _first_initial(model)
    states, domains = initial_states(beginning, bounds), _domains(model, bounds)
    if not model.actions:
        raise model.error(
            f"the model {model.name} has no action: write `@model.action` above a"
            " function of a state that yields the next ones"
        )
    _require_actions(model)
    for function in _functions(model):
        require_no_outer_writes(function)
    for state in states[:MOST_CALLS]:
        require_cell_values(beginning, state)
        require_bags(beginning, state)
        require_annotated(beginning, state)
        require_families(state, model.families, domains)
    state = states[0]
    variants = [new for known in model.variants.values() for new in known.values()]
    try_actions(state, [*model.actions, *variants], domains)
    claims = (*model.invariants, *model.witnesses, *model.constraints)
    try_predicates(state, (*claims, *_of_runs(model)), domains)
    try_predicates(state, model.steps, domains, states=2)


def _require_actions(model: Model[Any]) -> None:
    """Refuse fairness of what is no action.

    Raises:
        ModellingError: naming it.
    """
    for function in (*model.strong, *model.unfair):
        if function not in model.actions:
            raise error_at(
                function,
                f"{function.__name__} is said to be fair or unfair, and is no action:"
                " write `@model.action` next to its `def`",
            )


def _first_initial(model: Model[Any]) -> Callable[[Any], Any]:
    if not model.initials:
        raise model.error(
            f"the model {model.name} has no beginning: write `@model.initial` above a"
            " function of the bounds that returns a state, or yields several"
        )
    return next(iter(model.initials.values()))


def _domains(model: Model[Any], bounds: Any) -> dict[object, tuple[object, ...]]:
    return domains_of(model.name, model.domains, bounds, _functions(model))


def _functions(model: Model[Any]) -> Iterator[Callable[..., Any]]:
    yield from model.actions
    for replaced in model.variants.values():
        yield from replaced.values()
    yield from model.constraints
    yield from model.invariants
    yield from model.steps
    yield from model.witnesses
    yield from _of_runs(model)


def _of_runs(model: Model[Any]) -> Iterator[Callable[..., Any]]:
    """Yield the predicates of claims about runs."""
    for claim in model.run_claims:
        yield from claim.predicates
