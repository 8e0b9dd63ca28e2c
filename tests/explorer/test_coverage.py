"""What a search covered: premises, guards and constraints."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest

import toys
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk
from replicheck.explorer.interpreter.vacuity import premise_of
from replicheck.explorer.properties import always, every_step
from replicheck.explorer.search.guard_coverage import SAMPLED
from replicheck.explorer.statistics import GuardCount
from shipped import CATALOGUE, SYSTEMS

ENGINES = (Naive(), NumpyWalk(), BreadthFirst(threads=1))
SEARCHES = (*ENGINES, Partitioned())


CLAIMS = (
    always(toys.at_its_limit_it_is_odd),
    always(toys.above_its_limit_it_is_even),
    always(toys.is_within_its_limit),
)


def falls_to_zero(before: toys.Counter, after: toys.Counter) -> bool:
    """A number that falls becomes 0."""
    return not after.value < before.value or after.value == 0


def overflows_to_zero(before: toys.Counter, after: toys.Counter) -> bool:
    """A number above its limit, which cannot be, becomes 0."""
    if before.value <= before.limit:
        return True
    return after.value == 0


def has_room_for_two(state: toys.Counter, amount: toys.Amount) -> bool:
    """Of 1 it reads nothing, and its premise holds in each state."""
    if amount == 2 and state.value >= 0:
        return True
    return bool(amount == 1 or state.value < 9)


def covered(engine: Any, model: Any, *claims: Any, search: Search = Search()) -> Any:
    """The coverage of a search."""
    return engine.explore(model, claims, search).statistics.coverage


@pytest.mark.parametrize("engine", ENGINES, ids=attrgetter("name"))
def test_a_premise_that_never_holds(engine: Any) -> None:
    """It is told from one that does, and an invariant without premise has none."""
    premises = covered(engine, toys.counter(), *CLAIMS).premises
    assert premises == {
        "at_its_limit_it_is_odd": True,
        "above_its_limit_it_is_even": False,
    }


@pytest.mark.parametrize("engine", ENGINES, ids=attrgetter("name"))
def test_a_premise_that_holds_late(engine: Any) -> None:
    """A search that ends before does not say that the premise held."""
    search = Search(Limits(depth=2))
    premises = covered(engine, toys.counter(), *CLAIMS, search=search).premises
    assert premises["at_its_limit_it_is_odd"] is False


@pytest.mark.parametrize("engine", SEARCHES, ids=attrgetter("name"))
def test_the_premise_of_an_instance_that_reads_nothing(engine: Any) -> None:
    """It holds in every state, though the instance need not be asked in any."""
    claim = always(has_room_for_two)
    premises = covered(engine, toys.counter(), claim).premises
    assert premises == {"has_room_for_two": True}


@pytest.mark.parametrize("engine", ENGINES, ids=attrgetter("name"))
def test_the_premise_of_a_step_property_property(engine: Any) -> None:
    """It is one of the states before and after a step."""
    claims = (every_step(falls_to_zero), every_step(overflows_to_zero))
    model = toys.counter(toys.add, toys.start_again)
    assert covered(engine, model, *claims).premises == {
        "falls_to_zero": True,
        "overflows_to_zero": False,
    }


def is_not_where_it_begins(state: toys.Counter) -> bool:
    """Broken by the state in which a counter begins."""
    return state.value > 0


def breaks_down(state: toys.Counter) -> bool:
    """A claim that raises in the state in which a counter begins."""
    return bool(1 // state.value)


def rises(before: toys.Counter, after: toys.Counter) -> bool:
    """What is not left alone rises."""
    if after.value is before.value:
        return True
    return after.value > before.value


@pytest.mark.parametrize("engine", SEARCHES, ids=attrgetter("name"))
@pytest.mark.parametrize("ends", [is_not_where_it_begins, breaks_down])
def test_steps_from_the_level_that_ends_the_search_are_not_steps_of_it(
    engine: Any, ends: Any
) -> None:
    """They are thrown away, and the premise of none of them held."""
    claims = (always(ends), every_step(rises))
    assert covered(engine, toys.counter(), *claims).premises == {"rises": False}
    assert covered(engine, toys.counter(), claims[1]).premises == {"rises": True}


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("replication", {"brokers": 2}),
        ("replication", {"brokers": 1}),
        ("controller-fails-with-disk-offline", None),
    ],
)
def test_premises_by_learning_are_those_of_the_naive_engine(
    name: str, bounds: dict[str, object] | None
) -> None:
    """To look only where a path is learned overlooks no state, masks or not."""
    (task,) = tasks(CATALOGUE, [name], Overrides("naive", bounds=bounds))
    search = Search(Limits(states=2_000))
    found = [
        covered(engine, task.model, *task.properties, search=search).premises
        for engine in (Naive(), BreadthFirst(threads=1))
    ]
    assert found[0] == found[1]


def test_the_premise_of_every_shipped_invariant_is_its_own() -> None:
    """A premise is asked with the parameters of its invariant; some have none."""
    systems = SYSTEMS.values()
    every = [
        predicate
        for system in systems
        for predicate in system.invariants + system.steps
    ]
    with_premise = [claim for claim in every if premise_of(claim) is not None]
    assert len(with_premise) > len(every) // 2


def test_guards_are_counted_in_all_states_of_a_small_model() -> None:
    """Each state asks once for each amount; the numbers are those of six states."""
    guards = covered(BreadthFirst(threads=1), toys.counter()).guards
    assert guards.sampled == 6
    assert guards.actions == {"add": {"value": GuardCount(asked=12, refused=3)}}


def test_guards_of_a_large_model_are_counted_in_a_sample() -> None:
    """Of more states than the sample has, the same are chosen in every run."""
    found = [
        covered(BreadthFirst(threads=threads), toys.lattice(3)).guards
        for threads in (1, 2)
    ]
    assert found[0] == found[1]
    assert found[0].sampled == SAMPLED
    asked = found[0].actions["climb"]["at"]
    assert asked.asked == 6 * SAMPLED
    # In a quarter of all states a direction is at its end.
    assert abs(asked.refused / asked.asked - 0.25) < 0.05


@pytest.mark.parametrize("constraint", [toys.is_at_most_five, toys.is_below_two])
def test_constraints_that_cut_are_counted(constraint: Any) -> None:
    """A state that breaks a constraint is counted, once."""
    model = toys.counter(limit=9, constraints=(constraint,))
    found = BreadthFirst(threads=1).explore(model, ())
    # 6 and 7 lie beyond five; 2 and 3 beyond one.
    assert found.constrained == {constraint.__name__: 2}
    assert covered(BreadthFirst(threads=1), model).guards.sampled == found.states - 2
