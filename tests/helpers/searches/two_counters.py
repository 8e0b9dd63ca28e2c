"""Two counters, of which the right one is never ahead of the left."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import field, frozen

from replicheck.model.state_base import Cells


@frozen
class TwoCounters(Cells):
    """Two counters up to a limit."""

    limit: int = field(eq=False)
    left: int = 0
    right: int = 0


def add_left(state: TwoCounters) -> Iterator[TwoCounters]:
    """Add 1 to the left counter."""
    if state.left < state.limit:
        yield state.evolve(left=state.left + 1)


def add_right(state: TwoCounters) -> Iterator[TwoCounters]:
    """Add 1 to the right counter, which the left one is never behind."""
    if state.right < state.left:
        yield state.evolve(right=state.right + 1)
