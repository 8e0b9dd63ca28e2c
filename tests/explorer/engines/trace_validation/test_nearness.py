"""The nearest violation is found from every state of a run, and none beyond a bound."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.engines.trace_validation.nearness import (
    Nearness,
    nearness_of,
)
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import always, every_step
from replicheck.explorer.report import Step, Trace
from toys import Toy, Walk, graph, hole

LINE = ((1,), (2, 4), (3,), (3,), (5,), (6,), (6,))
"""0, 1, 2, 3 and stay; a branch 4, 5, 6 from 1."""


def avoids_6(state: Walk) -> bool:
    """6 is not reached."""
    return state.at != 6


def avoids_7(state: Walk) -> bool:
    """7 is not reached."""
    return state.at != 7


def avoids_edge_from_4(before: Walk, after: Walk) -> bool:
    """No step goes from 4 to 5."""
    return after.at is before.at or (before.at, after.at) != (4, 5)


def run_of(model: Toy, *places: int) -> Trace[Any]:
    """A run through places of a graph."""
    (start,) = model.starts
    return Trace(start, tuple(Step("go", {}, start.evolve(at=at)) for at in places))


def near(steps: int, *, states: int = 1000) -> Nearness:
    """What is near the run 0, 1, 2, 3."""
    model = graph(*LINE)
    properties = [always(avoids_6), every_step(avoids_edge_from_4)]
    return nearness_of(model, run_of(model, 1, 2, 3), properties, steps, states)


def test_a_violation_is_told_with_the_nearest_state_and_the_steps() -> None:
    """1, the second state, is three steps from 6, and two from the step to 5."""
    found = near(3)
    assert [
        (one.violation.property, one.state, one.steps) for one in found.violations
    ] == [("avoids_6", 2, 3), ("avoids_edge_from_4", 2, 2)]
    of_invariant = found.violations[0].violation.trace
    assert [state.at for state in of_invariant.states] == [1, 4, 5, 6]


@pytest.mark.parametrize(("steps", "names"), [(1, []), (2, ["avoids_edge_from_4"])])
def test_nothing_is_told_beyond_the_bound(steps: int, names: list[str]) -> None:
    """A violation that is further away than asked is not told."""
    found = near(steps)
    assert [one.violation.property for one in found.violations] == names
    assert (found.searched, found.is_all) == (steps, False)


def test_a_search_of_everything_says_so() -> None:
    """Once no further state is there, the bound cuts nothing."""
    model = graph(*LINE)
    run = run_of(model, 1, 2, 3)
    found = {
        steps: nearness_of(model, run, [always(avoids_7)], steps) for steps in (2, 4)
    }
    assert not found[2].is_all
    assert found[4].is_all


def test_a_limit_of_states_is_told() -> None:
    """The step that reaches so many states is the last that counts as searched."""
    found = near(3, states=5)
    assert (found.asked, found.searched, found.is_all) == (3, 1, False)
    assert found.violations == ()


def test_a_function_of_the_model_that_raises_is_told() -> None:
    """It is named, with what it raised."""
    model = hole()
    with pytest.raises(ModelError, match=r"go_or_fall.*fell into the hole"):
        nearness_of(model, run_of(model, 1, 2), [always(avoids_6)], 2)


@given(
    st.lists(
        st.lists(st.integers(0, 6), min_size=1, max_size=2), min_size=7, max_size=7
    ),
    st.integers(1, 5),
)
def test_the_nearest_is_as_near_as_walking_shows(
    edges: list[list[int]], steps: int
) -> None:
    """Of any graph the number of steps is the least from any state of the run."""
    model = graph(*map(tuple, edges))
    places, at = [0], 0
    for _ in range(2):
        at = edges[at][0]
        places.append(at)
    found = nearness_of(model, run_of(model, *places[1:]), [always(avoids_6)], steps)
    reached, distance = set(places), 0
    while 6 not in reached and distance <= steps:
        reached |= {after for place in reached for after in edges[place]}
        distance += 1
    told = [one.steps for one in found.violations]
    assert told == ([distance] if 6 in reached and distance <= steps else [])
