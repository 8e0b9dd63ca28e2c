"""A protocol: named actions and rules, of which another protocol replaces some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

from attrs import evolve, frozen

from replicheck.model.rules import Replacements, is_rule, name_of

Action = Callable[..., Iterator[Any]]


@frozen
class Protocol:
    """The actions that a system takes. Their order is the order of exploration.

    ``replacements`` name the rules inside them for which others run.
    """

    name: str
    actions: tuple[Action, ...]
    replacements: Replacements = ()

    def named(self, name: str) -> Self:
        """Return the same actions under another name."""
        return evolve(self, name=name)

    def replacing(self, old: Callable[..., Any], by: Callable[..., Any]) -> Self:
        """Return the protocol with one action replaced, in the same place, or one rule.

        Raises:
            ValueError: if the protocol does not have the action.
        """
        if old in self.actions:
            actions = tuple(by if each is old else each for each in self.actions)
            return evolve(self, actions=actions)
        if is_rule(old):
            others = dict(self.replacements) | {name_of(old): name_of(by)}
            return evolve(self, replacements=tuple(others.items()))
        raise ValueError(f"{self.name} has no action {old.__name__} to replace")

    def adding(self, action: Action) -> Self:
        """Return the protocol with one more action, explored last."""
        return evolve(self, actions=(*self.actions, action))
