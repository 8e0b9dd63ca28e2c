"""``replicheck check``: run scenarios, and say what was found."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import click
from attrs import evolve

from replicheck.cli.commands.option_groups import (
    EngineOptions,
    LimitOptions,
    ScenarioOptions,
    engine_options,
    limit_options,
    scenario_options,
)
from replicheck.cli.commands.property_options import PropertyOptions, property_options
from replicheck.cli.commands.report_options import ReportOptions, report_options
from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.grouped_options import GroupedCommand, option_group
from replicheck.cli.console.options import FiniteRange, traces_folder
from replicheck.cli.console.output import (
    require_writable_folder,
    require_writable_traces,
)
from replicheck.cli.runs.execute import execute, mutants_of
from replicheck.cli.runs.run_folder import (
    RunFolder,
    command_to_resume,
    is_taken,
    new_folder,
)
from replicheck.cli.tasks.engine_settings import Counting
from replicheck.cli.tasks.engines import ENGINES
from replicheck.cli.tasks.option_support import require_supported_options
from replicheck.cli.tasks.overrides import Overrides
from replicheck.cli.tasks.run_request import EVERY, RunRequest
from replicheck.cli.tasks.task import Task, tasks
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.folder_lock import FolderLock
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE, Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.catalogue.scenario import StopName


class SelectionOptions(NamedTuple):
    """Which entries of a suite are checked, and until when."""

    entries: tuple[int, ...]
    stop: StopName | None


class RunOptions(NamedTuple):
    """What a run accepts, and where it keeps what it finds."""

    accepted: str | None
    ignores_cache: bool
    traces: Path
    folder: Path | None
    every: float


selection_options = option_group(
    "selection",
    SelectionOptions,
    (
        click.option(
            "--keep-going",
            "stop",
            flag_value="decided",
            help="Do not end with the first violation, but when every property is"
            " decided.",
        ),
        click.option(
            "--all-violations",
            "stop",
            flag_value="exhausted",
            help="Visit every state whatever is found, and keep the shortest run to"
            " each property's violation by each last action; engines other than"
            " breadth-first keep one for each property.",
        ),
        click.option(
            "--entry",
            "entries",
            type=click.IntRange(min=1),
            multiple=True,
            metavar="N",
            help="Check this entry of the suite, the first being 1, and no other but"
            " those given in the same way.",
        ),
    ),
)
run_options = option_group(
    "run",
    RunOptions,
    (
        click.option(
            "--accept-incomplete",
            "accepted",
            flag_value="incomplete",
            help="Exit 0 although a limit cut a search. Not for an interrupted one.",
        ),
        click.option(
            "--no-cache",
            "ignores_cache",
            is_flag=True,
            help="Search anew even if an equal search was done before.",
        ),
        traces_folder("Where to save the run to each violation."),
        click.option(
            "--checkpoint",
            "folder",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Keep checkpoints there instead of in a new folder in .replicheck.",
        ),
        click.option(
            "--checkpoint-every",
            "every",
            type=FiniteRange(min=0),
            default=EVERY,
            show_default=True,
            metavar="SECONDS",
            help="Write a checkpoint not more often; 0 is after each level.",
        ),
    ),
)


@click.command(cls=GroupedCommand)
@click.argument("names", nargs=-1, metavar="[SUITE|SCENARIO]...")
@scenario_options("Check")
@engine_options
@limit_options
@property_options
@selection_options
@report_options
@run_options
@click.pass_obj
def check(
    catalogue: Catalogue,
    /,
    names: tuple[str, ...],
    changes: ScenarioOptions,
    engine: EngineOptions,
    limits: LimitOptions,
    wanted: PropertyOptions,
    selection: SelectionOptions,
    reports: ReportOptions,
    run: RunOptions,
) -> None:
    """Check suites and scenarios: shipped ones by name, your own by file.

    Without argument, check the default suite. Exit codes: 0 as expected, 2 wrong
    usage, 10 an expectation is not met or something was never seen, 11 deadlock, 12
    invariant violated, 13 step property violated, 15 claim about runs for ever
    violated, 75 error in the model, 77 incomplete, 151 bad scenario. Of several, the
    most severe.
    """
    overrides = evolve(
        wanted.overrides(changes),
        engine=engine.engine,
        settings=engine.settings,
        limits=limits.table,
        stop=selection.stop,
        entries=selection.entries,
    )
    searches = _tasks(catalogue, names or (DEFAULT_SUITE,), overrides)
    if run.folder is not None:
        _require_free(run.folder, searches[0])
    require_writable_traces(run.traces)
    request = _request(searches, reports, run)
    mutants_of(request)
    folder = RunFolder(run.folder or new_folder(), request)
    if run.folder is not None:
        _claim(folder)
    execute(folder)


def _request(
    searches: Iterable[Task], reports: ReportOptions, run: RunOptions
) -> RunRequest:
    return RunRequest(
        tuple(searches),
        run.traces,
        reports.files,
        mutants=reports.mutants,
        annotates=reports.annotates,
        covers=reports.covers,
        detail=reports.detail,
        runs=reports.runs,
        accepts_incomplete=bool(run.accepted),
        caches=not run.ignores_cache,
        every=run.every,
    )


def _tasks(
    catalogue: Catalogue, names: tuple[str, ...], overrides: Overrides
) -> list[Task]:
    """The searches that are asked for, each with options that its engine supports.

    Raises:
        BadInput: if a name or a bound is wrong.
        click.UsageError: if an engine would leave an option aside.
    """
    try:
        searches = tasks(catalogue, names, overrides)
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    for task in searches:
        require_supported_options(task)
    return searches


def _claim(folder: RunFolder) -> None:
    try:
        folder.claim()
    except CheckpointError as error:
        raise BadInput(f"--checkpoint: {error}") from error


def _require_free(folder: Path, task: Task) -> None:
    if not ENGINES[task.engine].resumable:
        raise click.UsageError(f"the engine {task.engine} keeps no checkpoints")
    if task.settings.counting is Counting.REDUCED:
        raise click.UsageError("--checkpoint: a search with --reduce keeps none")
    require_writable_folder(folder, "--checkpoint")
    if is_taken(folder):
        _require_unused(folder)
        raise click.UsageError(
            f"--checkpoint: {folder} holds a run that is not finished; go on with it:"
            f" `{command_to_resume(folder)}`, or remove it"
        )


def _require_unused(folder: Path) -> None:
    """Refuse a run that another process is at work on, which is not to be removed."""
    try:
        with suppress(OSError), FolderLock(folder):
            pass
    except CheckpointError as error:
        raise BadInput(f"--checkpoint: {error}") from error
