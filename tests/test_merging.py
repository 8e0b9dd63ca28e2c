"""What is merged changes no verdict: with it and without, on every scenario."""

from __future__ import annotations

import os
from typing import Any

import pytest
from attrs import evolve

from replicheck.cli.tasks import Choices, Task, tasks
from replicheck.explorer.breadth_first import BreadthFirst
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.functions import Role
from replicheck.explorer.learning import Learner
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Report, Verdict
from replicheck.invariants.catalogue import Catalogue
from replicheck.model.cluster.merging import merged
from replicheck.model.cluster.mutations import MUTATIONS
from replicheck.model.protocol import Protocol

CATALOGUE = Catalogue.shipped()
MERGED = "kafka-2.5.1-merged"
IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
FEW_STATES = 60_000
"""How many states a scenario has at most, if every run of the tests compares it."""


def is_small(name: str) -> bool:
    """Tell whether a scenario is known to have few states, or ends early."""
    expect = CATALOGUE.scenarios[name].expect
    return bool(expect and expect.states and expect.states <= FEW_STATES)


NAMES = [
    name
    for name, scenario in CATALOGUE.scenarios.items()
    if scenario.model == "cluster" and (IS_NIGHTLY or is_small(name))
]


def task_of(name: str, protocol: str | None = None) -> Task:
    """Return the search of a scenario or mutant."""
    (task,) = tasks(CATALOGUE, [name], Choices("breadth-first", protocol))
    return task


def explored(model: Any, properties: tuple[Property, ...]) -> Report[Any]:
    """Return what a search of all states finds."""
    return BreadthFirst(threads=1).explore(model, properties, Search(stop=Stop.DECIDED))


@pytest.mark.parametrize("name", NAMES)
def test_a_merge_changes_no_outcome(name: str) -> None:
    """All properties have the same outcome; a run to a violation is not longer."""
    whole, smaller = (
        explored(task.model, task.properties)
        for task in (task_of(name), task_of(name, MERGED))
    )
    assert smaller.verdict is whole.verdict
    claims = [each.name for each in task_of(name).properties]
    assert [smaller.outcomes[c] for c in claims] == [whole.outcomes[c] for c in claims]
    assert smaller.states <= whole.states
    for ours, theirs in zip(smaller.violations, whole.violations, strict=True):
        assert len(ours.trace.states) <= len(theirs.trace.states)


def learnt_by_searching(name: str) -> Learner:
    """Return what a search of all states learns of a scenario."""
    task = task_of(name)
    search = Search(stop=Stop.EXHAUSTED)
    with BreadthFirst(threads=1)._run(task.model, task.properties, search) as run:
        run.begin()
        assert run.run().verdict is Verdict.HOLDS
        return run.learner


@pytest.mark.parametrize("name", ["cluster-s8", "cluster-t2-alone", "cluster-s6"])
def test_no_step_is_invisible(name: str) -> None:
    """Each writes what a property reads, so none can go first without a word."""
    learner = learnt_by_searching(name)
    learnt = list(zip(learner.functions, learner.touched, strict=True))
    seen: set[int] = set()
    for each, touched in learnt:
        if each.role is Role.CLAUSE:
            seen |= touched.reads
    assert seen
    for each, touched in learnt:
        if each.role is Role.ACTION and touched.writes:
            assert touched.writes & seen, each.instance.label


def mergeable() -> list[tuple[str, Protocol]]:
    """Return the mutations that are caught, by name, with the merge, if it applies."""
    found = []
    for each in MUTATIONS:
        if CATALOGUE.mutants[each.name].expected != "killed":
            continue
        try:
            found.append((each.name, merged(each)))
        except ValueError:
            continue
    return found


@pytest.mark.parametrize(("name", "protocol"), mergeable())
def test_a_merge_hides_no_mutation(name: str, protocol: Protocol) -> None:
    """What catches a mutation catches it with the merge, too, and not later."""
    mutant = CATALOGUE.mutants[name]
    task = task_of(name)
    judged = tuple(each for each in task.properties if each.kind is not Kind.SOMETIMES)
    model: Any = task.model
    report = BreadthFirst(threads=1).explore(
        evolve(model, protocol=protocol), judged, Search()
    )
    (found,) = report.violations
    assert found.property == mutant.violates
    assert len(found.trace.states) <= (mutant.length or 0)


def test_a_protocol_that_handles_answers_otherwise_is_not_merged() -> None:
    """There the events that would be dropped are news."""
    names = [name for name, _ in mergeable()]
    assert "m-8-remove-the-last-member" in names
    assert not {"m-6-take-every-error-for-offline", "m-7-take-stale-for-healthy"} & {
        *names
    }
