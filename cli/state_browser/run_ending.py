"""The ending of a walk: what it does for ever, if it goes on as at its end."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from replicheck.cli.tasks.engines import fairness_of
from replicheck.cli.tasks.run_properties import property_of
from replicheck.cli.tasks.task import Task
from replicheck.explorer.liveness.lasso_judge import LassoJudge, left_out
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Trace
from replicheck.traces.formats.repetition import Repetition


@frozen
class BrokenClaim:
    """A claim about runs, with the instance that a run breaks."""

    claim: Property
    instance: str


@frozen
class RunEnding:
    """What a run does for ever: it repeats steps, or stays in its last state.

    ``left_out`` is what fairness demands and the run does not do, or nothing. Only a
    run that leaves nothing out can break claims.
    """

    repetition: Repetition
    left_out: str
    broken: tuple[BrokenClaim, ...]

    @property
    def loop(self) -> int:
        """The place of the state from which the run repeats."""
        return self.repetition.state - 1


def repetition_of_walk(trace: Trace[Any]) -> Repetition:
    """The repetition of a run whose last state it has been in before.

    Of another run it is that it stays in its last state.
    """
    states = trace.states
    return Repetition(states.index(states[-1]) + 1, len(states))


def run_ending(task: Task, model: Model[Any], trace: Trace[Any]) -> RunEnding:
    """The ending of a run of a task, judged by all claims of its model."""
    repetition = repetition_of_walk(trace)
    fairness = fairness_of(task.system, task.scenario.protocol)
    missing = left_out(model, fairness, trace, repetition.state - 1)
    if missing is not None:
        return RunEnding(repetition, missing.label, ())
    judges = [
        LassoJudge(model, property_of(claim), fairness, repetition.state - 1)
        for claim in task.system.run_claims
    ]
    found = [BrokenClaim(judge.claim, judge.broken_instance(trace)) for judge in judges]
    return RunEnding(repetition, "", tuple(x for x in found if x.instance))
