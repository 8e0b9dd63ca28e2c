"""A limit may end walks amid learning; further walks go on with what was learned."""

from __future__ import annotations

from itertools import count
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.systems import System, slowly, systems
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.strategies import Uniform
from replicheck.explorer.engines.simulation.walk_budget import LimitReached, WalkBudget
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.tables import evaluator

SMALL = WalkLimits(steps=12, walks=20)


@settings(slowly)
@given(systems(), st.integers(1, 60))
def test_walks_go_on_after_a_limit_amid_learning(system: System, calls: int) -> None:
    """They are those of a learner that knows nothing."""
    model, looks = system.model, count(1)

    def end(budget: WalkBudget) -> None:
        if next(looks) == calls:
            raise LimitReached("seconds")

    learner = Learner(model, system.properties)
    with (
        patch.object(chunk_walker, "RUNS_AT_ONCE", 1),
        patch.object(evaluator, "ASKED_AT_ONCE", 1),
        patch.object(WalkBudget, "require", end),
    ):
        simulate(
            model, system.properties, lambda of: Uniform(), 1, SMALL, learner=learner
        )
    again = simulate(
        model, system.properties, lambda of: Uniform(), 2, SMALL, learner=learner
    )
    fresh = simulate(model, system.properties, lambda of: Uniform(), 2, SMALL)
    assert again == fresh
