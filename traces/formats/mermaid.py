"""Runs as Mermaid sequence diagrams.

Source: https://mermaid.js.org/syntax/sequenceDiagram.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.traces.describer import Describer
from replicheck.traces.formats.sequence_diagram import Scene, scenes
from replicheck.traces.json_lines import SavedTrace

ENTITIES = str.maketrans({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;"})


def mermaid(saved: SavedTrace, describer: Describer) -> str:
    """A saved run as the text of a ``.mmd`` file."""
    return "\n".join(_lines(saved, describer)) + "\n"


def _lines(saved: SavedTrace, describer: Describer) -> Iterator[str]:
    lanes = describer.lanes(saved.trace.start)
    ids = {lane: f"L{number}" for number, lane in enumerate(lanes)}
    yield "sequenceDiagram"
    for lane in lanes:
        yield f"    participant {ids[lane]} as {_text(lane)}"
    everyone = f"{ids[lanes[0]]},{ids[lanes[-1]]}"
    for scene in scenes(saved.trace, describer):
        yield from _scene(scene, ids, everyone)
    if saved.header.clause:
        yield f"    Note over {everyone}: {_text('breaks ' + saved.header.clause)}"


def _scene(scene: Scene, ids: Mapping[str, Any], everyone: str) -> Iterator[str]:
    for source, target in scene.messages:
        yield f"    {ids[source]}->>{ids[target]}: {_text(scene.title)}"
    title = () if scene.messages else (scene.title,)
    where = ids.get(scene.actor or "", everyone)
    if text := "<br/>".join(map(_text, (*title, *scene.notes))):
        yield f"    Note over {where}: {text}"


def _text(text: str) -> str:
    return text.translate(ENTITIES)
