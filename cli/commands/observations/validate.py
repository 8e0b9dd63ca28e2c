"""``replicheck validate``: whether a run of a model explains observations."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.console.options import saved_files
from replicheck.cli.observations.observation_file import ObservationFileError, load
from replicheck.cli.observations.validation import Validation, validate
from replicheck.cli.observations.validation_text import run_lines, summary_lines
from replicheck.cli.runs.trace_files import write_trace
from replicheck.cli.version import VERSION
from replicheck.explorer.engines.trace_validation.explanation import (
    Effort,
    ExplanationEnding,
)
from replicheck.explorer.properties import Kind
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.traces.json_lines import Header, SavedTrace

CODES = {
    ExplanationEnding.EXPLAINED: ExitCode.AS_EXPECTED,
    ExplanationEnding.NOT_EXPLAINED: ExitCode.EXPECTATION,
    ExplanationEnding.UNDECIDED: ExitCode.INCOMPLETE,
}
BROKEN = {Kind.ALWAYS: ExitCode.INVARIANT, Kind.STEP: ExitCode.STEP_PROPERTY}


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
    help="Save the run there, for `replicheck trace show` and `trace replay`.",
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
            file = load(path)
            found = validate(
                catalogue, file, str(path), Effort(limit_nodes, limit_seconds)
            )
        except (ObservationFileError, ScenarioError) as error:
            raise BadInput(str(error)) from error
        except OSError as error:
            raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
        if len(paths) > 1:
            click.echo(f"{path}:")
        for line in summary_lines(found):
            click.echo(line)
        if show:
            for line in run_lines(found.explanation):
                click.echo(line)
        if traces is not None:
            click.echo(f"  run saved as {_save(traces, path, found)}")
        codes.append(CODES[found.explanation.ending])
        codes += [BROKEN[broken.property.kind] for broken in found.broken]
    sys.exit(most_severe(codes))


def _save(folder: Path, path: Path, found: Validation) -> Path:
    header = Header(
        scenario=f"observed-{path.stem}",
        model=found.system.name,
        protocol=found.protocol,
        bounds=found.bounds,
        initial=found.initial,
        version=VERSION,
    )
    try:
        return write_trace(folder, SavedTrace(header, found.explanation.trace))
    except OSError as error:
        raise BadInput(f"{folder}: cannot be written: {error.strerror}") from error
