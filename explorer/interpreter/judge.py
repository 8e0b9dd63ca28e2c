"""Judges: whether a step shows what a trace was saved for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.states.shared_cells import shared

Judge = Callable[[Any, Any], str]
"""Takes the state before a step (None for the first) and the state after it; returns
the clause that the step or the state breaks, or nothing."""


def judge_of(model: Model[Any], claim: Property) -> Judge:
    """Return the judge of a property; of a deadlock the judge that finds one."""
    if claim.kind is Kind.DEADLOCK:
        actions = instances(model.actions, model.domains)
        return lambda before, after: "" if _any_step(actions, after) else claim.name
    clauses = claim.instances(model.domains)
    if claim.kind is Kind.STEP:
        return lambda before, after: (
            ""
            if before is None
            else _first_broken(clauses, before, shared(before, after))
        )
    return lambda before, after: _first_broken(clauses, after)


def judge_of_error(
    model: Model[Any], claims: Iterable[Property], function: str
) -> Judge:
    """Return the judge that finds an error of an action or a clause, by its label."""
    actions = instances(model.actions, model.domains)
    raising = [each for each in actions if function in (each.name, each.label)]
    clauses = {Kind.ALWAYS: list[Instance](), Kind.STEP: list[Instance]()}
    for claim in claims:
        for each in claim.instances(model.domains):
            if function in (each.name, each.label):
                clauses[claim.kind].append(each)

    def judge(before: Any, after: Any) -> str:
        try:
            _any_step(raising, after)
            _first_broken(clauses[Kind.ALWAYS], after)
            if clauses[Kind.STEP]:
                # A clause of a step raises for a step from the last state.
                for state in _next_states(actions, after):
                    _first_broken(clauses[Kind.STEP], after, shared(after, state))
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    return judge


def judge_of_nothing(before: Any, after: Any) -> str:
    """Find nothing: the run itself is what is shown."""
    return ""


def _any_step(actions: Iterable[Instance], state: Any) -> bool:
    return any(True for _after in _next_states(actions, state))


def _next_states(actions: Iterable[Instance], state: Any) -> Iterator[Any]:
    return (after for action in actions for after in action(state))


def _first_broken(clauses: Iterable[Instance], *states: Any) -> str:
    return next((each.label for each in clauses if not each(*states)), "")
