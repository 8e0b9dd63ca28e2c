"""What tests of walks share: strategies, and whether a run is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

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
from replicheck.explorer.report import Trace


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
