"""Runs as Mermaid sequence diagrams.

Source: https://mermaid.js.org/syntax/sequenceDiagram.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replicheck.traces.describer import Describer
from replicheck.traces.formats.sequence_diagram import sequence_diagram
from replicheck.traces.json_lines import SavedTrace

ENTITIES = str.maketrans({"#": "#35;", ";": "#59;", "<": "#lt;", ">": "#gt;"})


def mermaid(saved: SavedTrace, describer: Describer) -> str:
    """A saved run as the text of a ``.mmd`` file."""
    return sequence_diagram(saved, describer, _Mermaid())


class _Mermaid:
    """The notation of Mermaid, which has no title."""

    def head(self, title: str) -> Iterator[str]:
        yield "sequenceDiagram"

    def lane(self, name: str, identity: str) -> str:
        return f"    participant {identity} as {_text(name)}"

    def message(self, source: str, target: str, text: str) -> str:
        return f"    {source}->>{target}: {_text(text)}"

    def note(self, lanes: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
        yield f"    Note over {','.join(lanes)}: {'<br/>'.join(map(_text, lines))}"

    def loop(self, text: str) -> str:
        return f"    loop {_text(text)}"

    def foot(self) -> Iterator[str]:
        yield from ()


def _text(text: str) -> str:
    return text.translate(ENTITIES)
