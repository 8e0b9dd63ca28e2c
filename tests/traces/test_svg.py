"""Runs as pictures, read again as XML."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from attrs import evolve

from checkout import GALLERY
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.traces.formats.sequence_diagram import scenes
from replicheck.traces.formats.svg import svg
from replicheck.traces.json_lines import SavedTrace
from saved_runs import loss, of_scenario
from shipped import CATALOGUE, SYSTEMS

SVG = "{http://www.w3.org/2000/svg}"
RUNS: dict[str, Callable[[], SavedTrace]] = {
    "replication": loss,
    "cluster": lambda: of_scenario("leader-disk-fails"),
    "fetching": lambda: of_scenario("fetching-two-brokers-change-roles"),
}


def drawn(saved: SavedTrace) -> ElementTree.Element:
    """The picture of a run as XML."""
    return ElementTree.fromstring(svg(saved, SYSTEMS[saved.header.model].describer))


@pytest.mark.parametrize("name", RUNS)
def test_a_picture_has_a_row_for_each_step(name: str) -> None:
    """Each row has the number of its state, and each message an arrow."""
    saved = RUNS[name]()
    root = drawn(saved)
    rows = [g for g in root.iter(f"{SVG}g") if g.get("class") in ("step", "fault")]
    numbers = [int((row[0].text or "").split()[0]) for row in rows]
    assert numbers == list(range(2, len(saved.trace.states) + 1))
    paths = root.iter(f"{SVG}path")
    arrows = [path for path in paths if path.get("class") == "message"]
    told = scenes(saved.trace, SYSTEMS[saved.header.model].describer)
    assert len(arrows) == sum(len(scene.messages) for scene in told)


def test_faults_are_told_apart() -> None:
    """Such as a crash, and a disk that is replaced."""
    saved = read_trace(CATALOGUE, GALLERY / "kafka-6630-keep-offline-replicas.jsonl")
    groups = drawn(saved).iter(f"{SVG}g")
    faults = [(g[0].text or "").split()[1] for g in groups if g.get("class") == "fault"]
    assert [label.partition("(")[0] for label in faults] == [
        "crash",
        "replace_directory",
        "start_broker",
    ]


def test_the_text_of_a_picture_is_no_markup() -> None:
    """A violated property may have any name."""
    found = loss()
    header = evolve(found.header, instance="<script>&")
    texts = drawn(evolve(found, header=header)).iter(f"{SVG}text")
    assert any("<script>&" in (text.text or "") for text in texts)
