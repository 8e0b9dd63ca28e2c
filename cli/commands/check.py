"""``replicheck check``: run scenarios, and say what was found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from attrs import fields

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.options import (
    FiniteRange,
    changed_bounds,
    changed_merges,
    limit_disk,
    limit_memory,
    limit_seconds,
    require_writable_folder,
    require_writable_reports,
    spark_master,
)
from replicheck.cli.reports.formats import REPORT_FORMATS
from replicheck.cli.results.mutant_results import read_mutants
from replicheck.cli.runs.execute import execute
from replicheck.cli.runs.run_folder import RunFolder, is_taken, new_folder
from replicheck.cli.tasks.engine_settings import Counting, Settings
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES
from replicheck.cli.tasks.option_support import require_supported_options
from replicheck.cli.tasks.run_request import EVERY, RunRequest
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE, Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.invariants.catalogue.scenario import LimitTable


def report_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for each form of a report."""
    for name, form in reversed(list(REPORT_FORMATS.items())):
        option = click.option(f"--{name}", metavar="FILE", help=form.summary)
        command = option(command)
    return command


@click.command()
@click.argument("what", nargs=-1, metavar="[SUITE|SCENARIO]...")
@click.option("--protocol", metavar="NAME", help="Check this protocol instead.")
@changed_merges
@changed_bounds
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
@spark_master
@click.option(
    "--buckets",
    type=click.IntRange(min=1, max=1 << 16),
    help="Divide the states into so many parts; 16 by default. Spark only.",
)
@click.option(
    "--store",
    metavar="URI",
    help="Where every worker of Spark can write: a directory, s3://..., hdfs://...",
)
@click.option(
    "--states",
    metavar="URI",
    help="Write every reachable state there, as Parquet. Spark only.",
)
@click.option(
    "--symmetry",
    "counting",
    flag_value=Counting.UP_TO_SYMMETRY.value,
    help="Count states that differ by a renaming only as one.",
)
@click.option(
    "--fingerprints",
    type=click.Choice(["64", "128", "exact"]),
    help="What is kept to tell states apart: so many bits, 64 by default, or all.",
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
@limit_seconds
@limit_memory
@limit_disk
@click.option(
    "--keep-going",
    "stop",
    flag_value="decided",
    help="Do not end with the first violation, but when every property is decided.",
)
@click.option(
    "--all-violations",
    "stop",
    flag_value="exhausted",
    help="Visit every state whatever is found, and keep the shortest run to each"
    " property's violation by each last action.",
)
@click.option(
    "--accept-incomplete",
    "accepted",
    flag_value="incomplete",
    help="Exit 0 although a limit cut a search. Not for an interrupted one.",
)
@report_options
@click.option(
    "--mutants",
    metavar="FILE",
    help="Show on the page of --html what `replicheck mutants --json -` found.",
)
@click.option(
    "--coverage",
    "covers",
    is_flag=True,
    help="Print how often each action was taken, and each guard turned it down.",
)
@click.option(
    "--annotations",
    "annotates",
    is_flag=True,
    help="Print annotations as GitHub Actions understands them.",
)
@click.option(
    "--entry",
    "entries",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Check this entry of the suite, the first being 1, and no other but those"
    " given in the same way.",
)
@click.option(
    "--no-cache",
    "ignores_cache",
    is_flag=True,
    help="Search anew even if an equal search was done before.",
)
@click.option(
    "--traces",
    type=click.Path(path_type=Path),
    default=Path("counterexamples"),
    show_default=True,
    metavar="DIR",
    help="Where to save the run to each violation.",
)
@click.option(
    "--checkpoint",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep checkpoints there instead of in a new folder in .replicheck.",
)
@click.option(
    "--checkpoint-every",
    "every",
    type=FiniteRange(min=0),
    default=EVERY,
    show_default=True,
    metavar="SECONDS",
    help="Write a checkpoint not more often; 0 is after each level.",
)
@click.pass_obj
def check(
    catalogue: Catalogue,
    /,
    what: tuple[str, ...],
    traces: Path,
    mutants: str | None,
    covers: bool,
    annotates: bool,
    ignores_cache: bool,
    accepted: str | None,
    folder: Path | None,
    every: float,
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
        require_supported_options(task)
    if folder is not None:
        _require_free(folder, options["engine"])
    require_writable_folder(traces, "--traces")
    reports = {
        form: options[form] for form in REPORT_FORMATS if options[form] is not None
    }
    require_writable_reports(reports)
    read_mutants(mutants)
    order = RunRequest(
        tuple(todo),
        traces,
        reports,
        mutants=mutants,
        annotates=annotates,
        covers=covers,
        accepts_incomplete=bool(accepted),
        caches=not ignores_cache,
        every=every,
    )
    execute(RunFolder(folder or new_folder(), order))


def _choices(options: dict[str, Any]) -> Overrides:
    limits = {
        limit.name: options[f"limit_{limit.name}"] for limit in fields(LimitTable)
    }
    return Overrides(
        engine=options["engine"],
        protocol=options["protocol"],
        merges=options["merges"],
        bounds=options["bounds"],
        properties=options["invariants"],
        limits=LimitTable(**limits),
        stop=options["stop"],
        entries=options["entries"],
        settings=Settings(
            counting=Counting(options["counting"] or Counting.ALL.value),
            threads=options["threads"] or 0,
            fingerprints=options["fingerprints"] or "64",
            paranoid=options["paranoid"],
            master=options["master"],
            buckets=options["buckets"] or 0,
            store=_absolute(options["store"]),
            states=_absolute(options["states"]),
        ),
    )


def _absolute(uri: str | None) -> str | None:
    """Return a path as seen from any directory; a URI stays what it is."""
    return uri if uri is None or "://" in uri else str(Path(uri).absolute())


def _require_free(folder: Path, engine: str) -> None:
    if not ENGINES[engine].resumable:
        raise click.UsageError(f"the engine {engine} keeps no checkpoints")
    require_writable_folder(folder, "--checkpoint")
    if is_taken(folder):
        raise click.UsageError(
            f"--checkpoint: {folder} holds a run that is not finished; go on with it:"
            f" replicheck resume {folder}, or remove it"
        )
