"""Exhibits: the runs of the gallery, where they are, and the page that shows them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import cattrs
from attrs import frozen

from replicheck.cli.reports.markdown_table import markdown_table
from replicheck.cli.saved_traces.loaded_trace import LoadedTrace
from replicheck.traces.json_lines import SavedTrace
from replicheck.traces.log_strips import drawn
from replicheck.traces.record_history import ledger

PREAMBLE = """\
# Gallery

The shortest run to each of these bugs, as JSON Lines in `traces/gallery/`. Each is a
rule of Kafka that was broken once, or that is broken here on purpose; a test replays
all of them. `replicheck trace show FILE` prints the run, and
`replicheck trace gallery` searches for all of them anew and writes this page.
"""


@frozen
class GalleryEntry:
    """A run of the gallery: the scenario or mutant, and what is said of it."""

    name: str
    title: str
    issue: str = ""
    text: str = ""

    def file(self, folder: Path) -> Path:
        """The file of its run."""
        return folder / f"{self.name}.jsonl"


def gallery_entries() -> tuple[GalleryEntry, ...]:
    """The runs of the gallery in their order."""
    place = resources.files("replicheck.traces") / "gallery" / "gallery.toml"
    entries = tomllib.loads(place.read_text("utf-8"))["entry"]
    converter = cattrs.Converter(forbid_extra_keys=True)
    return tuple(converter.structure(entry, GalleryEntry) for entry in entries)


def page(shown: list[tuple[GalleryEntry, SavedTrace, LoadedTrace]]) -> str:
    """The page of the gallery."""
    return "\n".join([PREAMBLE, *_table(shown), *_sections(shown)]) + "\n"


def _table(shown: list[tuple[GalleryEntry, SavedTrace, LoadedTrace]]) -> Iterator[str]:
    rows = [
        (
            f"[{entry.title}](../traces/gallery/{entry.name}.jsonl)",
            entry.issue,
            str(len(saved.trace.states)),
            f"`{saved.header.property}`",
        )
        for entry, saved, _run in shown
    ]
    yield from markdown_table(("run", "issue", "states", "violates"), rows)


def _sections(
    shown: list[tuple[GalleryEntry, SavedTrace, LoadedTrace]],
) -> Iterator[str]:
    for entry, saved, run in shown:
        yield from _section(entry, saved, run)


def _section(entry: GalleryEntry, saved: SavedTrace, run: LoadedTrace) -> Iterator[str]:
    header, trace = saved.header, saved.trace
    yield f"\n## {entry.title}\n"
    facts = [entry.issue, f"protocol `{header.protocol}`", f"`{entry.name}.jsonl`"]
    yield f"{', '.join(filter(None, facts))}. {run.claim_text}"
    if entry.text:
        yield f"\n{entry.text.strip()}"
    yield "\n```text"
    for number, step in enumerate(trace.steps, start=2):
        yield f"{number:4}  {step.label}"
    yield f"\nbreaks {header.instance}"
    entries = ledger(trace, run.describer)
    if entries:
        yield from drawn(run.describer.strips(trace.states[-1]))
        yield from map(str, entries)
    yield "```"
