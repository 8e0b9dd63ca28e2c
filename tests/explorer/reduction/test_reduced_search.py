"""A reduced search finds what the naive one finds, in no more states."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, Phase, given, seed, settings

from random_models.cells import Queue
from random_models.random_processes import EVERYTHING, processes
from random_models.small_races import RACES
from random_models.systems import System, systems
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.engines.reduced import engine as reduced_engine
from replicheck.explorer.engines.reduced.engine import (
    ReducedBreadthFirst,
    leaves_out_too_little,
)
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.reduction import (
    accord,
    closure,
    persistent_set,
)
from replicheck.explorer.properties import Kind, always, no_deadlock, sometimes
from replicheck.explorer.reduction import step_selection
from replicheck.explorer.reduction.knowledge import KnowledgeSource
from replicheck.explorer.reduction.step_selection import StepSelection
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


def compare(system: System) -> tuple[int, int]:
    """Compare a reduced search with the naive one; return the states of both."""
    system = evolve(system, constraints=())
    expected = Naive().explore(system.model, system.properties, NAIVE_LIMIT)
    if expected.cut is not None:
        return 0, 0
    found = ReducedBreadthFirst(threads=1).explore(
        system.model, system.properties, EVERYTHING
    )
    assert summary(found) == summary(expected)
    if expected.failure is None:
        assert found.states <= expected.states
        for violation in found.violations:
            require_real(system, violation)
    return found.states, expected.states


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


def law_of_processes(examples: int) -> Callable[[], None]:
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
        compare(system)

    return law


def test_a_reduced_search_agrees_with_the_naive_engine() -> None:
    """Verdict, outcomes, premises and actions are the same where much is left out."""
    law_of_processes(75)()


@pytest.mark.slow
def test_a_reduced_search_agrees_with_the_naive_engine_on_many_systems() -> None:
    """So they are on many times as many systems."""
    law_of_processes(2_000)()


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
    monkeypatch.setattr(reduced_engine, "ENOUGH_STATES", 0)
    monkeypatch.setattr(reduced_engine, "MOST_TAKEN", -1)
    law_of_processes(30)()
    found = ReducedBreadthFirst(threads=1).explore(lattice(2), [no_deadlock()])
    assert found.states == 729
    assert found.outcomes["no_deadlock"].value == "violated"


def test_what_a_pass_tells_of_the_next() -> None:
    """Few states tell nothing."""
    selection = StepSelection.__new__(StepSelection)
    selection.enabled, selection.taken = 100, 80
    assert leaves_out_too_little(selection, 1_000)
    assert not leaves_out_too_little(selection, 999)
    selection.taken = 75
    assert not leaves_out_too_little(selection, 1_000)


def last_two_are_not_done(state: Lattice) -> bool:
    """One of the last two of six numbers can go up."""
    return state.at[4:] != (state.size, state.size)


def test_the_run_to_a_violation_is_made_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps that came earlier for the order's sake alone are left out of it again."""
    claims = [always(last_two_are_not_done)]
    short = ReducedBreadthFirst(threads=1).explore(lattice(3), claims)
    assert [len(found.trace.steps) for found in short.violations] == [6]
    monkeypatch.setattr(reduced_engine, "shrink", lambda *arguments: arguments[2])
    long = ReducedBreadthFirst(threads=1).explore(lattice(3), claims)
    assert [len(found.trace.steps) for found in long.violations] == [18]


def one_of_the_last_two_is_up(state: Lattice) -> bool:
    """One of the last two of six numbers went up."""
    return any(state.at[4:])


