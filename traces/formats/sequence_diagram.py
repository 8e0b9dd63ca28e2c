"""Scenes: what a diagram shows of each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from replicheck.explorer.report import Trace
from replicheck.explorer.states.layout import Layout
from replicheck.traces.describer import Describer
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
