"""``replicheck trace show``: a saved run in one of many forms."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click
from attrs import evolve, frozen

from replicheck.cli.commands.own_model import own_model
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.options import full_runs, output_file
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    require_writable_file,
    write_output,
)
from replicheck.cli.pages.glossary import glossary_of
from replicheck.cli.reports.text.beginning_text import beginning_text
from replicheck.cli.reports.text.terminal import standard_output
from replicheck.cli.saved_traces.loaded_trace import (
    LoadedTrace,
    ModelChanged,
    foreign_states,
    load_trace,
)
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.explorer.interpreter.stepper import CannotTake, Stepper
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Failure, Trace, Violation
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.own.references import is_reference
from replicheck.traces.counterexample import (
    Commentary,
    failure_text,
    run_text,
    violation_text,
)
from replicheck.traces.formats.dot import dot
from replicheck.traces.formats.itf import itf
from replicheck.traces.formats.mermaid import mermaid
from replicheck.traces.formats.plantuml import plantuml
from replicheck.traces.formats.pytest_regression import regression_test
from replicheck.traces.formats.shiviz import shiviz
from replicheck.traces.formats.svg import svg
from replicheck.traces.json_lines import SavedTrace, dumps
from replicheck.traces.printable_text import printable, printable_line
from replicheck.traces.replay.commuting_steps import group_by_actor
from replicheck.traces.replay.replay import Ending, Replayer
from replicheck.traces.run_text import WIDTH_OF_FILES, RunDetail, TextForm


@frozen
class ShowRequest:
    """A saved run and what it is a run of."""

    saved: SavedTrace
    run: LoadedTrace
    form: TextForm


def _text(shown: ShowRequest) -> str:
    header, trace = shown.saved.header, shown.saved.trace
    run = shown.run
    begins = _begins(shown)
    about = Commentary(run.claim_text, run.describer, begins=begins, setup=header.setup)
    if header.kind == "error":
        failure = Failure(header.property, header.instance, trace)
        return failure_text(failure, about, shown.form) + "\n"
    if not header.kind:
        return run_text(trace, about, shown.form) + "\n"
    about = evolve(about, avoidable=shown.run.avoidable_text(trace))
    name, kind = header.property, Kind(header.kind)
    violation = Violation(name, kind, header.instance, trace, header.loop)
    return violation_text(violation, about, shown.form) + "\n"


def _begins(shown: ShowRequest) -> str:
    """Where the run begins, as far as the present model still begins there."""
    run = shown.run
    try:
        run.model()
    except ModelChanged:
        return ""
    return beginning_text(shown.saved.trace.start, run.scenario, run.system)


def _html(shown: ShowRequest) -> str:
    from replicheck.traces.html.page import trace_page

    glossary = glossary_of(shown.run.system, shown.saved.header.property)
    return trace_page(shown.saved, shown.run.describer, glossary)


def _pytest(shown: ShowRequest) -> str:
    run = shown.run
    steps = Stepper(run.model()).labels(shown.saved.trace)
    models = (run.name,) if is_reference(run.name) else ()
    claims = tuple(run.system.references.values())
    return regression_test(shown.saved.header, steps, models, claims)


FORMATS: Mapping[str, Callable[[ShowRequest], str]] = {
    "text": _text,
    "jsonl": lambda shown: dumps(shown.saved),
    "itf": lambda shown: itf(shown.saved),
    "mermaid": lambda shown: mermaid(shown.saved, shown.run.describer),
    "plantuml": lambda shown: plantuml(shown.saved, shown.run.describer),
    "dot": lambda shown: dot(shown.saved),
    "shiviz": lambda shown: shiviz(shown.saved, shown.run.describer),
    "svg": lambda shown: svg(shown.saved, shown.run.describer),
    "html": _html,
    "pytest": _pytest,
}


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="In which form; itf is that of Apalache and Quint, pytest a regression test.",
)
@click.option(
    "--group-by-broker",
    "is_grouped",
    is_flag=True,
    help="Reorder steps that commute, so that each broker's stand together.",
)
@full_runs
@output_file
@own_model
@click.pass_obj
def show(
    catalogue: Catalogue,
    /,
    path: Path,
    format_name: str,
    is_grouped: bool,
    runs: RunDetail,
    output: str,
) -> None:
    """Show a saved run, or convert it.

    Exit codes: 0 shown, 2 wrong usage, 10 the present model cannot take the run, which
    --group-by-broker and pytest need, 151 no trace.
    """
    if runs is RunDetail.FULL and format_name != "text":
        raise click.UsageError(
            f"--full is of runs as text: a run as {format_name} has the same without it"
        )
    saved = read_trace(catalogue, path)
    width = standard_output().width if output == STANDARD_OUTPUT else WIDTH_OF_FILES
    run = load_trace(catalogue, saved.header)
    shown = ShowRequest(saved, run, TextForm(runs, width))
    require_writable_file(output, "--output")
    try:
        with foreign_states(path):
            if is_grouped:
                shown = reorder_steps(shown)
            text = printable(FORMATS[format_name](shown))
    except (ModelChanged, CannotTake) as error:
        message = f"Error: {path}: the present model cannot take it: {error}"
        click.echo(printable_line(message), err=True)
        sys.exit(ExitCode.EXPECTATION)
    write_output(output, text, "--output")


def reorder_steps(shown: ShowRequest) -> ShowRequest:
    """The run with the steps of each actor together, which still violates.

    What repeats for ever is reordered apart from what leads there.

    Raises:
        ModelChanged: if the present model cannot take the run, or it does not violate.
    """
    model = shown.run.model()
    player = Replayer(
        model, shown.run.judge(model), run_judge=shown.run.run_judge(model)
    )
    saved, describer = shown.saved, shown.run.describer
    wanted = Ending.VIOLATES if saved.header.kind else Ending.KEEPS
    if player.replay(saved.trace).ending is not wanted:
        raise ModelChanged("replay it to see why")
    loop = len(saved.trace.steps) if saved.header.loop is None else saved.header.loop
    start, steps = saved.trace.start, saved.trace.steps
    parts = [
        group_by_actor(
            model,
            part,
            lambda step: describer.actor(step.action, step.arguments),
        )
        for part in (
            Trace(start, steps[:loop]),
            Trace(saved.trace.states[loop], steps[loop:]),
        )
    ]
    trace = Trace(start, tuple(step for part in parts for step in part.steps))
    found = player.replay(trace)
    if found.ending is not wanted or found.differences:
        raise ModelChanged("reordered, it violates no longer")
    return evolve(shown, saved=evolve(shown.saved, trace=trace))
