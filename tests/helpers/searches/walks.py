"""What tests of walks share: strategies, and whether a run is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from replicheck.explorer.engines.fuzzing.plan_walker import PlanWalker
from replicheck.explorer.engines.fuzzing.walk_plan import Plan
from replicheck.explorer.engines.simulation.simulation import MakeStrategy
from replicheck.explorer.engines.simulation.strategies import (
    Priorities,
    SpreadFaults,
    Uniform,
    group_numbers,
)
from replicheck.explorer.instances import instances
from replicheck.explorer.learning.learned_functions import LearnedFunction
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Trace
from replicheck.explorer.search.property_status import FunctionRaised


def names(functions: Sequence[LearnedFunction]) -> list[str]:
    """The name of each function."""
    return [function.instance.name for function in functions]


def strategies(is_fault: Callable[[str], bool]) -> dict[str, MakeStrategy]:
    """Strategies by name, each as the function that makes it."""
    return {
        "uniform": lambda functions: Uniform(),
        "priorities": lambda functions: Priorities(group_numbers(names(functions))),
        "faults": lambda functions: SpreadFaults(
            np.array([is_fault(name) for name in names(functions)], np.int32)
        ),
    }


def outcome(walker: PlanWalker[Any], plan: Plan) -> tuple[object, ...]:
    """All that the walk of a plan comes to: its states, faults and violation."""
    try:
        walk = walker.walk(plan)
    except FunctionRaised as failed:
        return (failed.failure,)
    return walk.fingerprints.tolist(), walk.faults, walk.violation


def by_action(
    model: Model[Any], claims: Sequence[Property], crowded: int
) -> PlanWalker[Any]:
    """A walker of plans to which all actions but the first are faults."""
    faults = frozenset(action.__name__ for action in model.actions[1:])
    return PlanWalker(
        model, claims, faults, lambda instance: instance.name, crowded=crowded
    )


def is_run(model: Model[Any], trace: Trace[Any]) -> bool:
    """Tell whether the plain model has every step of a trace."""
    actions = {
        instance.label: instance for instance in instances(model.actions, model.domains)
    }
    before = trace.start
    for step in trace.steps:
        if step.state not in list(actions[step.label](before)):
            return False
        before = step.state
    return before == trace.states[-1] and trace.start in list(model.initial_states())
