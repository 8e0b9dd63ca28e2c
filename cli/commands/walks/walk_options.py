"""What the commands that walk at random have in common: options, files, the report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen

from replicheck.cli.commands.option_groups import ScenarioOptions, scenario_options
from replicheck.cli.commands.property_options import PropertyOptions, property_options
from replicheck.cli.commands.single_task import single_task
from replicheck.cli.commands.walks.walk_console import WalkConsole
from replicheck.cli.console.errors import BadInput, BrokenContract
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.interrupts import Interrupts, SecondSignal
from replicheck.cli.console.options import (
    FiniteRange,
    full_runs,
    json_file,
    size,
    traces_folder,
)
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    require_writable_file,
    require_writable_traces,
    telling_what_was_found,
    write_output,
)
from replicheck.cli.reports.counterexamples import avoidable_text, task_commentary
from replicheck.cli.reports.text.terminal import standard_output
from replicheck.cli.reports.text.walk_report import document, walk_report_lines
from replicheck.cli.results.walk_outcome import WalkOutcome
from replicheck.cli.runs.trace_files import (
    UnsavedRun,
    make_saved_traces,
    save_run,
)
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engines.simulation.walk_progress import WalkWatches
from replicheck.explorer.errors import ModelError
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.traces.counterexample import failure_text, violation_text
from replicheck.traces.printable_text import (
    printable,
    printable_line,
    printable_path,
)
from replicheck.traces.run_text import RunDetail, TextForm, states_text

Command = Callable[..., Any]

OPTIONS = (
    click.argument("name", metavar="SCENARIO"),
    scenario_options("Walk through"),
    property_options,
    click.option(
        "--seed",
        type=click.IntRange(0, 2**62),
        default=0,
        show_default=True,
        help="The same seed gives the same walks.",
    ),
    click.option(
        "--require-covered",
        "covered",
        type=FiniteRange(0, 1),
        default=0.0,
        metavar="SHARE",
        help="Exit 10 if less than this share (Good-Turing) of what walks visit was"
        " seen.",
    ),
    click.option(
        "--limit-memory",
        "memory",
        type=size,
        metavar="SIZE",
        help="End when it takes more; 75 % of what is free by default.",
    ),
    json_file,
    traces_folder("Where to save the run to a violation."),
    full_runs,
)


@frozen
class Request:
    """What the options of all that walk ask for; ``bounds`` are those given."""

    task: Task
    bounds: Mapping[str, object]
    seed: int
    covered: float
    memory: int | None
    json_path: str | None
    traces: Path
    runs: RunDetail

    def answer(self, doing: str, walk: Callable[[WalkWatches], WalkOutcome]) -> None:
        """Walk, save what was found, tell it, and end with its exit code.

        Raises:
            BadInput: if there is no model within the ranges of the bounds.
            BrokenContract: if the model breaks the contract.
        """
        with Interrupts() as interrupts:
            click.echo(f"{doing}: {self.task.title}, seed {self.seed}", err=True)
            console = WalkConsole(interrupts)
            try:
                console.start()
                found = walk(console.watches)
            except ScenarioError as error:
                raise BadInput(str(error)) from error
            except ModelError as error:
                raise BrokenContract(str(error)) from error
            except SecondSignal:
                click.echo("Error: ended by a second signal", err=True)
                sys.exit(ExitCode.INCOMPLETE)
            finally:
                console.end()
        outcome = _saved(evolve(found, covered=self.covered), self.traces)
        _report(outcome, self.json_path, self.runs)


def walk_command(command: Command) -> Command:
    """Give a command the options of random walks, which it takes as a `Request`."""

    @wraps(command)
    def with_request(
        catalogue: Catalogue,
        /,
        name: str,
        changes: ScenarioOptions,
        wanted: PropertyOptions,
        seed: int,
        covered: float,
        memory: int | None,
        json_path: str | None,
        traces: Path,
        runs: RunDetail,
        **own_options: Any,
    ) -> None:
        _require_writable(traces, json_path)
        task = single_task(catalogue, name, wanted.overrides(changes))
        bounds = changes.bounds or {}
        request = Request(task, bounds, seed, covered, memory, json_path, traces, runs)
        command(request, **own_options)

    asked: Command = click.pass_obj(with_request)
    for option in reversed(OPTIONS):
        asked = option(asked)
    return asked


def _require_writable(traces: Path, json_path: str | None) -> None:
    """Refuse files that could not be written at the end.

    Raises:
        click.UsageError: if it could not.
    """
    require_writable_traces(traces)
    if json_path is not None:
        require_writable_file(json_path, "--json")


def _saved(outcome: WalkOutcome, folder: Path) -> WalkOutcome:
    """Write the trace of what was found."""
    violations = [outcome.violation] if outcome.violation is not None else []
    failure = outcome.simulations[-1].failure
    try:
        for saved in make_saved_traces(outcome.task, violations, failure):
            outcome = evolve(outcome, file=save_run(outcome.task, folder, saved))
    except UnsavedRun as error:
        click.echo(printable_line(f"the trace cannot be saved: {error}"), err=True)
    return outcome


def _report(outcome: WalkOutcome, json_path: str | None, runs: RunDetail) -> None:
    to_stdout = json_path == STANDARD_OUTPUT
    form = TextForm(runs, standard_output().width)
    for line in (*walk_report_lines(outcome), *_counterexamples(outcome, form)):
        click.echo(printable(line), err=to_stdout)
    if json_path is not None:
        with telling_what_was_found(outcome.code):
            write_output(json_path, document(outcome), "--json")
    sys.exit(outcome.code)


def _counterexamples(outcome: WalkOutcome, form: TextForm) -> Iterator[str]:
    task, violation = outcome.task, outcome.violation
    failure = outcome.simulations[-1].failure
    if violation is not None:
        run = f"a walk of {states_text(outcome.walked)}, minimised,"
        claim = task.claim_text(violation.property)
        avoidable = avoidable_text(task, violation)
        about = task_commentary(task, violation.trace, claim)
        about = evolve(about, run=run, avoidable=avoidable)
        yield f"\n{violation_text(violation, about, form)}"
    if failure is not None:
        about = task_commentary(task, failure.trace)
        yield f"\n{failure_text(failure, about, form)}"
    if outcome.file is not None:
        yield f"Saved: {printable_path(outcome.file)}"
