"""Other last steps of a violation: the shortest run for each action."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import toys
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive, NaiveSearch
from replicheck.explorer.properties import Kind, Property, always, every_step
from replicheck.explorer.report import Report, Violation
from replicheck.model.replication.state import AbstractCluster
from replicheck.model.vocabulary import BrokerId
from shipped import CATALOGUE


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


def is_not_three_to_five(state: toys.Counter) -> bool:
    """The number is none of 3, 4 and 5."""
    return state.value < 3 or state.value > 5


def never_jumps(before: toys.Counter, after: toys.Counter) -> bool:
    """A step adds 1 only."""
    return after.value == before.value + 1


def no_log_shrinks(
    before: AbstractCluster, after: AbstractCluster, broker: BrokerId
) -> bool:
    """A step takes no record from a log, which truncation does."""
    return after.logs[broker].end_offset >= before.logs[broker].end_offset


STRONG_ISR = "leader_isr_has_records_below_hw"
MODEL = toys.counter(add_one, add_four, add_five)


def explored(claim: Property, search: Search = Search()) -> Report[Any]:
    """The engine's report."""
    return BreadthFirst(threads=1).explore(MODEL, (claim,), search)


def actions(report: Report[Any]) -> list[str]:
    """The last actions of all violations."""
    found: tuple[Violation[Any], ...] = (
        *report.violations,
        *report.others,
    )
    return sorted(violation.trace.steps[-1].action for violation in found)


def test_each_action_that_breaks_an_invariant_has_a_run() -> None:
    """Two lead out of the bound in one step, the third does not."""
    report = explored(always(is_below_four))
    assert actions(report) == ["add_five", "add_four"]
    (other,) = report.others
    assert (other.property, other.instance) == ("is_below_four", "is_below_four")
    assert [state.value for state in other.trace.states][-1] >= 4


def test_each_action_that_breaks_a_step_property_has_a_run() -> None:
    """Its last step is the one that breaks it."""
    report = explored(every_step(never_jumps))
    assert actions(report) == ["add_five", "add_four"]


def test_only_the_first_level_that_breaks_it_counts() -> None:
    """A search that goes on after a violation looks for no longer runs to it."""
    search = Search(Limits(depth=4), Stop.DECIDED)
    report = explored(always(is_below_four), search)
    assert len(report.others) == 1


def test_a_search_that_goes_on_finds_longer_ones() -> None:
    """The third action breaks it in a later level, from a state that does not."""
    search = Search(Limits(depth=6), Stop.EXHAUSTED)
    report = explored(always(is_not_three_to_five), search)
    lengths = {
        violation.trace.steps[-1].action: len(violation.trace.states)
        for violation in (*report.violations, *report.others)
    }
    assert lengths == {"add_four": 2, "add_five": 2, "add_one": 4}


def test_the_shortest_of_each_last_action_is_kept() -> None:
    """Of all states and steps that break it, by the naive engine's own runs."""
    bounds: dict[str, object] = {"brokers": 2, "log_size": 1, "records": 1}
    protocol = "truncate-to-high-watermark"
    choices = Overrides("naive", protocol=protocol, bounds=bounds)
    (task,) = tasks(CATALOGUE, ["replication"], choices)
    claims = (
        *(claim for claim in task.properties if claim.name == STRONG_ISR),
        every_step(no_log_shrinks),
    )
    search = Search(stop=Stop.EXHAUSTED)
    report = BreadthFirst(threads=1).explore(task.model, claims, search)
    found = {
        (violation.property, violation.trace.steps[-1].action): len(
            violation.trace.states
        )
        for violation in (*report.violations, *report.others)
    }
    assert {name for name, _ in found} == {STRONG_ISR, "no_log_shrinks"}
    assert found == shortest_of_each(task.model, claims, search)


def shortest_of_each(
    model: Any, claims: tuple[Property, ...], search: Search
) -> dict[tuple[str, str], int]:
    """The states of the shortest run by property and last action."""
    naive: NaiveSearch[Any] = NaiveSearch(model, claims, search, "naive")
    naive.run()
    depths: dict[Any, int] = {}
    broken_by: dict[Any, set[str]] = {}
    shortest: dict[tuple[str, str], int] = {}
    for state, parent in naive.parents.items():
        depths[state] = 1 if parent is None else depths[parent[0]] + 1
    for state, parent in naive.parents.items():
        steps = [
            (action.name, after) for action in naive.actions for after in action(state)
        ]
        before = set() if parent is None else broken_by[parent[0]]
        broken_by[state] = set(before)
        for claim, instances in naive.instances.items():
            broken = [
                (action, depths[state] + 1)
                for action, after in steps
                if claim.kind is Kind.STEP
                and not all(instance(state, after) for instance in instances)
            ]
            if claim.kind is Kind.ALWAYS and parent is not None:
                if not all(instance(state) for instance in instances):
                    broken_by[state].add(claim.name)
                is_new = claim.name in broken_by[state] - before
                broken = [(parent[1].name, depths[state])] * is_new
            for action, length in broken:
                known = shortest.get((claim.name, action), length)
                shortest[claim.name, action] = min(known, length)
    return shortest


def test_an_initial_state_has_no_last_action() -> None:
    """Where a start breaks it, there is one run, of one state."""
    model = toys.Toy((add_one,), (toys.Counter(5, 7), toys.Counter(5, 8)))
    report = BreadthFirst(threads=1).explore(model, (always(is_below_four),))
    assert report.others == ()


def test_what_is_found_is_in_the_naive_engines_level() -> None:
    """In a real protocol, each other run breaks the property and is as short."""
    bounds: dict[str, object] = {"brokers": 2}
    (task,) = tasks(
        CATALOGUE,
        ["replication"],
        Overrides("naive", protocol="kip-101", bounds=bounds),
    )
    naive = Naive().explore(task.model, task.properties)
    report = BreadthFirst(threads=1).explore(task.model, task.properties)
    lengths = {
        violation.property: len(violation.trace.states)
        for violation in naive.violations
    }
    predicates = {claim.name: claim for claim in task.properties}
    seen = {(v.property, v.trace.steps[-1].action) for v in report.violations}
    for other in report.others:
        assert len(other.trace.states) == lengths[other.property]
        instances = predicates[other.property].instances(task.model.domains)
        assert not all(instance(other.trace.states[-1]) for instance in instances)
        key = other.property, other.trace.steps[-1].action
        assert key not in seen
        seen.add(key)


def begin(state: toys.Counter) -> Iterator[toys.Counter]:
    """From 0 to 1 or 2."""
    if state.value == 0:
        yield state.evolve(value=1)
        yield state.evolve(value=2)


def go_on(state: toys.Counter) -> Iterator[toys.Counter]:
    """From 2 to 3."""
    if state.value == 2:
        yield state.evolve(value=3)


def raises_later(state: toys.Counter, amount: toys.Amount) -> bool:
    """It is broken by 1, and of 3 one instance raises and the other is false."""
    if state.value == 3 and amount == 1:
        raise ValueError("three")
    return state.value % 2 == 0


def test_an_instance_that_raises_where_another_is_false() -> None:
    """A claim that was broken before is not judged any more; the run is shown."""
    model = toys.counter(begin, go_on)
    claims = (always(raises_later),)
    report = BreadthFirst(threads=1).explore(model, claims, Search(stop=Stop.EXHAUSTED))
    assert report == Naive().explore(model, claims, Search(stop=Stop.EXHAUSTED))
    assert actions(report) == ["begin", "go_on"]
    assert [other.instance for other in report.others] == ["raises_later(amount=2)"]
