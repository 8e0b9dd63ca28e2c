"""A reduced search finds what the naive one finds, in no more states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, Phase, given, seed, settings

from random_models.example_counts import by_profile
from random_models.own_queues import QueueSystem, systems_of_own_queues
from random_models.random_processes import EVERYTHING, processes
from random_models.small_races import RACES
from random_models.systems import System, systems
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst, judged_levels
from replicheck.explorer.engines.reduced import passes
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.engines.reduced.passes import leaves_out_too_little
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.frontier.chunk_walker import ChunkWalker
from replicheck.explorer.properties import Kind, always, no_deadlock, sometimes
from replicheck.explorer.reduction.step_selection import SelectionCounts
from replicheck.explorer.report import Outcome, Report, Violation
from toys import Lattice, counter, is_at_most_five, lattice

NAIVE_LIMIT = Search(Limits(states=2_000), Stop.EXHAUSTED)


def summary(report: Report[Any]) -> tuple[object, ...]:
    """Everything that a reduced search has to find as a whole one does."""
    if report.failure is not None:
        return (report.verdict,)
    enabled = {name for name, count in report.actions.items() if count.enabled}
    coverage = report.statistics.coverage
    assert coverage is not None
    return report.verdict, report.outcomes, enabled, coverage.premises


def compare(system: System, reduce_beyond: int = 0) -> None:
    """Compare a reduced search with the naive one."""
    system = evolve(system, constraints=())
    expected = Naive().explore(system.model, system.properties, NAIVE_LIMIT)
    if expected.cut is not None:
        return
    found = ReducedBreadthFirst(threads=1, reduce_beyond=reduce_beyond).explore(
        system.model, system.properties, EVERYTHING
    )
    assert summary(found) == summary(expected)
    if expected.failure is None:
        assert found.states <= expected.states
        for violation in found.violations:
            require_real(system, violation)


def require_real(system: System, violation: Violation[Any]) -> None:
    """Take the run of a violation step by step, and judge where it ends."""
    actions = {action.__name__: action for action in system.model.actions}
    before, run = violation.trace.start, violation.trace
    assert before in system.starts
    for step in run.steps:
        after = list(actions[step.action](before, *step.arguments.values()))
        assert step.state in after
        before = step.state
    if violation.kind is Kind.ALWAYS:
        claim = next(c for c in system.properties if c.name == violation.property)
        clauses = claim.instances(system.model.domains)
        assert not all(clause(before) for clause in clauses)


def law_of_processes(examples: int, reduce_beyond: int = 0) -> Callable[[], None]:
    """The comparison of so many systems, the same ones in every run."""

    @seed(26)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(processes())
    def law(system: System) -> None:
        compare(system, reduce_beyond)

    return law


def test_a_reduced_search_agrees_with_the_naive_engine() -> None:
    """Verdict, outcomes, premises and actions are the same where much is left out."""
    law_of_processes(75)()


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(systems_of_own_queues(room=2))
def test_a_reduced_search_agrees_on_queues_of_own_models(system: QueueSystem) -> None:
    """What `Queue` promises of its ends is so, also of classes derived from it."""
    model, properties = system.model, system.properties
    expected = Naive().explore(model, properties, NAIVE_LIMIT)
    found = ReducedBreadthFirst(threads=1, reduce_beyond=0).explore(
        model, properties, EVERYTHING
    )
    assert summary(found) == summary(expected)
    assert expected.failure is not None or found.states <= expected.states


@pytest.mark.parametrize("reduce_beyond", [4, 32])
def test_a_search_agrees_that_is_reduced_once_it_is_large(
    reduce_beyond: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a whole search has learned and masked before changes nothing."""
    monkeypatch.setattr(chunk_walker, "MASKS_PAY", 0)
    law_of_processes(30, reduce_beyond)()


@pytest.mark.slow
def test_a_reduced_search_agrees_with_the_naive_engine_on_many_systems() -> None:
    """So they are on many times as many systems."""
    law_of_processes(by_profile(400))()


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(systems())
def test_a_reduced_search_agrees_where_everything_depends_on_everything(
    system: System,
) -> None:
    """Also where functions raise, and steps have several next states."""
    compare(system)


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
    law_of_processes(30)()
    found = ReducedBreadthFirst(threads=1).explore(lattice(2), [no_deadlock()])
    assert found.states == 729
    assert found.outcomes["no_deadlock"].value == "violated"


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
    monkeypatch.setattr(passes, "shrink", lambda *arguments: arguments[2])
    long = ReducedBreadthFirst(threads=1).explore(lattice(3), claims)
    assert [len(found.trace.steps) for found in long.violations] == [18]


def one_of_the_last_two_is_up(state: Lattice) -> bool:
    """One of the last two of six numbers went up."""
    return any(state.at[4:])


def test_the_run_to_a_witness_is_made_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the shortest one, if a bounded search finds it."""
    claims = [sometimes(one_of_the_last_two_is_up)]
    short = ReducedBreadthFirst(threads=1).explore(lattice(3), claims, EVERYTHING)
    monkeypatch.setattr(passes, "MOST_STATES", 1)
    long = ReducedBreadthFirst(threads=1).explore(lattice(3), claims, EVERYTHING)
    lengths = [
        len(found.reached["one_of_the_last_two_is_up"].steps) for found in (short, long)
    ]
    assert lengths == [1, 13]


def test_a_model_with_constraints_is_refused() -> None:
    """A step that is taken earlier could lead past a constraint."""
    with pytest.raises(ModelError, match="has constraints"):
        ReducedBreadthFirst().explore(counter(constraints=(is_at_most_five,)), [])


@pytest.mark.parametrize("name", RACES)
def test_each_order_that_matters_is_taken(name: str) -> None:
    """Whatever may be left out, every witness is reached."""
    model, properties = RACES[name]
    whole = Naive().explore(model, properties, EVERYTHING)
    found = ReducedBreadthFirst(threads=1).explore(model, properties, EVERYTHING)
    assert summary(found) == summary(whole)
    assert set(whole.outcomes.values()) == {Outcome.REACHED}
