"""The counterexamples of a result, for all reports that have them as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from replicheck.cli.reports.text.beginning_text import beginning_text
from replicheck.cli.results.result import Result
from replicheck.cli.tasks.task import Task
from replicheck.explorer.errors import message_of
from replicheck.explorer.interpreter.judge import Judge
from replicheck.explorer.report import Trace, Violation
from replicheck.traces.counterexample import Commentary, failure_text, violation_text
from replicheck.traces.replay.avoidability import QUICK, escape_text, last_escape


def counterexamples(result: Result) -> Iterator[tuple[str, str]]:
    """Yield for each trace what it is a trace of, and its text."""
    for violation in result.report.violations:
        yield (
            violation.property,
            violation_text(violation, commentary(result, violation)),
        )
    failure = result.report.failure
    if failure is not None:
        yield (
            failure.function,
            failure_text(failure, task_commentary(result.task, failure.trace)),
        )


def commentary(result: Result, violation: Violation[Any]) -> Commentary:
    """Commentary of a violation but for how long it was avoidable."""
    task = result.task
    return task_commentary(task, violation.trace, task.claim_text(violation.property))


def task_commentary(task: Task, trace: Trace[Any], claim: str = "") -> Commentary:
    """Commentary of a run of a task: what is claimed, and where the run begins."""
    begins = beginning_text(trace.start, task.scenario, task.system)
    setup = task.scenario.setup
    return Commentary(claim, task.system.describer, begins=begins, setup=setup)


def avoidable_text(task: Task, violation: Violation[Any]) -> str:
    """Until when a violation was avoidable, by a quick search from its states.

    Of a run for ever nothing is said.
    """
    if violation.loop is not None:
        return ""
    claims = {claim.name: claim for claim in task.properties}
    try:
        model = task.model
        judge = Judge(model, claims[violation.property])
        describer = task.system.describer
        verdict = last_escape(model, violation.trace, judge, QUICK, describer)
    except Exception as error:
        return f"not known: {message_of(error)}"
    return escape_text(violation.trace, verdict)
