"""``replicheck check``: run scenarios, and say what was found."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
from attrs import asdict, fields

from replicheck.cli.engines import DEFAULT_ENGINE, ENGINES
from replicheck.cli.errors import BadInput
from replicheck.cli.exit_codes import ExitCode
from replicheck.cli.interrupts import Interrupts
from replicheck.cli.json_report import document
from replicheck.cli.judging import exit_code
from replicheck.cli.options import (
    STANDARD_OUTPUT,
    bounds,
    require_writable_file,
    require_writable_folder,
    size,
)
from replicheck.cli.printing import print_results, standard_error, standard_output
from replicheck.cli.progress import ProgressBoard
from replicheck.cli.results import Result
from replicheck.cli.running import Runner
from replicheck.cli.settings import Counting, Settings
from replicheck.cli.tasks import Choices, Task, tasks
from replicheck.invariants.catalogue import DEFAULT_SUITE, Catalogue
from replicheck.invariants.errors import ScenarioError
from replicheck.invariants.scenario import LimitTable
from replicheck.traces.atomic import write_atomically


@click.command()
@click.argument("what", nargs=-1, metavar="[SUITE|SCENARIO]...")
@click.option("--protocol", metavar="NAME", help="Check this protocol instead.")
@click.option(
    "--bounds",
    type=bounds,
    metavar="KEY=VALUE,...",
    help="Change some of the bounds.",
)
@click.option(
    "--engine",
    type=click.Choice(list(ENGINES)),
    default=DEFAULT_ENGINE,
    show_default=True,
    help="How to search.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Search with so many threads instead of one for each core.",
)
@click.option(
    "--symmetry",
    "counting",
    flag_value=Counting.UP_TO_SYMMETRY.value,
    help="Count states that differ by a renaming only as one.",
)
@click.option(
    "--paranoid",
    is_flag=True,
    help="Repeat every run of the model's functions and compare; slower.",
)
@click.option(
    "--invariant",
    "invariants",
    multiple=True,
    metavar="NAME",
    help="Judge this invariant, step property or witness, and no other but those"
    " named in the same way.",
)
@click.option(
    "--limit-states",
    type=click.IntRange(min=1),
    help="End with the level that reaches this number of states.",
)
@click.option(
    "--limit-depth",
    type=click.IntRange(min=1),
    help="End with this level, the initial states being the first.",
)
@click.option(
    "--limit-seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="End after this time.",
)
@click.option(
    "--limit-memory", type=size, metavar="SIZE", help="End when it takes more."
)
@click.option("--limit-disk", type=size, metavar="SIZE", help="End when it takes more.")
@click.option(
    "--keep-going",
    "stop",
    flag_value="decided",
    help="Do not end with the first violation, but when every property is decided.",
)
@click.option(
    "--accept-incomplete",
    "accepted",
    flag_value="incomplete",
    help="Exit 0 although a limit cut a search. Not for an interrupted one.",
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
    help="Where to save the run to each violation.",
)
@click.pass_obj
def check(
    catalogue: Catalogue,
    /,
    what: tuple[str, ...],
    json_path: str | None,
    traces: Path,
    accepted: str | None,
    **options: Any,
) -> None:
    """Check suites and scenarios: shipped ones by name, your own by file.

    Without argument, check the default suite. Exit codes: 0 as expected, 2 wrong
    usage, 10 an expectation is not met or something was never seen, 11 deadlock, 12
    invariant violated, 13 step property violated, 75 error in the model, 77 incomplete,
    151 bad scenario. Of several, the most severe.
    """
    try:
        todo = tasks(catalogue, what or (DEFAULT_SUITE,), _choices(options))
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    for task in todo:
        _require_heeded(task)
    require_writable_folder(traces, "--traces")
    if json_path is not None:
        require_writable_file(json_path, "--json")
    pardoned = {ExitCode.INCOMPLETE} if accepted else set()
    try:
        sys.exit(_run(todo, json_path, traces, frozenset(pardoned)))
    except KeyboardInterrupt:
        click.echo("Error: ended by a second Ctrl-C, the results are lost", err=True)
        sys.exit(ExitCode.INCOMPLETE)


def _choices(options: dict[str, Any]) -> Choices:
    limits = {each.name: options[f"limit_{each.name}"] for each in fields(LimitTable)}
    return Choices(
        engine=options["engine"],
        protocol=options["protocol"],
        bounds=options["bounds"],
        properties=options["invariants"],
        limits=LimitTable(**limits),
        stop=options["stop"],
        settings=Settings(
            counting=Counting(options["counting"] or Counting.ALL.value),
            threads=options["threads"] or 0,
            paranoid=options["paranoid"],
        ),
    )


def _require_heeded(task: Task) -> None:
    """Refuse limits and settings that the engine would silently leave aside."""
    known = ENGINES[task.engine].settings
    for each in fields(Settings):
        if each.name not in known and getattr(task.settings, each.name) != each.default:
            raise click.UsageError(f"the engine {task.engine} has no {each.name}")
    if task.settings.counting is Counting.UP_TO_SYMMETRY and not task.model.symmetries:
        raise click.UsageError(f"--symmetry: {task.scenario.name} is not symmetric")
    heeded = ENGINES[task.engine].limits
    for name, value in asdict(task.scenario.limits).items():
        if value is not None and name not in heeded:
            raise click.UsageError(
                f"the engine {task.engine} does not heed a limit on {name};"
                f" it heeds those on {', '.join(sorted(heeded))}"
            )


def _run(
    todo: list[Task], json_path: str | None, traces: Path, accepted: frozenset[ExitCode]
) -> ExitCode:
    """Run the tasks, report, and return the exit code."""
    board = ProgressBoard(standard_error(), len(todo))
    with Interrupts() as interrupts:
        with board.live():
            results = list(Runner(board, interrupts, traces).run(todo))
        code = exit_code(results, accepted)
        to_stdout = json_path == STANDARD_OUTPUT
        print_results(standard_error() if to_stdout else standard_output(), results)
        if json_path is not None:
            _write_json(json_path, results, code)
    return code


def _write_json(path: str, results: list[Result], code: ExitCode) -> None:
    text = document(results, code)
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    try:
        write_atomically(Path(path), text)
    except OSError as error:
        click.echo(f"Error: --json: {path} cannot be written: {error}", err=True)
        sys.exit(ExitCode.USAGE)
