"""Runs mutants: each until the property that is to catch it does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replicheck.cli.results.mutant_trial import MutantTrial
from replicheck.cli.results.result import Result, empty_report, require_uninterrupted
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.tasks.engine_settings import Settings
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, engine_of
from replicheck.cli.tasks.task import Task
from replicheck.explorer.errors import ModelError
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.mutants import Mutant


def run_trials(
    catalogue: Catalogue,
    mutants: Iterable[Mutant],
    settings: Settings,
    board: ProgressBoard,
) -> Iterator[MutantTrial]:
    """Run each mutant."""
    for mutant in mutants:
        scenario = mutant.scenario
        system = catalogue.systems[scenario.model]
        task = Task(scenario, scenario, system, DEFAULT_ENGINE, settings)
        board.start(task)
        yield MutantTrial(mutant, _search(task, board))


def _search(task: Task, board: ProgressBoard) -> Result:
    engine = engine_of(task, None)
    properties = (*task.properties, *task.run_claims)
    search = task.search(board.watch)
    try:
        report = engine.explore(task.model, properties, search)
        return Result(task, require_uninterrupted(report))
    except ModelError as error:
        report = empty_report(task, Verdict.ERROR)
        return Result(task, report, problem=str(error))
