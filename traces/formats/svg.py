"""Runs as pictures: sequence diagrams in SVG, which need no program but a browser.

A row for each step: on the left its number, its label and what the action does, on
the right the lanes of brokers and ZooKeeper, with a dot where the step is taken and an
arrow for each message. Faults and the violation are red. Steps that repeat for ever
stand in a frame, with an arrow from the last one back to the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import shorten
from typing import Any
from xml.sax.saxutils import escape

from attrs import frozen

from replicheck.traces.describer import Describer
from replicheck.traces.formats.repetition import repetition_of
from replicheck.traces.formats.sequence_diagram import Scene, scenes
from replicheck.traces.json_lines import SavedTrace

TEXT_WIDTH = 560
"""Pixels of the column with the labels."""
LANE_WIDTH = 110
ROW_HEIGHT = 36
BACK_WIDTH = 44
"""Pixels beside the lanes for the arrow from the end of what repeats to its begin."""
HEAD_HEIGHT = 48
MOST_CHARACTERS = 78
"""Characters of a line in the column with the labels."""
STYLE = """\
text { font: 12px sans-serif; fill: #1d1f23; }
.label { font-family: monospace; }
.summary { font-size: 11px; fill: #5b6069; }
.lane { text-anchor: middle; font-weight: bold; }
.line { stroke: #c9ccd1; stroke-dasharray: 3 3; }
.message { stroke: #0b57b0; stroke-width: 1.5; marker-end: url(#head); }
.dot, #head path { fill: #0b57b0; }
.fault text.label, .violation text { fill: #a4161a; font-weight: bold; }
.fault .dot { fill: #a4161a; }
.repetition rect { fill: #fff3d6; stroke: #8a5a00; stroke-dasharray: 6 3; }
.repetition text { fill: #8a5a00; font-weight: bold; }
.back { fill: none; stroke: #8a5a00; stroke-width: 2; marker-end: url(#back); }
#back path { fill: #8a5a00; }
"""


@frozen
class Lanes:
    """Where the lanes of a picture are."""

    names: tuple[str, ...]
    margin: int = 0

    def middle(self, name: str) -> int:
        """Middle of a lane in pixels from the left."""
        return TEXT_WIDTH + LANE_WIDTH * self.names.index(name) + LANE_WIDTH // 2

    @property
    def width(self) -> int:
        """Width of the picture."""
        return TEXT_WIDTH + LANE_WIDTH * len(self.names) + self.margin


def svg(saved: SavedTrace, describer: Describer) -> str:
    """A saved run as the text of an ``.svg`` file."""
    return "\n".join(_lines(saved, describer)) + "\n"


def _lines(saved: SavedTrace, describer: Describer) -> Iterator[str]:
    repetition = repetition_of(saved)
    margin = BACK_WIDTH if repetition is not None and repetition.takes_steps else 0
    lanes = Lanes(tuple(describer.lanes(saved.trace.start)), margin)
    below = [repetition.text] if repetition is not None else []
    if saved.header.instance:
        below.append(f"violated: {saved.header.instance}")
    rows = len(saved.trace.steps) + len(below)
    height = HEAD_HEIGHT + ROW_HEIGHT * rows + ROW_HEIGHT // 2
    yield (
        '<svg xmlns="http://www.w3.org/2000/svg" role="img"'
        f' viewBox="0 0 {lanes.width} {height}" width="{lanes.width}">'
    )
    yield f"<title>{escape(saved.header.title())}</title>"
    yield f"<style>{STYLE}</style>"
    yield (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>'
        '<marker id="back" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="5"'
        ' markerHeight="5" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>'
    )
    yield f'<rect width="{lanes.width}" height="{height}" fill="#fdfdfc"/>'
    if repetition is not None and repetition.takes_steps:
        yield from _frame(lanes, repetition.state - 1, len(saved.trace.steps))
    yield from _heads(lanes, height)
    before = saved.trace.start
    for row, scene in enumerate(scenes(saved.trace, describer)):
        step = saved.trace.steps[row]
        is_fault = describer.is_fault(step.action, before, step.state)
        kind = "fault" if is_fault else "step"
        yield f'<g class="{kind}">'
        yield from _row(lanes, scene, _middle(row), describer.summary(step.action))
        yield "</g>"
        before = step.state
    for row, text in enumerate(below, start=len(saved.trace.steps)):
        line = _text(12, _middle(row), "label", _shortened(text))
        yield f'<g class="violation">{line}</g>'
    yield "</svg>"


def _frame(lanes: Lanes, first: int, end: int) -> Iterator[str]:
    """Yield the frame of the rows that repeat, and the arrow back to their begin."""
    top, height = HEAD_HEIGHT + ROW_HEIGHT * first + 5, ROW_HEIGHT * (end - first)
    right, side = lanes.width - BACK_WIDTH, lanes.width - BACK_WIDTH // 2
    yield '<g class="repetition">'
    yield f'<rect x="4" y="{top}" width="{right - 4}" height="{height}"/>'
    way = f"M{right} {top + height - 8}H{side}V{top + 8}H{right}"
    yield f'<path class="back" d="{way}"/>'
    yield "</g>"


def _heads(lanes: Lanes, height: int) -> Iterator[str]:
    for name in lanes.names:
        x = lanes.middle(name)
        yield _text(x, HEAD_HEIGHT // 2, "lane", name)
        yield f'<path class="line" d="M{x} {HEAD_HEIGHT - 10}V{height - 8}"/>'


def _row(lanes: Lanes, scene: Scene, y: int, summary: str) -> Iterator[str]:
    yield _text(12, y, "label", _shortened(scene.title))
    yield _text(34, y + 14, "summary", _shortened(summary))
    for source, target in scene.messages:
        start, end = lanes.middle(source), lanes.middle(target)
        yield f'<path class="message" d="M{start} {y}H{end}"/>'
    if scene.actor in lanes.names:
        yield f'<circle class="dot" cx="{lanes.middle(scene.actor)}" cy="{y}" r="5"/>'


def _middle(row: int) -> int:
    return HEAD_HEIGHT + ROW_HEIGHT * row + ROW_HEIGHT // 2


def _text(x: int, y: int, kind: str, text: Any) -> str:
    return f'<text x="{x}" y="{y + 4}" class="{kind}">{escape(text)}</text>'


def _shortened(text: str) -> str:
    return shorten(text, MOST_CHARACTERS, placeholder=" …") if text else ""
