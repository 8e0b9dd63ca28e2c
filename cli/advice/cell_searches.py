"""The searches behind the cells of a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from replicheck.cli.advice.configuration import (
    QUESTIONS,
    SCENARIO,
    Configuration,
    FaultSet,
    usual_limit,
)
from replicheck.cli.advice.table import Row, SearchRow, Steps
from replicheck.cli.results.result import Result
from replicheck.cli.tasks.engines import DEFAULT_ENGINE
from replicheck.cli.tasks.overrides import Claims, Overrides
from replicheck.cli.tasks.task import Task, tasks
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.scenario import LimitTable

REDUCTIONS = ("skip-redundant-responses",)
"""The step reductions of the searches from which the tables are computed."""


@frozen
class CellSearches:
    """The searches of one configuration.

    ``limit_states`` cuts each of them; None is the usual limit.
    """

    catalogue: Catalogue
    configuration: Configuration
    limit_states: int | None = None

    def task(self, faults: FaultSet, questions: tuple[str, ...]) -> Task:
        """The search in which these faults may happen."""
        overrides = Overrides(
            DEFAULT_ENGINE,
            bounds=self.configuration.bounds(faults),
            claims=Claims(witnesses=tuple(QUESTIONS[name] for name in questions)),
            limits=LimitTable(states=self.limit_states or usual_limit(faults)),
            stop="decided",
            reductions=REDUCTIONS,
        )
        (task,) = tasks(self.catalogue, (SCENARIO,), overrides)
        return task

    def rows(self, search: Callable[[Task], Result]) -> SearchRow:
        """The searches as a table needs them."""

        def row(faults: FaultSet, questions: tuple[str, ...]) -> Row | None:
            task = self.task(faults, questions)
            result = search(task)
            return None if result.was_interrupted else _row(faults, questions, result)

        return row

    def command(self, faults: FaultSet, question: str) -> str:
        """The command that searches for one cell."""
        scenario = self.task(faults, (question,)).scenario
        bounds = self.configuration.bounds(faults).items()
        return (
            f"replicheck find {scenario.name} --reach {QUESTIONS[question]} --bounds"
            f" {','.join(f'{name}={value}' for name, value in bounds)}"
            f" --step-reductions {','.join(REDUCTIONS)}"
        )

    def trace(self, faults: FaultSet, question: str, steps: Steps) -> Trace[Any]:
        """The run with these steps.

        Raises:
            CannotTake: if the present model does not take them.
        """
        return Stepper(self.task(faults, (question,)).model).take(steps)


def _row(faults: FaultSet, questions: tuple[str, ...], result: Result) -> Row:
    stepper, report = Stepper(result.task.model), result.report
    runs = {
        question: tuple(stepper.labels(report.reached[QUESTIONS[question]]))
        for question in questions
        if QUESTIONS[question] in report.reached
    }
    is_complete = len(runs) == len(questions) or result.exhausted
    return Row(faults, questions, report.states, is_complete, runs)
