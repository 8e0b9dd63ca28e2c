"""A reduced search in tasks finds what the naive engine finds, in any processes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from random_models.example_counts import by_profile
from random_models.random_processes import EVERYTHING
from random_models.small_races import RACES
from reduced.comparison import (
    law_of_processes,
    summary,
    without_last_pass,
    without_proviso,
)
from reduced.reduced_engines import in_tasks, updates_of_tasks
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.partitioned.worker.visited_runs import VisitedRuns
from replicheck.explorer.engines.reduced import passes
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.engines.reduced.partitioned_engine import ReducedPartitioned
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.properties import no_deadlock
from replicheck.explorer.report import Outcome
from searches.unreliable_cluster import small_tasks
from shipped import CATALOGUE
from toys import counter, is_at_most_five, lattice


def test_a_reduced_search_in_tasks_agrees_with_the_naive_engine() -> None:
    """Verdict, outcomes, premises and actions, in whichever process a task is done."""
    with small_tasks():
        law_of_processes(12, in_tasks())()


@pytest.mark.slow
@pytest.mark.parametrize("reduce_beyond", [0, 16])
def test_it_agrees_on_many_systems(reduce_beyond: int) -> None:
    """So it does on more systems, also where a whole search came before."""
    with small_tasks():
        law_of_processes(by_profile(20), in_tasks(reduce_beyond))()


@pytest.mark.parametrize("name", RACES)
def test_each_order_that_matters_is_taken(name: str) -> None:
    """Whatever may be left out, every violation is found."""
    model, properties = RACES[name]
    whole = Naive().explore(model, properties, EVERYTHING)
    with small_tasks():
        found = in_tasks().explore(model, properties, EVERYTHING)
    assert summary(found) == summary(whole)
    assert set(whole.outcomes.values()) == {Outcome.VIOLATED}


@pytest.mark.parametrize("buckets", [1, 16])
def test_as_much_is_left_out_as_in_one_process(buckets: int) -> None:
    """Of the 729 states in which six numbers go up to two, one run is visited."""
    engine = in_tasks(buckets=buckets)
    found = engine.explore(lattice(2), [no_deadlock()], EVERYTHING)
    local = ReducedBreadthFirst(threads=1)
    expected = local.explore(lattice(2), [no_deadlock()], EVERYTHING)
    assert found.states == expected.states == 13
    assert found.statistics.left_out == expected.statistics.left_out
    assert found.violations == expected.violations


def test_what_a_pass_learned_is_known_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last pass of all learns nothing, although each has processes of its own."""
    updates = updates_of_tasks(monkeypatch)
    in_tasks().explore(lattice(2), [no_deadlock()], EVERYTHING)
    assert updates[0].paths
    assert not any(update.paths for update in updates[-13:])


def test_a_level_of_a_pass_is_sent_sooner_than_one_of_a_whole_search() -> None:
    """A state of it takes far longer."""
    engine = Partitioned(cluster=in_process(2), small=200)
    arguments = lattice(2), [no_deadlock()], EVERYTHING
    whole = engine.explore(*arguments)
    found = ReducedPartitioned(engine, threads=1).explore(*arguments)
    for report, is_sent in [(whole, False), (found, True)]:
        assert report.statistics.partitioned is not None
        assert (report.statistics.partitioned.sent > 0) == is_sent


@pytest.mark.parametrize("reduce_beyond", [0, 100])
def test_a_shipped_scenario_has_the_report_of_one_process(reduce_beyond: int) -> None:
    """Premises are among it, which are looked at only where a path is learned."""
    choices = Overrides("breadth-first", stop="exhausted")
    (task,) = tasks(CATALOGUE, ("topic-deleted-with-disk-offline",), choices)
    arguments = task.model, task.properties, EVERYTHING
    with small_tasks():
        found = in_tasks(reduce_beyond).explore(*arguments)
    whole = BreadthFirst(threads=1).explore(*arguments)
    assert summary(found) == summary(whole)
    assert whole.statistics.coverage is not None
    assert any(whole.statistics.coverage.premises.values())
    assert found.states < whole.states


@pytest.mark.parametrize(("reduce_beyond", "states"), [(728, 13), (729, 729)])
def test_a_search_is_reduced_that_has_more_states(
    reduce_beyond: int, states: int
) -> None:
    """Others are whole ones, and take no longer."""
    engine = in_tasks(reduce_beyond)
    found = engine.explore(lattice(2), [no_deadlock()], EVERYTHING)
    assert found.states == states
    assert (found.statistics.left_out == 0) == (states == 729)


@pytest.mark.parametrize("reduce_beyond", [0, 300])
def test_a_search_that_was_not_replaced_is_a_whole_one(
    reduce_beyond: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on where it was, to the report of the engine without reduction."""
    monkeypatch.setattr(passes, "leaves_out_too_little", lambda *arguments: True)
    monkeypatch.setattr(passes, "learned_nothing", lambda *arguments: False)
    model, claims = lattice(3), [no_deadlock()]
    engine = in_tasks(reduce_beyond)
    with small_tasks():
        found = engine.explore(model, claims, EVERYTHING)
    assert found == engine.engine.explore(model, claims, EVERYTHING)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("one goes round", partial(without_proviso, visited=VisitedRuns)),
        ("one disables later", without_last_pass),
    ],
)
def test_an_order_is_missed_without_a_condition_of_the_theorem(
    name: str, change: Callable[[pytest.MonkeyPatch], None]
) -> None:
    """So what differs from the search in one process is needed here, too."""
    model, properties = RACES[name]
    with pytest.MonkeyPatch.context() as patch:
        change(patch)
        found = in_tasks().explore(model, properties, EVERYTHING)
    assert Outcome.HOLDS in found.outcomes.values()


def test_a_model_with_constraints_is_refused() -> None:
    """A step that is taken earlier could lead past a constraint."""
    engine = ReducedPartitioned(Partitioned(cluster=in_process(1)))
    with pytest.raises(ModelError, match="has constraints"):
        engine.explore(counter(constraints=(is_at_most_five,)), [])
