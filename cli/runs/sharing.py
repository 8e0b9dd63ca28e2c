"""Searches of the same states are done once, with all that is claimed of them.

The report of a common search is taken apart again: each task gets the one that its own
search would have given, or none where the two would differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from replicheck.cli.tasks.task import Task
from replicheck.explorer.report import Outcome, Report, Verdict, verdict_of

DECIDED = (Outcome.VIOLATED, Outcome.REACHED)


def share_states(one: Task, other: Task) -> bool:
    """Tell whether two tasks visit the same states in the same way."""
    return _space(one) == _space(other)


def together(tasks: Sequence[Task]) -> Task:
    """Return one task with the properties of all; they share their states."""
    first = tasks[0].scenario
    union: dict[str, Any] = {
        kind: tuple(
            dict.fromkeys(
                name for task in tasks for name in getattr(task.scenario, kind)
            )
        )
        for kind in ("invariants", "steps", "witnesses")
    }
    return evolve(tasks[0], scenario=evolve(first, **union))


def part_of(report: Report[Any], task: Task) -> Report[Any] | None:
    """Return what a common search found out about a task, if its own would agree."""
    if report.verdict is Verdict.ERROR:
        return None
    outcomes = {name: report.outcomes[name] for name in task.scenario.properties}
    if not _would_end_alike(report, outcomes, task):
        return None
    violations = {
        each.property: each for each in report.violations if each.property in outcomes
    }
    reached = report.reached.items()
    return evolve(
        report,
        verdict=verdict_of(violations, report.cut, report.constrained, report.failure),
        outcomes=outcomes,
        violations=tuple(violations.values()),
        reached={name: trace for name, trace in reached if name in outcomes},
        details=_details(report.details, task),
    )


def _would_end_alike(
    report: Report[Any], outcomes: Mapping[str, Outcome], task: Task
) -> bool:
    """Tell whether the task's own search would visit neither more nor less."""
    if task.scenario.stop == "exhausted":
        return True
    is_violated = Outcome.VIOLATED in outcomes.values()
    if task.scenario.stop == "first-violation":
        return is_violated or not report.violations
    ended_early = report.verdict is Verdict.VIOLATED and report.cut is None
    is_whole = not ended_early or _saw_everything(report)
    is_decided = all(each in DECIDED for each in outcomes.values())
    return is_whole and not (is_violated and is_decided)


def _saw_everything(report: Report[Any]) -> bool:
    return bool({Outcome.HOLDS, Outcome.UNREACHED} & set(report.outcomes.values()))


def _details(details: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """Return the details with what is of the task's own properties."""
    names = task.scenario.properties
    others = tuple(x for x in details.get("others", ()) if x.property in names)
    coverage = details.get("coverage")
    if coverage is None:
        return {**details, "others": others}
    own = {
        name: held
        for name, held in coverage["premises"].items()
        if name in task.scenario.properties
    }
    return {**details, "others": others, "coverage": {**coverage, "premises": own}}


def _space(task: Task) -> tuple[object, ...]:
    scenario = task.scenario
    return (
        scenario.model,
        scenario.protocol,
        scenario.merges,
        tuple(scenario.bounds.items()),
        scenario.initial,
        scenario.setup,
        scenario.stop,
        scenario.limits,
        task.engine,
        task.settings,
    )
