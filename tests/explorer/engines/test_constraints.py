"""What every engine does with constraints, initial states and errors."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine, Limits, Progress, Search, Stop
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import always, every_step, sometimes
from replicheck.explorer.report import Outcome, Verdict
from searches.engine_searches import search
from toys import (
    Toy,
    add,
    break_down,
    counter,
    exceeds_its_limit,
    is_at_most_five,
    is_below_every,
    is_below_two,
    is_within_its_limit,
    never_goes_down,
    reaches_its_limit,
    start_again,
)


@pytest.fixture(params=ENGINES, ids=name_of)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each of the engines."""
    found: Engine = request.param
    return found


def test_a_constraint_that_cuts_nothing(engine: Engine) -> None:
    """All states are visited, so the verdict is that of a model without it."""
    model = counter(add, limit=5, constraints=(is_at_most_five,))
    report = search(engine, model, always(is_within_its_limit))
    assert report.verdict is Verdict.HOLDS
    assert report.constrained == {"is_at_most_five": 0}


def test_a_state_that_breaks_a_constraint_twice_is_cut_once(engine: Engine) -> None:
    """A constraint with parameters counts each state that any of them cuts."""
    model = counter(add, limit=9, constraints=(is_below_every,))
    assert search(engine, model).constrained == {"is_below_every": 2}


def test_outcomes_of_a_search_of_all_states(engine: Engine) -> None:
    """Such a search decides every property."""
    report = search(
        engine,
        counter(add, start_again),
        always(is_within_its_limit),
        always(is_below_two),
        every_step(never_goes_down),
        sometimes(reaches_its_limit),
        sometimes(exceeds_its_limit),
    )
    assert report.verdict is Verdict.VIOLATED
    assert report.outcomes == {
        "is_within_its_limit": Outcome.HOLDS,
        "is_below_two": Outcome.VIOLATED,
        "never_goes_down": Outcome.VIOLATED,
        "reaches_its_limit": Outcome.REACHED,
        "exceeds_its_limit": Outcome.UNREACHED,
    }


def test_a_step_property(engine: Engine) -> None:
    """The trace of a step property ends with the step that breaks it."""
    report = search(engine, counter(add, start_again), every_step(never_goes_down))
    (violation,) = report.violations
    assert [state.value for state in violation.trace.states][-2:] == [5, 0]
    assert violation.trace.steps[-1].label == "start_again"
    assert len(violation.trace.states) == 5


def test_the_search_ends_with_the_level_of_the_first_violation(engine: Engine) -> None:
    """All of the level is judged; its states are not expanded."""
    model = counter(add)
    report = search(engine, model, always(is_below_two), how=Search())
    assert report.levels == (1, 2)
    assert report.cut is None
    assert report.verdict is Verdict.VIOLATED


def test_a_search_that_visits_every_state_whatever_it_finds(engine: Engine) -> None:
    """It decides all and goes on, and what it found first is what it reports."""
    how = Search(stop=Stop.EXHAUSTED)
    report = search(engine, counter(add), always(is_below_two), how=how)
    assert report.levels == (1, 2, 2, 1)
    assert report.actions["add"].generated == 9
    (violation,) = report.violations
    assert [state.value for state in violation.trace.states] == [0, 2]


@pytest.mark.parametrize(
    ("limits", "levels"),
    [
        (Limits(depth=2), (1, 2)),
        (Limits(states=2), (1, 2)),
        (Limits(states=4), (1, 2, 2)),
    ],
    ids=str,
)
def test_a_limit_ends_the_search_with_a_level(
    engine: Engine, limits: Limits, levels: Sequence[int]
) -> None:
    """The level that reaches a limit is the last; nothing is said to hold."""
    report = search(
        engine, counter(), always(is_within_its_limit), how=Search(limits=limits)
    )
    assert report.verdict is Verdict.INCOMPLETE
    assert report.levels == levels
    assert report.cut == ("depth" if limits.depth else "states")
    assert report.outcomes == {"is_within_its_limit": Outcome.UNDECIDED}


def test_a_limit_above_everything_cuts_nothing(engine: Engine) -> None:
    """A search that visits all before the limit is complete."""
    how = Search(limits=Limits(states=100, depth=100))
    assert search(engine, counter(), how=how).verdict is Verdict.HOLDS


def test_the_watch_can_end_the_search(engine: Engine) -> None:
    """What was found until then is reported as incomplete."""

    def interrupt(progress: Progress) -> None:
        if progress.depth == 3:
            raise KeyboardInterrupt

    report = search(engine, counter(), how=Search(watch=interrupt))
    assert report.verdict is Verdict.INCOMPLETE
    assert report.cut == "interrupted"
    assert report.levels == (1, 2, 2)


def test_a_violation_survives_an_interruption(engine: Engine) -> None:
    """A violation that was found before Ctrl-C is still the verdict."""

    def interrupt(progress: Progress) -> None:
        if progress.depth == 3:
            raise KeyboardInterrupt

    how = Search(stop=Stop.DECIDED, watch=interrupt)
    report = search(
        engine, counter(), always(is_below_two), sometimes(exceeds_its_limit), how=how
    )
    assert report.verdict is Verdict.VIOLATED
    assert report.cut == "interrupted"


def test_a_model_without_initial_state(engine: Engine) -> None:
    """Such a model breaks the contract."""
    with pytest.raises(ModelError, match="no initial state"):
        search(engine, Toy((break_down,), ()))
