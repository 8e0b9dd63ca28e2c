"""The steps that the learned tables give are those of the plain functions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from random_models.systems import System, slowly, systems
from replicheck.explorer.frontier.row_steps import RowSteps
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model

MOST_STATES = 60
RAISED = (ArithmeticError, LookupError, TypeError)
"""What actions of random systems raise."""
Steps = list[tuple[Instance, Any]]


def plain_steps(model: Model[Any], state: Any) -> Steps:
    """Steps from a state, each an action and the state after it."""
    return [
        (action, after)
        for action in instances(model.actions, model.domains)
        for after in action(state)
        if after != state
    ]


def learned_steps(learned: RowSteps, states: list[Any]) -> list[Steps]:
    """The same of several states at once, by the tables."""
    learner = learned.learner
    found = learned.of([learner.row(state) for state in states])
    return [
        [(step.action, learner.state(step.after)) for step in steps] for steps in found
    ]


@slowly
@given(systems())
def test_the_steps_of_a_level_are_those_of_each_state(system: System) -> None:
    """Level by level, also where the tables have learned of other levels before."""
    model = system.model
    learned = RowSteps(model)
    level = seen = list(dict.fromkeys(model.initial_states()))
    while level and len(seen) < MOST_STATES:
        try:
            expected = [plain_steps(model, state) for state in level]
        except RAISED:
            with pytest.raises(RAISED):
                learned_steps(learned, level)
            return
        assert learned_steps(learned, level) == expected
        afters = dict.fromkeys(after for steps in expected for _, after in steps)
        level = [after for after in afters if after not in seen]
        seen = [*seen, *level]
