"""Repetition: what a run that goes on for ever does at its end."""

from __future__ import annotations

from attrs import frozen

from replicheck.traces.json_lines import SavedTrace


@frozen
class Repetition:
    """The steps behind ``state`` up to ``last``, again and again; both count from 1.

    Without such steps the run stays in its last state.
    """

    state: int
    last: int

    @property
    def takes_steps(self) -> bool:
        """Whether the run takes steps for ever."""
        return self.state < self.last

    @property
    def text(self) -> str:
        """What the run does for ever, in a line."""
        if self.takes_steps:
            return f"for ever: state {self.last} is state {self.state} again"
        return f"stays in state {self.last} for ever"


def repetition_of(saved: SavedTrace) -> Repetition | None:
    """The repetition of a saved run, if it has one."""
    if saved.header.loop is None:
        return None
    return Repetition(saved.header.loop + 1, len(saved.trace.states))
