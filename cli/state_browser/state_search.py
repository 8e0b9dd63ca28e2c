"""Search from a state of a walk: which properties break from there on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replicheck.cli.tasks.engine_settings import Settings
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES, start
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import Limits, Search, Stop
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.model import ModelFromStates
from replicheck.explorer.report import Failure, Outcome
from replicheck.traces.counterexample import failure_line

LIMITS = Limits(states=1_000_000, seconds=20)
"""A search for which a person waits."""


def violations_from(
    task: Task, stepper: Stepper, names: Sequence[str]
) -> dict[str, Any]:
    """What the end of a run leads to, with the steps of the whole run.

    That are violations, and the error that a function of the model raises.

    Raises:
        CannotTake: if the model does not have the run.
    """
    state = stepper.take(names).states[-1]
    engine = ENGINES[DEFAULT_ENGINE].make(Settings(), None)
    explore = start(engine, None)
    model: Any = ModelFromStates(stepper.model, (state,))
    found = explore(model, task.properties, Search(LIMITS, Stop.DECIDED))
    return {
        "states": found.states,
        "isComplete": Outcome.UNDECIDED not in found.outcomes.values(),
        "violations": [
            {
                "property": violation.property,
                "steps": [*names, *stepper.labels(violation.trace)],
            }
            for violation in found.violations
        ],
        "failure": None
        if found.failure is None
        else {
            "text": _failure_text(found.failure),
            "steps": [*names, *stepper.labels(found.failure.trace)],
        },
    }


def _failure_text(failure: Failure[Any]) -> str:
    place = f" ({failure.place})" if failure.place else ""
    return f"{failure_line(failure)}{place}"
