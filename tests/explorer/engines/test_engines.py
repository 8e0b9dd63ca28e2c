"""What every engine does, on models whose states can be counted by hand."""

from __future__ import annotations

import pytest

from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine
from replicheck.explorer.properties import always, no_deadlock, sometimes
from replicheck.explorer.report import ActionCount, Outcome, Trace, Verdict
from replicheck.explorer.states.fingerprint import Fingerprinter
from replicheck.explorer.states.layout import Layout
from searches.engine_searches import search
from toys import (
    Walk,
    add,
    count_for_ever,
    counter,
    exceeds_its_limit,
    graph,
    hole,
    is_at_most_five,
    is_within_its_limit,
    ring,
    start_again,
    subtract_too_much,
)


def is_not_at_the_join(state: Walk) -> bool:
    """The walk is not at place 3."""
    return state.at != 3


def is_at_the_end(state: Walk) -> bool:
    """The walk is at place 4."""
    return state.at == 4


def raises_at_one(state: Walk) -> bool:
    """A property that cannot be evaluated everywhere."""
    return 1 // (1 - state.at) >= 0


def indices(trace: Trace[Walk]) -> list[int]:
    """The places that a walk visits."""
    return [state.at for state in trace.states]


@pytest.fixture(params=ENGINES, ids=name_of)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each of the engines."""
    found: Engine = request.param
    return found


def test_a_ring(engine: Engine) -> None:
    """A ring of seven places has seven states, each first reached from the last."""
    report = search(engine, ring(7))
    assert report.verdict is Verdict.HOLDS
    assert (report.states, report.generated, report.depth) == (7, 7, 7)
    assert report.levels == (1,) * 7


def test_a_binary_clock_with_two_initial_states(engine: Engine) -> None:
    """Both initial states are on the first level, and lead to each other."""
    report = search(engine, graph((1,), (0,), starts=(0, 1)))
    assert (report.states, report.generated, report.depth) == (2, 2, 1)


def test_equal_initial_states_are_one(engine: Engine) -> None:
    """An initial state that is given twice is counted once."""
    assert search(engine, graph((0,), starts=(0, 0))).states == 1


def test_the_shorter_of_two_ways(engine: Engine) -> None:
    """Where a long and a short way join, the trace takes the short one."""
    model = graph((1, 2), (4,), (3,), (4,), ())
    report = search(engine, model, sometimes(is_at_the_end))
    assert indices(report.reached["is_at_the_end"]) == [0, 1, 4]
    assert report.levels == (1, 2, 2)


def test_of_two_shortest_ways_the_least_fingerprint(engine: Engine) -> None:
    """Of several predecessors, a trace has the one with the least fingerprint."""
    model = graph((1, 2), (3,), (3,), ())
    middle = [Walk(model.starts[0].edges, place) for place in (1, 2)]
    fingerprint = Fingerprinter(Layout.of(middle[0])).of
    report = search(engine, model, always(is_not_at_the_join))
    (violation,) = report.violations
    assert indices(violation.trace) == [0, min(middle, key=fingerprint).at, 3]


def test_a_deadlock(engine: Engine) -> None:
    """A state without an enabled action is a deadlock, if that is a violation."""
    report = search(engine, graph((1,), ()), no_deadlock())
    (violation,) = report.violations
    assert violation.property == "no_deadlock"
    assert indices(violation.trace) == [0, 1]


def test_a_deadlock_is_allowed_unless_it_is_a_property(engine: Engine) -> None:
    """Deadlocks are not asked about, so the end of a walk is no violation."""
    assert search(engine, graph((1,), ())).verdict is Verdict.HOLDS


def test_an_action_that_raises(engine: Engine) -> None:
    """The report names the action and what it raised, and has the way to the state."""
    report = search(engine, hole())
    assert report.verdict is Verdict.ERROR
    assert report.failure is not None
    assert report.failure.function == "go_or_fall"
    assert report.failure.message == "ValueError: fell into the hole"
    assert indices(report.failure.trace) == [0, 1, 2, 3]


def test_a_property_that_raises(engine: Engine) -> None:
    """A property that cannot be evaluated is an error, not a violation."""
    report = search(engine, ring(3), always(raises_at_one))
    assert report.verdict is Verdict.ERROR
    assert report.failure is not None
    assert report.failure.function == "raises_at_one"
    assert "ZeroDivisionError" in report.failure.message
    assert indices(report.failure.trace) == [0, 1]
    assert report.outcomes == {"raises_at_one": Outcome.UNDECIDED}


def test_counts_of_actions(engine: Engine) -> None:
    """An action's counts are over all parameters; a dead action has zeros."""
    report = search(engine, counter(add, start_again, subtract_too_much))
    assert report.actions == {
        "add": ActionCount(generated=9, enabled=9),
        "start_again": ActionCount(generated=1, enabled=1),
        "subtract_too_much": ActionCount(),
    }
    assert report.levels == (1, 2, 2, 1)


def test_an_action_with_several_next_states(engine: Engine) -> None:
    """A choice inside an action gives several steps and is enabled once."""
    report = search(engine, graph((1, 2), (), ()))
    assert report.actions["go"] == ActionCount(generated=2, enabled=1)


def test_a_constraint_cuts_what_comes_after(engine: Engine) -> None:
    """The first state beyond a constraint is visited and judged, but not expanded."""
    model = counter(count_for_ever, limit=9, constraints=(is_at_most_five,))
    report = search(engine, model, always(is_at_most_five))
    assert report.states == 7
    (violation,) = report.violations
    assert len(violation.trace.states) == 7


def test_what_lies_beyond_a_constraint_is_undecided(engine: Engine) -> None:
    """A constraint that cuts a state leaves the verdict open, whatever else is seen."""
    model = counter(count_for_ever, limit=9, constraints=(is_at_most_five,))
    claims = (always(is_within_its_limit), sometimes(exceeds_its_limit))
    report = search(engine, model, *claims)
    assert report.verdict is Verdict.INCOMPLETE
    assert report.cut is None
    assert report.constrained == {"is_at_most_five": 1}
    assert set(report.outcomes.values()) == {Outcome.UNDECIDED}
