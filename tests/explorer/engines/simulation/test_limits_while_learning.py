"""A limit may end walks amid learning; further walks go on with what was learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, Self
from unittest.mock import patch

import pytest
from attrs import evolve, frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from random_models.systems import System, slowly, systems
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.strategies import Uniform
from replicheck.explorer.engines.simulation.walk_budget import LimitReached, WalkBudget
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property, always
from replicheck.explorer.tables import evaluator
from replicheck.model.state_base import Cells
from toys import Toy

SMALL = WalkLimits(steps=12, walks=20)


@frozen
class Number:
    """A number that is asked and changed by methods."""

    value: int

    def is_even(self) -> bool:
        """Tell whether two divide it."""
        return self.value % 2 == 0

    def more(self, by: int) -> Self:
        """The number that is greater by some."""
        return evolve(self, value=self.value + by)


@frozen
class OneNumber(Cells):
    """One number."""

    number: Number


def add(state: OneNumber) -> Iterator[OneNumber]:
    """Make an even number odd, and an odd one even."""
    if state.number.is_even():
        yield state.evolve(number=state.number.more(3))
    else:
        yield state.evolve(number=state.number.more(1))


def is_small(state: OneNumber) -> bool:
    """Ask another question."""
    return state.number.value < 1000


COUNTERS = Toy((add,), tuple(OneNumber(Number(number)) for number in range(19)))
"""Many values of the one cell are asked at once."""


def require_same_walks(
    model: Model[Any], properties: Sequence[Property], calls: int
) -> None:
    """Compare walks after some that a limit ended with those of a new learner."""
    looks = count(1)

    def end(budget: WalkBudget) -> None:
        if next(looks) == calls:
            raise LimitReached("seconds")

    def walks(seed: int, learner: Learner) -> Any:
        return simulate(
            model, properties, lambda of: Uniform(), seed, SMALL, learner=learner
        )

    learner = Learner(model, properties)
    with (
        patch.object(chunk_walker, "RUNS_AT_ONCE", 1),
        patch.object(evaluator, "ASKED_AT_ONCE", 1),
        patch.object(chunk_walker, "MASKS_PAY", 0),
        patch.object(WalkBudget, "require", end),
    ):
        walks(1, learner)
    assert walks(2, learner) == walks(2, Learner(model, properties))


@settings(slowly)
@given(systems(), st.integers(1, 30))
def test_walks_go_on_after_a_limit_amid_learning(system: System, calls: int) -> None:
    """They are those of a learner that knows nothing."""
    require_same_walks(system.model, system.properties, calls)


@pytest.mark.parametrize("calls", range(1, 100, 3))
def test_walks_go_on_after_a_limit_while_values_are_asked(calls: int) -> None:
    """What was sought in vain is sought again, before masks rely on it."""
    require_same_walks(COUNTERS, [always(is_small)], calls)


def test_limits_are_looked_at_while_values_are_asked() -> None:
    """Once for each value of a batch but the first, where one is asked at once."""
    looks = count()
    with (
        patch.object(evaluator, "ASKED_AT_ONCE", 1),
        patch.object(WalkBudget, "require", lambda budget: next(looks)),
    ):
        walks = WalkLimits(steps=1, walks=19)
        simulate(COUNTERS, [always(is_small)], lambda of: Uniform(), 1, walks)
    assert next(looks) > 18
