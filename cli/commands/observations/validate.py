"""``replicheck validate``: whether a run of a model explains observations."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click
from attrs import evolve

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.console.options import json_file, saved_files
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    require_writable_file,
    require_writable_folder,
    telling_what_was_found,
    write_output,
)
from replicheck.cli.observations.observation_file import ObservationFileError, load
from replicheck.cli.observations.observation_schema import line_schema
from replicheck.cli.observations.validation import Validation, validate
from replicheck.cli.observations.validation_json import document
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
from replicheck.explorer.engines.trace_validation.nearness import MOST_STATES
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.traces.json_lines import Header, SavedTrace
from replicheck.traces.observed import FURTHER
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
@click.option(
    "--near",
    "near_steps",
    type=click.IntRange(min=1),
    metavar="STEPS",
    help="Say of an explained run how near it came to a violation: search every way to"
    " go on from each of its states for so many steps.",
)
@click.option(
    "--near-states",
    type=click.IntRange(min=1),
    default=MOST_STATES,
    show_default=True,
    help="End the search of --near with the step that reaches so many states.",
)
@click.option("--show", is_flag=True, help="Print the run, with what shows each step.")
@click.option(
    "--traces",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save the run there, and its part until each property that it breaks, or is"
    " near to break, for `replicheck trace show` and `trace replay`.",
)
@json_file
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
    near_steps: int | None,
    near_states: int,
    show: bool,
    traces: Path | None,
    json_path: str | None,
) -> None:
    """Search for a run of a model that explains what was observed of a cluster.

    FILE has observations, as `replicheck observe` writes them. Exit codes: 0 explained,
    10 no run of the model explains them, 12 and 13 explained by a run that breaks an
    invariant or a step property, 77 a limit ended the search, 151 bad file. Of several
    files, the most severe.
    """
    effort = Effort(limit_nodes, limit_seconds)
    echo = partial(click.echo, err=json_path == STANDARD_OUTPUT)
    if json_path is not None:
        require_writable_file(json_path, "--json")
    if traces is not None:
        require_writable_folder(traces, "--traces")
    answers = []
    codes = []
    for path in paths:
        found = _validated(catalogue, path, effort)
        if near_steps is not None:
            found = found.with_nearness(near_steps, near_states)
        lines = [f"{path}:"] if len(paths) > 1 else []
        lines += summary_lines(found)
        if show:
            lines += run_lines(found.explanation)
        for line in lines:
            echo(printable_line(line))
        if traces is not None:
            for saved in _runs(path, found):
                file = _write(traces, saved)
                subject = saved.header.property or "run"
                echo(printable_line(f"  {subject} saved as {file}"))
        codes.append(CODES[found.explanation.ending])
        codes += [BROKEN[broken.property.kind] for broken in found.broken]
        answers.append((str(path), found))
    if json_path is not None:
        with telling_what_was_found(most_severe(codes)):
            write_output(json_path, document(answers), "--json")
    sys.exit(most_severe(codes))


def _validated(catalogue: Catalogue, path: Path, effort: Effort) -> Validation:
    """The validation of a file of observations.

    Raises:
        BadInput: if it cannot be read, has no observation, or is not of the model.
    """
    try:
        observed = load(path)
        if observed.observations:
            return validate(catalogue, observed, str(path), effort)
    except (ObservationFileError, ScenarioError) as error:
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    raise BadInput(
        f"{path}: has a header and no observation: there is nothing to explain"
    )


def _runs(path: Path, found: Validation) -> Iterator[SavedTrace]:
    """The run, and its part until each property that it breaks, or is near to break."""
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
    near = found.nearness.violations if found.nearness is not None else ()
    for nearest in near:
        violation = nearest.violation
        would_be = evolve(
            header,
            property=violation.property,
            kind=violation.kind.value,
            instance=violation.instance,
        )
        end = nearest.state - 1
        steps = (*run.trace.steps[:end], *violation.trace.steps)
        further = (
            (f"{FURTHER}: {number} of {nearest.steps} to the violation",)
            for number in range(1, nearest.steps + 1)
        )
        part = Trace(run.trace.start, steps)
        yield SavedTrace(would_be, part, (*seen[:end], *further))


def _write(folder: Path, saved: SavedTrace) -> Path:
    try:
        return write_trace(folder, saved)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be written: {error.strerror}") from error