def test_the_run_to_a_witness_is_made_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the shortest one, if a bounded search finds it."""
    claims = [sometimes(one_of_the_last_two_is_up)]
    short = ReducedBreadthFirst(threads=1).explore(lattice(3), claims, EVERYTHING)
    monkeypatch.setattr(reduced_engine, "MOST_STATES", 1)
    long = ReducedBreadthFirst(threads=1).explore(lattice(3), claims, EVERYTHING)
    lengths = [
        len(found.reached["one_of_the_last_two_is_up"].steps) for found in (short, long)
    ]
    assert lengths == [1, 13]


def test_a_model_with_constraints_is_refused() -> None:
    """A step that is taken earlier could lead past a constraint."""
    with pytest.raises(ModelError, match="has constraints"):
        ReducedBreadthFirst().explore(counter(constraints=(is_at_most_five,)), [])


KERNEL = (accord, closure, persistent_set)


def replace(patch: pytest.MonkeyPatch, name: str, function: Callable[..., Any]) -> None:
    """Replace a function of the kernel wherever it is called."""
    for module in KERNEL:
        patch.setattr(module, name, function, raising=False)


def interpret(patch: pytest.MonkeyPatch) -> None:
    """Run the kernel as plain Python, so that a part of it can be replaced."""
    plain = persistent_set.choose.py_func
    for module in KERNEL:
        for name, function in list(vars(module).items()):
            if hasattr(function, "py_func"):
                patch.setattr(module, name, function.py_func)

    def choose(know: Any, rows: Any, steps: Any, reached: Any) -> None:
        plain(know.argument, rows, steps.argument, reached.argument)

    patch.setattr(step_selection, "choose", choose)


def without_commuting(patch: pytest.MonkeyPatch) -> None:
    """Two leaves may write the same cell."""
    replace(patch, "commute", lambda *arguments: True)


def without_enabling(patch: pytest.MonkeyPatch) -> None:
    """A leaf may enable or disable another one."""
    stays = accord.stays

    def only_goals(know: Any, boxes: Any, *arguments: Any) -> bool:
        return boxes is know.leaves or stays(know, boxes, *arguments)

    replace(patch, "stays", only_goals)


def without_goals(patch: pytest.MonkeyPatch) -> None:
    """A leaf may leave what has to be seen."""
    replace(patch, "leaves_goal", lambda *arguments: False)


def without_later_steps(patch: pytest.MonkeyPatch) -> None:
    """Only the leaves that are enabled now are compared."""

    def close(know: Any, reached: Any, p: int) -> bool:
        others = [
            q
            for q in reached.enabled[: list(reached.enabled).index(-1)]
            if know.leaves.instances[q] != know.leaves.instances[p]
        ]
        reached.acting[: len(others) + 1] = [*others, -1]
        return True

    replace(patch, "close", close)


def without_proviso(patch: pytest.MonkeyPatch) -> None:
    """Steps may be put off round and round."""

    def are_fresh(self: object, fingerprints: Any) -> Any:
        return np.ones(len(fingerprints), np.uint8)

    patch.setattr(step_selection.StepSelection, "_are_fresh", are_fresh)


def without_last_pass(patch: pytest.MonkeyPatch) -> None:
    """A pass that learned something is taken for the search."""
    patch.setattr(reduced_engine, "FIRST_PASS", 1)
    patch.setattr(reduced_engine, "learned_nothing", lambda *arguments: True)


def without_a_head(patch: pytest.MonkeyPatch) -> None:
    """The laws of queues are used of empty queues as well."""
    replace(patch, "has_head", lambda *arguments: True)
    know = KnowledgeSource.knowledge

    def all_have(self: KnowledgeSource) -> Any:
        found = know(self)
        found.has_head[:] = 1
        return found

    patch.setattr(KnowledgeSource, "knowledge", all_have)


def with_a_false_law(patch: pytest.MonkeyPatch) -> None:
    """A queue that loses what it has no room for promises that it does not."""
    patch.setattr(Queue, "AT_END", frozenset({"append"}), raising=False)
    patch.setattr(Queue, "AT_HEAD", frozenset({"head", "pop"}), raising=False)
    patch.setattr(Queue, "is_empty", lambda queue: not queue.items, raising=False)


def reduced(name: str) -> Report[Any]:
    """Search one of the small races."""
    model, properties = RACES[name]
    return ReducedBreadthFirst(threads=1).explore(model, properties, EVERYTHING)


@pytest.mark.parametrize("name", RACES)
def test_each_order_that_matters_is_taken(name: str) -> None:
    """Whatever may be left out, every witness is reached."""
    model, properties = RACES[name]
    whole = Naive().explore(model, properties, EVERYTHING)
    assert summary(reduced(name)) == summary(whole)
    assert set(whole.outcomes.values()) == {Outcome.REACHED}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("two writers", without_commuting),
        ("one disables", without_enabling),
        ("one is seen", without_goals),
        ("one disables later", without_later_steps),
        ("one goes round", without_proviso),
        ("one disables later", without_last_pass),
        ("a queue is filled", without_a_head),
        ("a queue is full", with_a_false_law),
    ],
)
def test_an_order_is_missed_without_a_condition_of_the_theorem(
    name: str,
    change: Callable[[pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So each condition is needed, and its absence is noticed."""
    interpret(monkeypatch)
    assert set(reduced(name).outcomes.values()) == {Outcome.REACHED}
    change(monkeypatch)
    assert Outcome.UNREACHED in reduced(name).outcomes.values()
