"""A reduced search finds what the naive one finds, in no more states."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings

from random_models.example_counts import by_profile
from random_models.own_queues import QueueSystem, systems_of_own_queues
from random_models.random_processes import EVERYTHING, CommutingBox
from random_models.small_races import RACES, Race, go
from random_models.systems import System, systems
from reduced.comparison import (
    compare,
    law_of_processes,
    require_agreement,
    summary,
)
from reduced.ended_beside_passes import ends_once_called
from reduced.reduced_engines import in_one_process
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst, judged_levels
from replicheck.explorer.engines.reduced import passes
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.engines.reduced.passes import leaves_out_too_little
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.frontier.chunk_walker import ChunkWalker
from replicheck.explorer.properties import always, no_deadlock, sometimes
from replicheck.explorer.reduction import value_space
from replicheck.explorer.reduction.step_selection import SelectionCounts
from replicheck.explorer.report import Outcome, Verdict
from toys import Lattice, Toy, counter, is_at_most_five, lattice


def test_a_reduced_search_agrees_with_the_naive_engine() -> None:
    """Verdict, outcomes, premises and actions are the same where much is left out."""
    law_of_processes(75, in_one_process())()


def test_a_reduced_search_agrees_that_supposes_no_values(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What operations in any order make of a value is often not known."""
    monkeypatch.setattr(value_space, "MOST_SUPPOSED", 0)
    law_of_processes(30, in_one_process())()


class Sum(CommutingBox):
    """A box with a number that has no end."""

    def add(self, number: int) -> Self:
        """Add a number."""
        return evolve(self, number=self.number + number)


@pytest.mark.parametrize(("promised", "states"), [({"add"}, 4), ({}, 8)])
def test_operations_that_commute_are_done_in_one_order(
    promised: Iterable[str], states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing has to be known of what they make of a value."""
    monkeypatch.setattr(value_space, "MOST_SUPPOSED", 0)
    monkeypatch.setattr(Sum, "COMMUTING", frozenset(promised))
    steps = tuple(go(process, box=lambda box: box.add(1)) for process in range(3))
    model = Toy(steps, (Race(box=Sum()),))
    assert in_one_process().explore(model, [no_deadlock()], EVERYTHING).states == states


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(systems_of_own_queues(room=2))
def test_a_reduced_search_agrees_on_queues_of_own_models(system: QueueSystem) -> None:
    """What `Queue` promises of its ends is so, also of classes derived from it."""
    require_agreement(in_one_process(), system.model, system.properties)


@pytest.mark.parametrize("reduce_beyond", [4, 32])
def test_a_search_agrees_that_is_reduced_once_it_is_large(
    reduce_beyond: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a whole search has learned and masked before changes nothing."""
    monkeypatch.setattr(chunk_walker, "MASKS_PAY", 0)
    law_of_processes(30, in_one_process(reduce_beyond))()


@pytest.mark.slow
def test_a_reduced_search_agrees_with_the_naive_engine_on_many_systems() -> None:
    """So they are on many times as many systems."""
    law_of_processes(by_profile(60), in_one_process())()


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems())
def test_a_reduced_search_agrees_where_everything_depends_on_everything(
    system: System,
) -> None:
    """Also where functions raise, and steps have several next states."""
    compare(in_one_process(), system)


def test_independent_steps_are_taken_in_one_order() -> None:
    """Of the 729 states in which six numbers go up to two, one run is visited."""
    found = ReducedBreadthFirst(threads=1).explore(lattice(2), [no_deadlock()])
    assert found.states == found.depth == 13
    assert found.outcomes["no_deadlock"].value == "violated"


def test_a_search_that_leaves_out_too_little_takes_all_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It visits every state; what the passes before have learned changes nothing."""
    monkeypatch.setattr(passes, "leaves_out_too_little", lambda *arguments: True)
    law_of_processes(30, in_one_process())()
    found = ReducedBreadthFirst(threads=1).explore(lattice(2), [no_deadlock()])
    assert found.states == 729
    assert found.outcomes["no_deadlock"].value == "violated"


def test_passes_that_go_on_learning_come_to_an_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first pass learns what all are to know, so two are needed."""
    engine = ReducedBreadthFirst(threads=1)
    for most, states in ((1, 729), (2, 13)):
        monkeypatch.setattr(passes, "MOST_PASSES", most)
        found = engine.explore(lattice(2), [no_deadlock()], EVERYTHING)
        assert found.states == states


@pytest.mark.parametrize(("reduce_beyond", "states"), [(728, 13), (729, 729)])
def test_a_search_is_reduced_that_has_more_states(
    reduce_beyond: int, states: int
) -> None:
    """Others are whole ones, and take no longer."""
    engine = ReducedBreadthFirst(threads=1, reduce_beyond=reduce_beyond)
    found = engine.explore(lattice(2), [no_deadlock()], EVERYTHING)
    assert found.states == states
    assert (found.statistics.left_out == 0) == (states == 729)


