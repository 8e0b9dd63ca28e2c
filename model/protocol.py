"""A protocol: named actions, of which another protocol replaces some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from attrs import evolve, frozen

Action = Callable[..., Iterator[Any]]


@frozen
class Protocol:
    """The actions that a system takes. Their order is the order of exploration."""

    name: str
    actions: tuple[Action, ...]

    def named(self, name: str) -> Self:
        """Return the same actions under another name."""
        return evolve(self, name=name)

    def replacing(self, old: Action, by: Action) -> Self:
        """Return the protocol with one action replaced, in the same place.

        Raises:
            ValueError: if the protocol does not have the action.
        """
        if old not in self.actions:
            raise ValueError(f"{self.name} has no action {old.__name__} to replace")
        actions = tuple(by if each is old else each for each in self.actions)
        return evolve(self, actions=actions)

    def adding(self, action: Action) -> Self:
        """Return the protocol with one more action, explored last."""
        return evolve(self, actions=(*self.actions, action))
