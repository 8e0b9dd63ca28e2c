"""Kafka's own bugs as a folder: a page for each, with its runs as text and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from replicheck.cli.pages.bug_page import HEADINGS, reason_of, run_text_of
from replicheck.cli.reports.markdown_table import folded_text, markdown_table
from replicheck.cli.results.mutant_trial import MutantTrial
from replicheck.explorer.runtime.atomic_files import write_atomically
from replicheck.invariants.catalogue.bugs import Bug
from replicheck.invariants.catalogue.mutants import Mutant

INDEX = "index.md"


def page_name(bug: Bug) -> str:
    """Name of a bug's page, without the ending: ``kafka-5642-log-dir-events``."""
    return re.sub(r"[^a-z0-9]+", "-", bug.name.lower()).strip("-")


def mutants_of(bugs: Sequence[Bug]) -> tuple[Mutant, ...]:
    """The mutants whose runs the pages show, each once."""
    shown = [bug for bug in bugs if bug.status == "reproduced"]
    return tuple({m.name: m for bug in shown for m in bug.mutants}.values())


def write_folder(
    bugs: Sequence[Bug],
    trials: Mapping[str, MutantTrial],
    pictures: Mapping[str, str],
    folder: Path,
) -> None:
    """Write the pages, their pictures, and an index of all.

    Args:
        bugs: the register.
        trials: what the search of each mutant in ``mutants_of`` found, by its name.
        pictures: the run of each of them as SVG.
        folder: where to write, which is there.

    Raises:
        OSError: if a file cannot be written.
    """
    for name, picture in pictures.items():
        write_atomically(folder / f"{name}.svg", picture)
    for bug in bugs:
        text = "\n".join(_page(bug, trials)) + "\n"
        write_atomically(folder / f"{page_name(bug)}.md", text)
    write_atomically(folder / INDEX, "\n".join(_index(bugs)) + "\n")


def _index(bugs: Sequence[Bug]) -> Iterator[str]:
    yield "# One page for each bug"
    yield ""
    yield "Each page says what went wrong and which rule was broken, with the shortest"
    yield "run to it. [The register](../bugs.md) has the bounds of each search."
    yield ""
    rows = [
        (f"[{bug.name}]({page_name(bug)}.md)", bug.title, bug.fixed_in, bug.status)
        for bug in bugs
    ]
    yield from markdown_table(("bug", "what went wrong", "fixed in", "here"), rows)


def _page(bug: Bug, trials: Mapping[str, MutantTrial]) -> Iterator[str]:
    yield f"# {bug.name}: {bug.title}"
    yield ""
    rows = [
        ("the rule", bug.rule),
        ("what Kafka did instead", bug.instead),
        ("fixed in", bug.fixed_in),
        ("here", bug.status),
    ]
    yield from markdown_table(("", ""), rows)
    if bug.status in HEADINGS:
        yield f"\n## {HEADINGS[bug.status]}\n"
        yield reason_of(bug)
        return
    if bug.differs:
        yield f"\nThe mutant differs from the bug: {bug.differs}"
    for mutant in bug.mutants:
        yield from _run(trials[mutant.name])


def _run(trial: MutantTrial) -> Iterator[str]:
    mutant = trial.mutant
    bounds = [
        f"{key}={value}" for key, value in mutant.scenario.bounds.items() if value
    ]
    yield f"\n## The run of `{mutant.name}`\n"
    yield f"The property `{mutant.violates}` is violated; the shortest run has"
    yield f"{trial.length} states. The search begins with `{mutant.start}`, within"
    yield f"{', '.join(bounds)}. This command repeats it:"
    yield f"\n```\nreplicheck check {mutant.name}\n```\n"
    yield f"![The run, a row for each step]({mutant.name}.svg)"
    yield from folded_text("The run as text", run_text_of(trial))
