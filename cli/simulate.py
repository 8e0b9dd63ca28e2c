"""``replicheck simulate``: very many random walks, where a search would not end."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click
from attrs import evolve

from replicheck.cli.engines import DEFAULT_ENGINE
from replicheck.cli.errors import BadInput, BrokenContract
from replicheck.cli.exit_codes import ExitCode
from replicheck.cli.interrupts import Interrupts, SecondSignal
from replicheck.cli.options import (
    STANDARD_OUTPUT,
    changed_bounds,
    require_writable_file,
    require_writable_folder,
)
from replicheck.cli.saving import saved_traces, write_trace
from replicheck.cli.simulating import (
    ALL,
    STRATEGIES,
    Outcome,
    document,
    simulated,
    told,
)
from replicheck.cli.tasks import Choices, Task, tasks
from replicheck.explorer.errors import ModelError
from replicheck.explorer.simulating.simulation import Extent
from replicheck.invariants.catalogue import Catalogue
from replicheck.invariants.describing.models import VOICES
from replicheck.invariants.errors import ScenarioError
from replicheck.traces.atomic import write_atomically
from replicheck.traces.story import tell, tell_failure


@click.command()
@click.argument("name", metavar="SCENARIO")
@click.option("--protocol", metavar="NAME", help="Simulate this protocol instead.")
@changed_bounds
@click.option(
    "--invariant",
    "properties",
    multiple=True,
    metavar="NAME",
    help="Judge this property, and no other but those named in the same way.",
)
@click.option(
    "--strategy",
    type=click.Choice([ALL, *STRATEGIES]),
    default=ALL,
    show_default=True,
    help="How a walker chooses: any step; brokers by priorities that change; faults"
    " spread over the walk; or these three, one after the other.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**62),
    default=0,
    show_default=True,
    help="The same seed gives the same walks.",
)
@click.option(
    "--walks", type=click.IntRange(min=1), help="End after so many walks were begun."
)
@click.option(
    "--steps",
    type=click.IntRange(min=1, max=10_000),
    default=200,
    show_default=True,
    help="The most steps of a walk.",
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="End after so many seconds.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Walk with so many threads instead of one for each core.",
)
@click.option(
    "--require-covered",
    "covered",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="Exit 10 if less than this share (Good-Turing) of what walks visit was seen.",
)
@click.option(
    "--json", "json_path", metavar="FILE", help="Write a JSON report; - is stdout."
)
@click.option(
    "--traces",
    type=click.Path(path_type=Path),
    default=Path("counterexamples"),
    show_default=True,
    metavar="DIR",
    help="Where to save the run to a violation.",
)
@click.pass_obj
def simulate(
    catalogue: Catalogue,
    /,
    name: str,
    protocol: str | None,
    bounds: Mapping[str, object] | None,
    properties: tuple[str, ...],
    strategy: str,
    seed: int,
    walks: int | None,
    steps: int,
    seconds: float,
    threads: int | None,
    covered: float,
    json_path: str | None,
    traces: Path,
) -> None:
    """Walk at random through a scenario, very often, and judge every state.

    A violation is minimised and saved as a trace. Without one the scenario is not
    refuted, which does not mean that it holds. Exit codes: 0 not refuted, 2 wrong
    usage, 10 less was covered than required, 11 deadlock, 12 invariant violated, 13
    step property violated, 75 error in the model, 77 interrupted, 151 bad scenario.
    """
    require_writable_folder(traces, "--traces")
    if json_path is not None:
        require_writable_file(json_path, "--json")
    choices = Choices(
        DEFAULT_ENGINE, protocol=protocol, bounds=bounds, properties=properties
    )
    task = _task(catalogue, name, choices)
    extent = Extent(steps, walks, seconds)
    with Interrupts() as interrupts:
        click.echo(f"walking: {task.title}, seed {seed}", err=True)
        try:
            found = simulated(
                task,
                strategy,
                seed,
                extent,
                threads or os.cpu_count() or 1,
                interrupts.watch,
            )
        except ModelError as error:
            raise BrokenContract(str(error)) from error
        except SecondSignal:
            click.echo("Error: ended by a second signal", err=True)
            sys.exit(ExitCode.INCOMPLETE)
    _report(_saved(evolve(found, covered=covered), traces), json_path)


def _task(catalogue: Catalogue, name: str, choices: Choices) -> Task:
    try:
        found, *others = tasks(catalogue, (name,), choices)
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    if others:
        raise click.UsageError(f"{name} has several scenarios; name one")
    return found


def _saved(outcome: Outcome, folder: Path) -> Outcome:
    """Write the trace of what was found."""
    violations = [outcome.violation] if outcome.violation is not None else []
    failure = outcome.simulations[-1].failure
    try:
        for saved in saved_traces(outcome.task, violations, failure):
            outcome = evolve(outcome, file=write_trace(folder, saved))
    except OSError as error:
        click.echo(f"the trace cannot be saved: {error}", err=True)
    return outcome


def _report(outcome: Outcome, json_path: str | None) -> None:
    to_stdout = json_path == STANDARD_OUTPUT
    for line in (*told(outcome), *_stories(outcome)):
        click.echo(line, err=to_stdout)
    if to_stdout:
        click.echo(document(outcome), nl=False)
    elif json_path is not None:
        _write(json_path, document(outcome))
    sys.exit(outcome.code)


def _write(path: str, text: str) -> None:
    try:
        write_atomically(Path(path), text)
    except OSError as error:
        raise click.UsageError(f"--json: {path} cannot be written: {error}") from error


def _stories(outcome: Outcome) -> Iterator[str]:
    voice, violation = VOICES[outcome.task.system.name], outcome.violation
    failure = outcome.simulations[-1].failure
    if violation is not None:
        run = f"a walk of {outcome.walked} states, minimised,"
        sentence = outcome.task.sentence(violation.property)
        yield f"\n{tell(violation, sentence, voice, run)}"
    if failure is not None:
        yield f"\n{tell_failure(failure, voice)}"
    if outcome.file is not None:
        yield f"Saved: {outcome.file}"
