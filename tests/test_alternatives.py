"""Other last steps of a violation: one run for each action, in the same level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import toys
from replicheck.cli.tasks import Choices, tasks
from replicheck.explorer.breadth_first import BreadthFirst
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.naive import Naive
from replicheck.explorer.properties import Property, always, every_step
from replicheck.explorer.report import Report, Violation
from replicheck.invariants.catalogue import Catalogue


def add_one(state: toys.Counter) -> Iterator[toys.Counter]:
    """Add 1."""
    yield state.evolve(value=state.value + 1)


def add_four(state: toys.Counter) -> Iterator[toys.Counter]:
    """Add 4."""
    yield state.evolve(value=state.value + 4)


def add_five(state: toys.Counter) -> Iterator[toys.Counter]:
    """Add 5."""
    yield state.evolve(value=state.value + 5)


def is_below_four(state: toys.Counter) -> bool:
    """The number is 3 or less."""
    return state.value < 4


def never_jumps(before: toys.Counter, after: toys.Counter) -> bool:
    """A step adds 1 only."""
    return after.value == before.value + 1


MODEL = toys.counter(add_one, add_four, add_five)


def explored(claim: Property, search: Search = Search()) -> Report[Any]:
    """Return what the engine finds."""
    return BreadthFirst(threads=1).explore(MODEL, (claim,), search)


def actions(report: Report[Any]) -> list[str]:
    """Return the last actions of all violations."""
    found: tuple[Violation[Any], ...] = (
        *report.violations,
        *report.details["others"],
    )
    return sorted(each.trace.steps[-1].action for each in found)


def test_each_action_that_breaks_an_invariant_has_a_run() -> None:
    """Two lead out of the bound in one step, the third does not."""
    report = explored(always(is_below_four))
    assert actions(report) == ["add_five", "add_four"]
    (other,) = report.details["others"]
    assert (other.property, other.clause) == ("is_below_four", "is_below_four")
    assert [state.value for state in other.trace.states][-1] >= 4


def test_each_action_that_breaks_a_step_property_has_a_run() -> None:
    """Its last step is the one that breaks it."""
    report = explored(every_step(never_jumps))
    assert actions(report) == ["add_five", "add_four"]


def test_only_the_first_level_that_breaks_it_counts() -> None:
    """A search that goes on after a violation looks for no longer runs to it."""
    search = Search(Limits(depth=4), Stop.DECIDED)
    report = explored(always(is_below_four), search)
    assert len(report.details["others"]) == 1


def test_an_initial_state_has_no_last_action() -> None:
    """Where a start breaks it, there is one run, of one state."""
    model = toys.Toy((add_one,), (toys.Counter(5, 7), toys.Counter(5, 8)))
    report = BreadthFirst(threads=1).explore(model, (always(is_below_four),))
    assert report.details["others"] == ()


def test_what_is_found_is_in_the_naive_engines_level() -> None:
    """In a real protocol, each other run breaks the property and is as short."""
    bounds: dict[str, object] = {"brokers": 2}
    (task,) = tasks(
        Catalogue.shipped(),
        ["replication"],
        Choices("naive", protocol="kip-101", bounds=bounds),
    )
    naive = Naive().explore(task.model, task.properties)
    report = BreadthFirst(threads=1).explore(task.model, task.properties)
    lengths = {each.property: len(each.trace.states) for each in naive.violations}
    predicates = {each.name: each for each in task.properties}
    seen = {(v.property, v.trace.steps[-1].action) for v in report.violations}
    for other in report.details["others"]:
        assert len(other.trace.states) == lengths[other.property]
        clauses = predicates[other.property].instances(task.model.domains)
        assert not all(clause(other.trace.states[-1]) for clause in clauses)
        key = other.property, other.trace.steps[-1].action
        assert key not in seen
        seen.add(key)
