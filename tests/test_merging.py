"""What is merged changes no verdict: with it and without, on every scenario."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest

from replicheck.cli.tasks import Choices, Task, tasks
from replicheck.explorer.breadth_first import BreadthFirst
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.functions import Role
from replicheck.explorer.instances import instances
from replicheck.explorer.learning import Learner
from replicheck.explorer.model import Model
from replicheck.explorer.naive import Naive
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Report, Trace, Verdict
from replicheck.invariants.catalogue import Catalogue
from replicheck.invariants.errors import ScenarioError
from replicheck.model.cluster.merging import MERGES
from replicheck.model.cluster.mutations import MUTATIONS

CATALOGUE = Catalogue.shipped()
NEWS = "responses-without-news"
IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
FEW_STATES = 200_000 if IS_NIGHTLY else 13_000
"""How many states a scenario has at most that is compared."""


def is_small(name: str) -> bool:
    """Tell whether a scenario is known to have few states, or ends early."""
    expect = CATALOGUE.scenarios[name].expect
    return bool(expect and expect.states and expect.states <= FEW_STATES)


NAMES = [
    name
    for name, scenario in CATALOGUE.scenarios.items()
    if CATALOGUE.systems[scenario.model].merges and is_small(name)
]


def task_of(name: str, *merges: str) -> Task:
    """Return the search of a scenario or mutant with some merges and no others."""
    (task,) = tasks(CATALOGUE, [name], Choices("breadth-first", merges=merges))
    return task


def explored(task: Task) -> Report[Any]:
    """Return what a search finds that goes on until everything is decided."""
    search = Search(stop=Stop.DECIDED)
    return BreadthFirst(threads=1).explore(task.model, task.properties, search)


def left_after_merging(model: Model[Any], run: Trace[Any]) -> list[str]:
    """Return the steps of a run of the whole system that a merged one takes, too.

    Where a step is not possible, or has the name of none, it is one that was merged.
    """
    (state,) = model.initial_states()
    actions = {each.label: each for each in instances(model.actions, model.domains)}
    taken = []
    for step in run.steps:
        label = step.label.replace("receive_response", "receive_news")
        after = list(actions[label](state)) if label in actions else []
        if after:
            state = next((each for each in after if each == step.state), after[0])
            taken.append(label)
    return taken


@pytest.mark.parametrize("name", NAMES)
def test_a_merge_changes_no_outcome(name: str) -> None:
    """All properties have the same outcome, and violations the same shortest run.

    The same is: as long, if steps that were merged are not counted.
    """
    task, merged = task_of(name), task_of(name, "all")
    assert merged.scenario.merges
    whole, smaller = explored(task), explored(merged)
    assert smaller.verdict is whole.verdict
    claims = [each.name for each in task.properties]
    assert [smaller.outcomes[c] for c in claims] == [whole.outcomes[c] for c in claims]
    assert smaller.states <= whole.states
    for ours, theirs in zip(smaller.violations, whole.violations, strict=True):
        assert ours.property == theirs.property
        left = left_after_merging(merged.model, theirs.trace)
        assert len(ours.trace.steps) == len(left)


@pytest.mark.parametrize("name", ["cluster-s4"])
def test_the_naive_engine_and_the_fast_one_agree_on_a_merge(name: str) -> None:
    """On states of each depth, steps of each action, and outcomes."""
    task = task_of(name, "all")
    naive = Naive().explore(task.model, task.properties, Search())
    fast = explored(task)
    assert (naive.levels, dict(naive.actions), dict(naive.outcomes)) == (
        fast.levels,
        dict(fast.actions),
        dict(fast.outcomes),
    )


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


def mergeable() -> list[tuple[str, str]]:
    """Return each mutation that is caught, with each merge that applies to it."""
    return [
        (each.name, merge.name)
        for each in MUTATIONS
        if CATALOGUE.mutants[each.name].expected == "killed"
        for merge in MERGES
        if merge.allows(each)
    ]


@pytest.mark.parametrize(("name", "merge"), mergeable())
def test_a_merge_hides_no_mutation(name: str, merge: str) -> None:
    """What catches a mutation catches it with the merge, too, and not later."""
    mutant = CATALOGUE.mutants[name]
    task = task_of(name, merge)
    judged = tuple(each for each in task.properties if each.kind is not Kind.SOMETIMES)
    report = BreadthFirst(threads=1).explore(task.model, judged, Search())
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


def test_all_merges_are_those_that_fit() -> None:
    """So a suite of several models and protocols can be checked with all of them."""
    assert task_of("m-7-take-stale-for-healthy", "all").scenario.merges == ()
    assert task_of("alter-isr", "all").scenario.merges == ()


@pytest.mark.parametrize(
    ("name", "merge", "words"),
    [
        ("cluster-s8", "responses", '--merge: there is no merge "responses"; did you'),
        ("alter-isr", NEWS, "--merge: there is no merge"),
        ("m-7-take-stale-for-healthy", NEWS, "merges: m-7-take-stale-for-healthy"),
    ],
)
def test_a_merge_that_cannot_be_is_refused(name: str, merge: str, words: str) -> None:
    """With the name that is wrong, or the protocol that it would change."""
    with pytest.raises(ScenarioError, match=re.escape(words)):
        task_of(name, merge)
