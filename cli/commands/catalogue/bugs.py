"""``replicheck bugs``: which of Kafka's own bugs are reproduced, and which are not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from replicheck.cli.commands.catalogue.named import print_found, require_no_form
from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.console.options import json_option, require_one_form
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    require_writable_folder,
    write_output,
)
from replicheck.cli.pages.bug_folder import mutants_of, write_folder
from replicheck.cli.pages.bug_page import bugs_with_runs, counts, entry, page
from replicheck.cli.reports.text.name_text import bug_lines
from replicheck.cli.reports.text.terminal import standard_error
from replicheck.cli.results.mutant_trial import MutantTrial
from replicheck.cli.runs.mutant_trials import run_trials
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.runs.trace_files import make_saved_traces
from replicheck.cli.tasks.engine_settings import Settings
from replicheck.invariants.catalogue.bugs import Bug
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.mutants import Mutant
from replicheck.traces.formats.svg import svg


@click.command("bugs")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@json_option
@click.option(
    "--markdown",
    is_flag=True,
    help="Search for the runs to those that must be shown; write docs/bugs.md.",
)
@click.option(
    "--pages",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Search for the runs to all; write a page for each bug, with pictures.",
)
@click.pass_obj
def list_bugs(
    catalogue: Catalogue,
    /,
    names: tuple[str, ...],
    as_json: bool,
    markdown: bool,
    pages: Path | None,
) -> None:
    """List Kafka's own bugs, and the mutants that reproduce each, or why none does.

    NAME is one of them, such as KAFKA-9087, of which all is told. What is listed is
    what the register says; `replicheck mutants` runs the mutants. A bug that must be
    shown is about what the models are for, one that should be about its edges, and all
    others are extra. Exit codes: 0 if every bug that must be shown is, 2 wrong usage,
    10 if one is not, 151 wrong name.
    With --markdown or --pages: 0 if every mutant is caught as expected, 10 if one is
    not, 75 error in the model.
    """
    require_one_form(as_json, markdown)
    if names:
        require_no_form(as_json, markdown or pages is not None)
        for name in names:
            print_found(bug_lines(catalogue, name), "bug", name, catalogue.bugs)
        return
    bugs = tuple(catalogue.bugs.values())
    if pages is not None:
        sys.exit(_write_pages(catalogue, bugs, pages))
    if markdown:
        done = _run(catalogue, [mutant for _, mutant in bugs_with_runs(bugs)])
        click.echo(page(bugs, {trial.mutant.name: trial for trial in done}), nl=False)
        sys.exit(most_severe(trial.code for trial in done))
    if as_json:
        document = {"bugs": [entry(bug) for bug in bugs]}
        write_output(STANDARD_OUTPUT, f"{json.dumps(document, indent=2)}\n", "--json")
    else:
        for line in _lines(bugs):
            click.echo(line)
    if any(bug.is_missing for bug in bugs):
        sys.exit(ExitCode.EXPECTATION)


def _write_pages(catalogue: Catalogue, bugs: Sequence[Bug], folder: Path) -> int:
    require_writable_folder(folder, "--pages")
    folder.mkdir(parents=True, exist_ok=True)
    done = _run(catalogue, mutants_of(bugs))
    pictures = {trial.mutant.name: _picture(trial) for trial in done}
    trials = {trial.mutant.name: trial for trial in done}
    write_folder(bugs, trials, pictures, folder)
    return most_severe(trial.code for trial in done)


def _picture(trial: MutantTrial) -> str:
    task, found = trial.result.task, trial.result.report.violations
    runs = make_saved_traces(task, found, None)
    return next((svg(run, task.system.describer) for run in runs), "")


def _run(catalogue: Catalogue, mutants: Sequence[Mutant]) -> tuple[MutantTrial, ...]:
    board = ProgressBoard(standard_error(), len(mutants))
    with board.live():
        return tuple(run_trials(catalogue, mutants, Settings(), board))


def _lines(bugs: Sequence[Bug]) -> Iterator[str]:
    width = max(len(bug.name) for bug in bugs)
    for bug in bugs:
        yield f"{bug.name:{width}}  {bug.tier:6}  {bug.status:10}  {_reproduction(bug)}"
    yield ""
    yield from counts(bugs)


def _reproduction(bug: Bug) -> str:
    if bug.mutants:
        return ", ".join(mutant.name for mutant in bug.mutants)
    return bug.reason or bug.title
