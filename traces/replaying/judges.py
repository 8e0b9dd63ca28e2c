"""Judges: whether a step shows what a trace was saved for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property

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
            "" if before is None else _first_broken(clauses, before, after)
        )
    return lambda before, after: _first_broken(clauses, after)


def judge_of_error(model: Model[Any], function: str) -> Judge:
    """Return the judge that finds an action that raises, given by its label."""
    actions = [
        each
        for each in instances(model.actions, model.domains)
        if function in (each.name, each.label)
    ]

    def judge(before: Any, after: Any) -> str:
        try:
            _any_step(actions, after)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    return judge


def judge_of_nothing(before: Any, after: Any) -> str:
    """Find nothing: the run itself is what is shown."""
    return ""


def _any_step(actions: tuple[Instance, ...] | list[Instance], state: Any) -> bool:
    return any(True for action in actions for _after in action(state))


def _first_broken(clauses: tuple[Instance, ...], *states: Any) -> str:
    return next((each.label for each in clauses if not each(*states)), "")
