"""The states of a model by the plainest of searches, which no engine has a part in."""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.explorer.instances import instances
from replicheck.explorer.model import Model, S


def reachable(model: Model[S]) -> Iterator[S]:
    """Yield every reachable state once."""
    actions = instances(model.actions, model.domains)
    found = set(model.initial_states())
    frontier = list(found)
    while frontier:
        state = frontier.pop()
        yield state
        new = {after for action in actions for after in action(state)} - found
        found |= new
        frontier += new
