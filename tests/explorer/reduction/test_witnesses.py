"""Witnesses that a reduced search may miss on its way, and reaches all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from random_models.random_processes import EVERYTHING
from random_models.small_races import Race
from reduced.comparison import law_of_processes
from reduced.ended_beside_passes import ends_once_called
from reduced.reduced_engines import BOTH, in_one_process
from replicheck.explorer.engine import Engine, Limits, Search, Stop
from replicheck.explorer.engines.reduced.passes import Passes
from replicheck.explorer.engines.reduced.witnesses import Witnesses
from replicheck.explorer.properties import sometimes
from replicheck.explorer.report import Outcome, Report, Trace
from searches.unreliable_cluster import small_tasks
from toys import Lattice, lattice


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[frozenset[str]]:
    """The names for which walks were made, which all came to nothing."""
    asked: list[frozenset[str]] = []

    def to_nothing(passes: Passes[Any], names: frozenset[str]) -> None:
        asked.append(names)

    monkeypatch.setattr(Passes, "_walk_to", to_nothing)
    return asked


def all_are_at_two(state: Lattice) -> bool:
    """Each number went up by two."""
    return state.at == (2,) * len(state.at)


def all_are_up(state: Lattice) -> bool:
    """Each number went to its end."""
    return state.at == (state.size,) * len(state.at)


def is_elsewhere(state: Lattice) -> bool:
    """A number is greater than any is."""
    return max(state.at) > state.size


def search(engine: Engine, *claims: Callable[[Lattice], bool]) -> Report[Any]:
    """A search of six numbers that go up to three, for witnesses."""
    with small_tasks():
        return engine.explore(lattice(3), list(map(sometimes, claims)), EVERYTHING)


@BOTH
def test_a_witness_on_the_way_costs_nothing(
    make: Callable[[], Engine], walks: list[frozenset[str]]
) -> None:
    """One run of the 4,096 states is visited, at whose end it is."""
    found = search(make(), all_are_up)
    assert found.states == 19
    assert found.outcomes == {"all_are_up": Outcome.REACHED}
    assert set(walks) == {frozenset()}


@BOTH
def test_a_witness_that_is_missed_is_walked_to(make: Callable[[], Engine]) -> None:
    """No state more is visited for it."""
    found = search(make(), all_are_up, all_are_at_two)
    assert found.states == 19
    assert set(found.outcomes.values()) == {Outcome.REACHED}
    assert len(found.reached["all_are_at_two"].steps) == 12


@BOTH
def test_a_witness_to_which_no_walk_leads_is_reached(
    make: Callable[[], Engine], walks: list[frozenset[str]]
) -> None:
    """The next pass may not miss it; the other one, which has a run, it may."""
    found = search(make(), all_are_up, all_are_at_two)
    assert walks[0] == {"all_are_at_two"}
    assert set(found.outcomes.values()) == {Outcome.REACHED}
    assert 19 < found.states < 4_096


@BOTH
def test_what_no_state_shows_is_not_reached(make: Callable[[], Engine]) -> None:
    """That is said only after a pass that could not have missed it."""
    found = search(make(), is_elsewhere, all_are_up)
    assert found.outcomes == {
        "is_elsewhere": Outcome.UNREACHED,
        "all_are_up": Outcome.REACHED,
    }


@BOTH
def test_a_witness_of_the_whole_search_is_kept(
    make: Callable[[int], Engine], walks: list[frozenset[str]]
) -> None:
    """It had been reached before the first pass began."""
    found = search(make(3_700), all_are_at_two)
    assert found.states == 19
    assert set(walks) == {frozenset()}
    assert len(found.reached["all_are_at_two"].steps) == 12
    assert found.outcomes == {"all_are_at_two": Outcome.REACHED}


@BOTH
def test_a_search_that_is_cut_does_not_say_unreached(
    make: Callable[[], Engine],
) -> None:
    """What it did not come to is undecided."""
    found = make().explore(
        lattice(3),
        [sometimes(is_elsewhere), sometimes(all_are_up)],
        Search(Limits(states=10), Stop.EXHAUSTED),
    )
    assert found.cut == "states"
    assert set(found.outcomes.values()) == {Outcome.UNDECIDED}


def test_walks_that_the_user_ends_end_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So none has to be interrupted twice."""
    watched = evolve(EVERYTHING, watch=ends_once_called(monkeypatch, "simulate"))
    with small_tasks():
        claims = [sometimes(all_are_at_two)]
        found = in_one_process().explore(lattice(3), claims, watched)
    assert found.cut == "interrupted"
    assert found.outcomes == {"all_are_at_two": Outcome.UNDECIDED}


def test_witnesses_are_those_of_all_passes() -> None:
    """The first run to each is kept, and only claims without one are missed."""
    first, second = (Trace[Any](Race(at=(at, 0, 0))) for at in (0, 1))
    witnesses: Witnesses[Any] = Witnesses({}, frozenset({"one", "two"}))
    witnesses.add({"one": first})
    witnesses.add({"one": second})
    assert witnesses.reached == {"one": first}
    assert witnesses.missed == {"two"}


@pytest.mark.slow
def test_a_reduced_search_without_walks_agrees_with_the_naive_engine(
    walks: list[frozenset[str]],
) -> None:
    """What is missed becomes a goal, and a search without it is none."""
    law_of_processes(200, in_one_process())()
    assert any(walks)
