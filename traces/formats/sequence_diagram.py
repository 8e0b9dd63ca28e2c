"""Scenes: what a diagram shows of each step; diagrams as text in one notation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from attrs import frozen

from replicheck.explorer.report import Trace
from replicheck.explorer.states.layout import Layout
from replicheck.traces.describer import Describer
from replicheck.traces.formats.repetition import repetition_of
from replicheck.traces.json_lines import SavedTrace
from replicheck.traces.state_diff import changes
from replicheck.traces.value_text import note_change

MOST = 72
"""Characters of a note; what is longer ends with an ellipsis."""


@frozen
class Scene:
    """A step: its number and label, who acts, who tells whom, what changes.

    ``number`` is that of the state to which the step leads, from 2.
    """

    number: int
    label: str
    actor: str | None
    messages: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """Number and label."""
        return f"{self.number} {self.label}"


class Notation(Protocol):
    """How a format writes the parts of a sequence diagram; lanes are told by ids."""

    def head(self, title: str) -> Iterator[str]:
        """Yield what stands above the lanes."""

    def lane(self, name: str, identity: str) -> str:
        """The line that declares a lane."""

    def message(self, source: str, target: str, text: str) -> str:
        """The line of a message from a lane to a lane."""

    def note(self, lanes: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
        """Yield a note over a lane, or over all from the first to the last."""

    def loop(self, text: str) -> str:
        """The line that begins what repeats; a line ``end`` ends it."""

    def foot(self) -> Iterator[str]:
        """Yield what stands below the last note."""


def sequence_diagram(
    saved: SavedTrace, describer: Describer, notation: Notation
) -> str:
    """A saved run as a sequence diagram."""
    return "\n".join(_lines(saved, describer, notation)) + "\n"


def _lines(
    saved: SavedTrace, describer: Describer, notation: Notation
) -> Iterator[str]:
    lanes = describer.lanes(saved.trace.start)
    ids = {lane: f"L{number}" for number, lane in enumerate(lanes)}
    yield from notation.head(saved.header.title())
    for lane in lanes:
        yield notation.lane(lane, ids[lane])
    everyone = ids[lanes[0]], ids[lanes[-1]]
    repetition = repetition_of(saved)
    for scene in scenes(saved.trace, describer):
        if repetition is not None and scene.number == repetition.state + 1:
            yield notation.loop(repetition.text)
        for source, target in scene.messages:
            yield notation.message(ids[source], ids[target], scene.title)
        title = () if scene.messages else (scene.title,)
        actor = ids.get(scene.actor or "")
        if notes := (*title, *scene.notes):
            yield from notation.note((actor,) if actor else everyone, notes)
    if repetition is not None and repetition.takes_steps:
        yield "end"
    elif repetition is not None:
        yield from notation.note(everyone, (repetition.text,))
    if saved.header.instance:
        yield from notation.note(everyone, (f"breaks {saved.header.instance}",))
    yield from notation.foot()


def scenes(trace: Trace[Any], describer: Describer) -> Iterator[Scene]:
    """Yield the scene of each step."""
    layout = Layout.of(trace.start)
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        changed = changes(layout, before, step.state)
        names = [str(change.cell) for change in changed]
        told = describer.messages(step.action, step.arguments, names)
        yield Scene(
            number,
            step.label,
            describer.actor(step.action, step.arguments),
            tuple((message.source, message.target) for message in told),
            tuple(
                _shortened(f"{change.cell} {note_change(change.old, change.new)}")
                for change in changed
            ),
        )
        before = step.state


def _shortened(text: str) -> str:
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"
