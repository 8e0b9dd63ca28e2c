"""``replicheck explore``: walk the state space of a scenario by hand."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from attrs import evolve

from replicheck.cli.commands.option_groups import ScenarioOptions, scenario_options
from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.grouped_options import GroupedCommand
from replicheck.cli.reports.text.beginning_text import beginning_text
from replicheck.cli.saved_traces.trace_reading import read_trace, read_trace_header
from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.state_browser.server import LOOPBACK, Application, serve
from replicheck.cli.tasks.overrides import Overrides
from replicheck.cli.tasks.task import tasks
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.catalogue.own.references import is_reference, known_as
from replicheck.traces.json_lines import Header
from replicheck.traces.printable_text import printable_line


@click.command(cls=GroupedCommand)
@click.argument("name", metavar="[SCENARIO]", required=False)
@scenario_options("Explore")
@click.option(
    "--trace",
    "path",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Begin with the run of a saved trace; without SCENARIO in its scenario,"
    " protocol and bounds.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Listen on this port instead of a free one.",
)
@click.pass_obj
def explore(
    catalogue: Catalogue,
    /,
    name: str | None,
    changes: ScenarioOptions,
    path: Path | None,
    port: int,
) -> None:
    """Walk the state space of a scenario by hand, on a page in your browser.

    The page is served to this machine only, until Ctrl-C.
    """
    overrides = changes.overrides()
    if name is None:
        if path is None:
            raise click.UsageError("name a SCENARIO, or a saved trace with --trace")
        header = _header_of(catalogue, path)
        name, overrides = header.scenario, _as_saved(header, overrides)
    try:
        task, *others = tasks(catalogue, (name,), overrides)
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    if others:
        raise click.UsageError(f"{name} has several scenarios; name one")
    answers = BrowserApi.of(task)
    begins = beginning_text(answers.stepper.start, task.scenario, task.system)
    if begins:
        click.echo(printable_line(f"begins {begins}; --initial chooses another state"))
    _serve(Application(answers, _steps_of(catalogue, answers, path)), port)


def _header_of(catalogue: Catalogue, path: Path) -> Header:
    """The header of a saved run, from which its scenario can be taken.

    Raises:
        BadInput: if there is none, or the code of its model must be named to be run.
    """
    model = read_trace_header(path).model
    if is_reference(model) and known_as(model, catalogue.systems) == model:
        raise BadInput(
            f"{path}: is of the model {model}, whose code is run only if you name it:"
            f" replicheck explore {shlex.quote(model)} --trace"
            f" {shlex.quote(str(path))}"
        )
    return read_trace(catalogue, path).header


def _as_saved(header: Header, overrides: Overrides) -> Overrides:
    """Overrides with what a saved run has, where they say nothing."""
    return evolve(
        overrides,
        protocol=overrides.protocol or header.protocol,
        reductions=header.reductions
        if overrides.reductions is None
        else overrides.reductions,
        initial=overrides.initial or header.initial or None,
        bounds={**header.bounds, **(overrides.bounds or {})},
    )


def _steps_of(
    catalogue: Catalogue, answers: BrowserApi, path: Path | None
) -> tuple[str, ...]:
    if path is None:
        return ()
    saved = read_trace(catalogue, path)
    try:
        return tuple(answers.labels(saved.trace))
    except CannotTake as error:
        raise BadInput(
            f"{path}: {error}; choose its scenario, --protocol and --bounds"
        ) from error


def _serve(application: Application, port: int) -> None:
    try:
        server = serve(application, port)
    except OSError as error:
        raise click.UsageError(
            f"--port: cannot listen on {port}: {error.strerror}"
        ) from error
    click.echo(f"http://{LOOPBACK}:{server.port}/ (Ctrl-C ends)")
    server.serve_forever()
