"""Runs as PlantUML sequence diagrams.

Source: https://plantuml.com/sequence-diagram.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replicheck.traces.describer import Describer
from replicheck.traces.formats.sequence_diagram import sequence_diagram
from replicheck.traces.json_lines import SavedTrace

MARKUP = re.compile(r'<|~|\*\*|__|--|//|""|\[\[')
"""What means something in a text; a tilde takes its meaning away."""


def plantuml(saved: SavedTrace, describer: Describer) -> str:
    """A saved run as the text of a ``.puml`` file."""
    return sequence_diagram(saved, describer, _PlantUml())


class _PlantUml:
    """The notation of PlantUML."""

    def head(self, title: str) -> Iterator[str]:
        yield "@startuml"
        yield f"title {_text(title)}"

    def lane(self, name: str, identity: str) -> str:
        return f'participant "{name}" as {identity}'

    def message(self, source: str, target: str, text: str) -> str:
        return f"{source} -> {target} : {_text(text)}"

    def note(self, lanes: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
        yield f"note over {', '.join(lanes)}"
        yield from map(_text, lines)
        yield "end note"

    def loop(self, text: str) -> str:
        return f"loop {_text(text)}"

    def foot(self) -> Iterator[str]:
        yield "@enduml"


def _text(text: str) -> str:
    return MARKUP.sub(lambda found: f"~{found[0]}", text)
