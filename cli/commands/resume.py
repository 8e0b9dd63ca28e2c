"""``replicheck resume``: finish a run that was interrupted or killed."""

from __future__ import annotations

from pathlib import Path

import click

from replicheck.cli.commands.option_groups import LimitOptions, resource_limit_options
from replicheck.cli.commands.own_model import own_model
from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.grouped_options import GroupedCommand
from replicheck.cli.console.options import TRACES, spark_master, threads_option
from replicheck.cli.console.output import (
    require_writable_folder,
    require_writable_reports,
)
from replicheck.cli.runs.execute import execute
from replicheck.cli.runs.run_folder import RUNS, RunFolder, find_run, newest_run
from replicheck.cli.tasks.option_support import require_supported_options
from replicheck.explorer.errors import CheckpointError
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.printable_text import printable_path


@click.command(cls=GroupedCommand)
@click.argument(
    "folder", required=False, metavar="[DIR]", type=click.Path(path_type=Path)
)
@threads_option("Search with so many threads instead of those of before.")
@spark_master
@resource_limit_options
@own_model
@click.pass_obj
def resume(
    catalogue: Catalogue,
    /,
    folder: Path | None,
    threads: int | None,
    master: str | None,
    limits: LimitOptions,
) -> None:
    """Finish a run of `replicheck check` that was interrupted or killed.

    DIR is the folder of a run, or one with several, of which the newest is meant; by
    default .replicheck. The reports and the exit code are those of a run without
    interruption; 2 if its folder cannot be written, 151 if there is no run, or its
    checkpoint is damaged or of another version.
    """
    try:
        chosen = _run_in(folder) if folder else newest_run()
        require_writable_folder(chosen, "DIR")
        run = RunFolder.reopen(chosen, catalogue)
    except CheckpointError as error:
        raise BadInput(str(error)) from error
    run.order = run.order.changed(threads, master, limits.table)
    for task in run.order.tasks:
        require_supported_options(task)
    if run.order.traces != TRACES:
        require_writable_folder(run.order.traces, "--traces")
    require_writable_reports(run.order.reports)
    done, count = len(run.done), len(run.order.tasks)
    resumed = printable_path(run.folder)
    click.echo(f"resuming {resumed}: {done} of {count} searches are done", err=True)
    execute(run)


def _run_in(folder: Path) -> Path:
    """The run of a folder that the user names.

    Raises:
        BadInput: if there is no such folder.
    """
    if not folder.is_dir():
        what = "this is a file" if folder.exists() else "there is no such folder"
        raise BadInput(
            f"there is no run in {folder}: {what}; without DIR the newest run in"
            f" {RUNS} is meant"
        )
    return find_run(folder)
