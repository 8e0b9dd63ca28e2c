"""What is merged changes no verdict: with it and without, on every scenario."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import pytest

from agreement import known_states
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst, judged_levels
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.instances import instances
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Report, Trace, Verdict
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.model.cluster.mutations.mutated_protocols import MUTATIONS
from shipped import CATALOGUE
from slow import IS_NIGHTLY, by_states, one_in_four

KNOWN = "skip-redundant-responses"
AT_ONCE = "merge-redundant-responses"
REDUCTIONS = CATALOGUE.systems["cluster"].reductions
FEW_STATES = 1_000_000 if IS_NIGHTLY else 9_000
"""How many states a scenario has at most that holds and is compared."""
RENAMED = {
    re.compile("receive_(response|unknown)"): "receive_unknown",
    re.compile("handle_(leader_and_isr|and_receive)(?=[(])"): "handle_and_receive",
}
"""The actions that reductions replace, and what all of them put in their place."""
SOON_VIOLATED = (
    "unclean-leader-is-elected",
    "failure-handler-dies-with-session",
    "new-replica-is-refused",
)
"""Scenarios whose violations are compared in every run, and not each night only."""


def is_compared(name: str) -> bool:
    """Tell whether a scenario can be merged, and is known to have few states."""
    scenario = CATALOGUE.scenarios[name]
    if not CATALOGUE.systems[scenario.model].reductions or scenario.expect is None:
        return False
    if scenario.expect.verdict == "violated":
        return IS_NIGHTLY or name in SOON_VIOLATED
    return scenario.expect.states is not None and scenario.expect.states <= FEW_STATES


NAMES = [name for name in CATALOGUE.scenarios if is_compared(name)]


def task_of(name: str, *reductions: str) -> Task:
    """The search of a scenario or mutant with some reductions and no others."""
    (task,) = tasks(
        CATALOGUE, [name], Overrides("breadth-first", reductions=reductions)
    )
    return task


def explored(task: Task) -> Report[Any]:
    """The report of a search that goes on until everything is decided."""
    search = Search(stop=Stop.DECIDED)
    return BreadthFirst(threads=1).explore(task.model, task.properties, search)


def counted(name: str, run: Trace[Any]) -> list[str]:
    """The steps of a run that are the same with and without reductions.

    Those are the steps that are possible without the events that are merged away.
    """
    model = task_of(name, "all").model
    (state,) = model.initial_states()
    actions = {
        instance.label: instance for instance in instances(model.actions, model.domains)
    }
    taken = []
    for step in run.steps:
        label = step.label
        for pattern, replacement in RENAMED.items():
            label = pattern.sub(replacement, label)
        after = list(actions[label](state)) if label in actions else []
        if after:
            state = next(
                (successor for successor in after if successor == step.state), after[0]
            )
            taken.append(label)
    return taken


@pytest.mark.parametrize("name", by_states(NAMES, partial(known_states, CATALOGUE)))
def test_a_merge_changes_no_outcome(name: str) -> None:
    """All properties have the same outcome, and violations the same shortest run.

    The same is: as long, if steps that were merged are not counted.
    """
    task, merged = task_of(name), task_of(name, "all")
    assert merged.scenario.reductions
    whole, smaller = explored(task), explored(merged)
    assert smaller.verdict is whole.verdict
    claims = [claim.name for claim in task.properties]
    assert [smaller.outcomes[c] for c in claims] == [whole.outcomes[c] for c in claims]
    assert smaller.states <= whole.states
    for ours, theirs in zip(smaller.violations, whole.violations, strict=True):
        assert ours.property == theirs.property
        assert len(counted(name, ours.trace)) == len(counted(name, theirs.trace))


@pytest.mark.parametrize("name", ["failed-disk-is-replaced"])
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


def learnt_by_searching(name: str) -> LearnedModel:
    """What functions read and write, as a search of all states learns it."""
    task = task_of(name)
    search = Search(stop=Stop.EXHAUSTED)
    with BreadthFirst(threads=1)._search(task.model, task.properties, search) as run:
        run.begin()
        assert run.report(judged_levels(run).search()).verdict is Verdict.HOLDS
        return run.learner


@pytest.mark.parametrize(
    "name",
    [
        "topic-deleted-with-disk-offline",
        "leader-with-failed-disk-alone",
        "controller-fails-with-disk-offline",
    ],
)
def test_no_step_is_invisible(name: str) -> None:
    """Each writes what a property reads, so none can go first without a word."""
    learner = learnt_by_searching(name)
    learnt = list(zip(learner.functions, learner.read_write_sets, strict=True))
    seen: set[int] = set()
    for instance, touched in learnt:
        if instance.role is Role.PROPERTY:
            seen |= touched.reads
    assert seen
    for instance, touched in learnt:
        if instance.role is Role.ACTION and touched.writes:
            assert touched.writes & seen, instance.instance.label


def mergeable() -> dict[str, list[str]]:
    """The reductions that apply to each mutation that is caught."""
    return {
        mutation.name: [
            reduction.name for reduction in REDUCTIONS if reduction.allows(mutation)
        ]
        for mutation in MUTATIONS
        if CATALOGUE.mutants[mutation.name].expected == "killed"
    }


@pytest.mark.parametrize(
    "name", one_in_four(name for name, fit in mergeable().items() if fit)
)
def test_a_merge_hides_no_mutation(name: str) -> None:
    """What catches a mutation catches it with all reductions, too, and not later."""
    mutant = CATALOGUE.mutants[name]
    task = task_of(name, "all")
    judged = tuple(
        claim for claim in task.properties if claim.kind is not Kind.SOMETIMES
    )
    report = BreadthFirst(threads=1).explore(task.model, judged, Search())
    (found,) = report.violations
    assert found.property == mutant.violates
    assert len(found.trace.steps) < (mutant.length or 0)


def test_a_protocol_that_handles_answers_otherwise_is_not_merged() -> None:
    """There the events that would be dropped are news."""
    known = CATALOGUE.systems["cluster"].protocols_by_name
    (reduction,) = (found for found in REDUCTIONS if found.name == KNOWN)
    assert reduction.allows(known["m-8-remove-the-last-member"])
    assert not reduction.allows(known["m-6-take-every-error-for-offline"])
    assert not reduction.allows(known["m-7-take-stale-for-healthy"])


def test_all_reductions_are_those_that_fit() -> None:
    """So a suite of several models and protocols can be checked with all of them."""
    both = (KNOWN, AT_ONCE)
    assert task_of("failed-disk-is-replaced", "all").scenario.reductions == both
    assert task_of("composed-topic-is-created", "all").scenario.reductions == (KNOWN,)
    assert task_of("m-7-take-stale-for-healthy", "all").scenario.reductions == ()
    assert task_of("alter-isr", "all").scenario.reductions == ()


@pytest.mark.parametrize(
    ("name", "reduction", "words"),
    [
        (
            "topic-deleted-with-disk-offline",
            "responses",
            '--step-reductions: there is no reduction "responses"; did you',
        ),
        ("alter-isr", KNOWN, "--step-reductions: there is no reduction"),
        ("m-7-take-stale-for-healthy", KNOWN, "reductions: m-7-take-stale-for-healthy"),
    ],
)
def test_a_reduction_that_cannot_be_is_refused(
    name: str, reduction: str, words: str
) -> None:
    """With the name that is wrong, or the protocol that it would change."""
    with pytest.raises(ScenarioError, match=re.escape(words)):
        task_of(name, reduction)
