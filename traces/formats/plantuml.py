"""Runs as PlantUML sequence diagrams.

Source: https://plantuml.com/sequence-diagram.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.traces.describer import Describer
from replicheck.traces.formats.sequence_diagram import Scene, scenes
from replicheck.traces.json_lines import SavedTrace

MARKUP = re.compile(r'<|~|\*\*|__|--|//|""|\[\[')
"""What means something in a text; a tilde takes its meaning away."""


def plantuml(saved: SavedTrace, describer: Describer) -> str:
    """A saved run as the text of a ``.puml`` file."""
    return "\n".join(_lines(saved, describer)) + "\n"


def _lines(saved: SavedTrace, describer: Describer) -> Iterator[str]:
    lanes = describer.lanes(saved.trace.start)
    ids = {lane: f"L{number}" for number, lane in enumerate(lanes)}
    yield "@startuml"
    yield f"title {_text(saved.header.title())}"
    for lane in lanes:
        yield f'participant "{lane}" as {ids[lane]}'
    everyone = f"{ids[lanes[0]]}, {ids[lanes[-1]]}"
    for scene in scenes(saved.trace, describer):
        yield from _scene(scene, ids, everyone)
    if saved.header.clause:
        yield from _note(everyone, [f"breaks {saved.header.clause}"])
    yield "@enduml"


def _scene(scene: Scene, ids: Mapping[str, Any], everyone: str) -> Iterator[str]:
    for source, target in scene.messages:
        yield f"{ids[source]} -> {ids[target]} : {_text(scene.title)}"
    title = [] if scene.messages else [scene.title]
    where = ids.get(scene.actor or "", everyone)
    if notes := [*title, *scene.notes]:
        yield from _note(where, notes)


def _note(where: str, lines: list[str]) -> Iterator[str]:
    yield f"note over {where}"
    yield from map(_text, lines)
    yield "end note"


def _text(text: str) -> str:
    return MARKUP.sub(lambda found: f"~{found[0]}", text)