def test_a_search_is_reduced_where_a_limit_would_cut_it() -> None:
    """Within as many states, a reduced one may come to its end."""
    search = Search(Limits(states=100), Stop.EXHAUSTED)
    engine = ReducedBreadthFirst(threads=1, reduce_beyond=729)
    found = engine.explore(lattice(2), [no_deadlock()], search)
    assert (found.cut, found.states) == (None, 13)


@pytest.mark.parametrize("reduce_beyond", [0, 300])
def test_a_search_that_was_not_replaced_is_a_whole_one(
    reduce_beyond: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on where it was: levels, steps and guards are those of the engine."""
    monkeypatch.setattr(passes, "leaves_out_too_little", lambda *arguments: True)
    monkeypatch.setattr(passes, "learned_nothing", lambda *arguments: False)
    model, claims = lattice(3), [no_deadlock()]
    whole = BreadthFirst(threads=1).explore(model, claims, EVERYTHING)
    engine = ReducedBreadthFirst(threads=1, reduce_beyond=reduce_beyond)
    found = engine.explore(model, claims, EVERYTHING)
    assert found.levels == whole.levels
    assert found.actions == whole.actions
    assert found.violations == whole.violations
    assert found.statistics.coverage == whole.statistics.coverage


def test_a_walk_of_every_tree_forgets_the_masks_of_a_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pass needs every tree walked, after a whole search as well."""
    monkeypatch.setattr(chunk_walker, "MASKS_PAY", 0)
    model, properties = RACES["one disables"]
    with BreadthFirst(threads=1)._search(model, properties, EVERYTHING) as search:
        search.begin()
        judged_levels(search).search()
        masks = search.learner.tables.masks
        assert len(masks.guards.masks)
        ChunkWalker(search.learner, search.threads, masked=False)
        assert not len(masks.guards.masks)


def test_what_a_pass_tells_of_the_next() -> None:
    """Few states tell nothing, nor do those in which something was not known."""
    counts = SelectionCounts(unknown_steps=10, enabled=100, taken=80)
    assert leaves_out_too_little(counts, 5_000)
    assert not leaves_out_too_little(counts, 4_999)
    assert not leaves_out_too_little(evolve(counts, unknown_steps=30), 5_000)


def last_two_are_not_done(state: Lattice) -> bool:
    """One of the last two of six numbers can go up."""
    return state.at[4:] != (state.size, state.size)


def test_the_run_to_a_violation_is_made_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that came earlier for the order's sake alone are left out of it again."""
    claims = [always(last_two_are_not_done)]
    short = ReducedBreadthFirst(threads=1).explore(lattice(3), claims)
    assert [len(found.trace.steps) for found in short.violations] == [6]
    monkeypatch.setattr(passes, "shrink", lambda *found, **rest: found[2])
    long = ReducedBreadthFirst(threads=1).explore(lattice(3), claims)
    assert [len(found.trace.steps) for found in long.violations] == [18]


def test_the_user_may_end_what_makes_a_run_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The violation is told all the same, by the run that there is."""
    search = Search(watch=ends_once_called(monkeypatch, "shrink"))
    claims = [always(last_two_are_not_done)]
    found = ReducedBreadthFirst(threads=1).explore(lattice(3), claims, search)
    assert (found.verdict, found.cut) == (Verdict.VIOLATED, None)
    assert [len(violation.trace.steps) for violation in found.violations] == [18]


def last_two_are_done(state: Lattice) -> bool:
    """Neither of the last two of six numbers can go up."""
    return not last_two_are_not_done(state)


def test_the_run_to_a_witness_is_made_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the shortest one, if a bounded search finds it."""
    claims = [sometimes(last_two_are_done)]
    short = ReducedBreadthFirst(threads=1).explore(lattice(3), claims, EVERYTHING)
    monkeypatch.setattr(passes, "MOST_STATES", 1)
    long = ReducedBreadthFirst(threads=1).explore(lattice(3), claims, EVERYTHING)
    lengths = [len(found.reached["last_two_are_done"].steps) for found in (short, long)]
    assert lengths == [6, 18]


def test_the_user_may_end_the_search_for_a_shorter_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The witness is there all the same, by the run that there is."""
    watch = ends_once_called(monkeypatch, "BreadthFirst")
    found = ReducedBreadthFirst(threads=1).explore(
        lattice(3), [sometimes(last_two_are_done)], evolve(EVERYTHING, watch=watch)
    )
    assert (found.verdict, found.cut) == (Verdict.HOLDS, None)
    assert len(found.reached["last_two_are_done"].steps) == 18


def test_a_model_with_constraints_is_refused() -> None:
    """A step that is taken earlier could lead past a constraint."""
    with pytest.raises(ModelError, match="has constraints"):
        ReducedBreadthFirst().explore(counter(constraints=(is_at_most_five,)), [])


@pytest.mark.parametrize("name", RACES)
def test_each_order_that_matters_is_taken(name: str) -> None:
    """Whatever may be left out, every violation is found."""
    model, properties = RACES[name]
    whole = Naive().explore(model, properties, EVERYTHING)
    found = ReducedBreadthFirst(threads=1).explore(model, properties, EVERYTHING)
    assert summary(found) == summary(whole)
    assert set(whole.outcomes.values()) == {Outcome.VIOLATED}
