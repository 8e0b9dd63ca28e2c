"""``replicheck validate``: whether a run of a model explains observations."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from attrs import evolve

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.console.options import saved_files
from replicheck.cli.observations.observation_file import ObservationFileError, load
from replicheck.cli.observations.observation_schema import line_schema
from replicheck.cli.observations.validation import Validation, validate
from replicheck.cli.observations.validation_text import (
    observation_text,
    run_lines,
    summary_lines,
)
from replicheck.cli.runs.trace_files import write_trace
from replicheck.cli.version import VERSION
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.traces.json_lines import Header, SavedTrace
from replicheck.traces.printable_text import printable_line

CODES = {
    ExplanationEnding.EXPLAINED: ExitCode.AS_EXPECTED,
    ExplanationEnding.NOT_EXPLAINED: ExitCode.EXPECTATION,
    ExplanationEnding.UNDECIDED: ExitCode.INCOMPLETE,
}
BROKEN = {Kind.ALWAYS: ExitCode.INVARIANT, Kind.STEP: ExitCode.STEP_PROPERTY}


def _print_schema(
    context: click.Context, parameter: click.Parameter, is_wanted: bool
) -> None:
    """Print the schema in place of running the command."""
    if is_wanted and not context.resilient_parsing:
        click.echo(json.dumps(line_schema(), indent=2))
        context.exit()


@click.command("validate")
@saved_files
@click.option(
    "--limit-nodes",
    type=click.IntRange(min=1),
    default=Effort().nodes,
    show_default=True,
    help="End undecided after so many pairs of a state and a position in the streams.",
)
@click.option(
    "--limit-seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="End undecided after this time.",
)
@click.option("--show", is_flag=True, help="Print the run, with what shows each step.")
@click.option(
    "--traces",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save the run there, and its part until each property that it breaks, for"
    " `replicheck trace show` and `trace replay`.",
)
@click.option(
    "--schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of a line of observations, and end.",
)
@click.pass_obj
def validate_observations(
    catalogue: Catalogue,
    /,
    paths: tuple[Path, ...],
    limit_nodes: int,
    limit_seconds: float | None,
    show: bool,
    traces: Path | None,
) -> None:
    """Search for a run of a model that explains what was observed of a cluster.

    FILE has observations, as `replicheck observe` writes them. Exit codes: 0 explained,
    10 no run of the model explains them, 12 and 13 explained by a run that breaks an
    invariant or a step property, 77 a limit ended the search, 151 bad file. Of several
    files, the most severe.
    """
    codes = []
    for path in paths:
        try:
            found = validate(
                catalogue, load(path), str(path), Effort(limit_nodes, limit_seconds)
            )
        except (ObservationFileError, ScenarioError) as error:
            raise BadInput(str(error)) from error
        except OSError as error:
            raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
        if len(paths) > 1:
            click.echo(printable_line(f"{path}:"))
        for line in summary_lines(found):
            click.echo(printable_line(line))
        if show:
            for line in run_lines(found.explanation):
                click.echo(printable_line(line))
        if traces is not None:
            for saved in _runs(path, found):
                file = _write(traces, saved)
                subject = saved.header.property or "run"
                click.echo(printable_line(f"  {subject} saved as {file}"))
        codes.append(CODES[found.explanation.ending])
        codes += [BROKEN[broken.property.kind] for broken in found.broken]
    sys.exit(most_severe(codes))


def _runs(path: Path, found: Validation) -> Iterator[SavedTrace]:
    """The run, and for each property that it breaks its part until then."""
    header = Header(
        scenario=printable_line(f"observed-{path.stem}"),
        model=found.system.name,
        protocol=found.protocol,
        bounds=found.bounds,
        initial=found.initial,
        version=VERSION,
    )
    run = found.explanation
    seen = tuple(tuple(map(observation_text, step)) for step in run.matched)
    yield SavedTrace(header, run.trace, seen)
    for broken in found.broken:
        violated = evolve(
            header,
            property=broken.property.name,
            kind=broken.property.kind.value,
            instance=broken.instance,
        )
        end = broken.state - 1
        part = Trace(run.trace.start, run.trace.steps[:end])
        yield SavedTrace(violated, part, seen[:end])


def _write(folder: Path, saved: SavedTrace) -> Path:
    try:
        return write_trace(folder, saved)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be written: {error.strerror}") from error
