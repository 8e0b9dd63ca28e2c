"""``replicheck trace gallery``: search for every run of the gallery anew."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.options import threads_option
from replicheck.cli.console.output import (
    require_writable_file,
    require_writable_folder,
    write_output,
)
from replicheck.cli.pages.gallery_page import GalleryEntry, gallery_entries, page
from replicheck.cli.results.result import require_uninterrupted
from replicheck.cli.runs.trace_files import make_saved_traces
from replicheck.cli.saved_traces.loaded_trace import load_trace
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.cli.tasks.engine_settings import Settings
from replicheck.cli.tasks.engines import DEFAULT_ENGINE, ENGINES
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import unwatched
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import Place
from replicheck.traces.json_lines import SavedTrace, write


class NotFound(Exception):
    """A search found no violation."""


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=Path("traces/gallery"),
    show_default=True,
    help="Where the runs are.",
)
@click.option(
    "--page",
    "page_file",
    type=click.Path(path_type=Path),
    default=Path("docs/gallery.md"),
    show_default=True,
    help="Where to write the page of all runs.",
)
@threads_option("Search with so many threads instead of one for each core.")
@click.pass_obj
def gallery(
    catalogue: Catalogue,
    /,
    names: tuple[str, ...],
    folder: Path,
    page_file: Path,
    threads: int | None,
) -> None:
    """Search for the runs of the gallery anew, and write them and their page.

    NAME is a run of the gallery; without one, all are searched for. Exit codes: 0
    written, 2 wrong usage, 10 a bug shows no more, 151 wrong name.
    """
    entries = _chosen(names)
    require_writable_folder(folder, "--folder")
    require_writable_file(str(page_file), "--page")
    _require_unsearched_runs(entries, folder)
    folder.mkdir(parents=True, exist_ok=True)
    for entry in entries:
        _renew(catalogue, entry, folder, threads or 0)
    write_output(str(page_file), page_of(catalogue, folder), "--page")


def _chosen(names: tuple[str, ...]) -> tuple[GalleryEntry, ...]:
    """The runs that a user names, in the gallery's order; without names all.

    Raises:
        BadInput: if a name is of none.
    """
    known = {entry.name: entry for entry in gallery_entries()}
    for name in names:
        if name not in known:
            raise BadInput(str(Place("gallery").unknown("run", name, known)))
    return tuple(entry for entry in known.values() if not names or entry.name in names)


def _require_unsearched_runs(entries: tuple[GalleryEntry, ...], folder: Path) -> None:
    """Refuse a folder that lacks a run of the page which is not searched for.

    Raises:
        click.UsageError: if one is not there.
    """
    unsearched = [entry for entry in gallery_entries() if entry not in entries]
    missing = [entry.name for entry in unsearched if not entry.file(folder).exists()]
    if missing:
        raise click.UsageError(
            f"--folder: {folder} lacks {len(missing)} runs of the page, such as"
            f" {missing[0]}; without NAME, all are searched for"
        )


def page_of(catalogue: Catalogue, folder: Path) -> str:
    """The page of all runs in a folder."""
    shown = []
    for entry in gallery_entries():
        saved = read_trace(catalogue, entry.file(folder))
        shown.append((entry, saved, load_trace(catalogue, saved.header)))
    return page(shown)


def _renew(
    catalogue: Catalogue, entry: GalleryEntry, folder: Path, threads: int
) -> None:
    try:
        saved = _search(catalogue, entry, threads)
    except NotFound:
        click.echo(f"Error: {entry.name}: nothing is violated any more", err=True)
        sys.exit(ExitCode.EXPECTATION)
    write(entry.file(folder), saved)
    click.echo(f"{entry.name}: {len(saved.trace.states)} states", err=True)


def _search(catalogue: Catalogue, entry: GalleryEntry, threads: int) -> SavedTrace:
    settings = Settings(threads=threads)
    choices = Overrides(DEFAULT_ENGINE, settings=settings)
    (task,) = tasks(catalogue, [entry.name], choices)
    engine = ENGINES[task.engine].make(task.settings, None)
    report = engine.explore(task.model, task.properties, task.search(unwatched))
    for saved in make_saved_traces(
        task, require_uninterrupted(report).violations, report.failure
    ):
        return saved
    raise NotFound
