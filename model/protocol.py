"""Protocols, of which one replaces actions and rules of another, and their models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self

from attrs import evolve, field, frozen

from replicheck.model.rules import (
    Replacements,
    function_named,
    is_rule,
    name_of,
    register,
)

Action = Callable[..., Iterator[Any]]


@frozen
class Protocol:
    """The actions that a system takes. Their order is the order of exploration.

    ``replacements`` name the rules inside them for which others run. ``original`` is
    the protocol of which this one is a mutation, if it is one.
    """

    name: str
    actions: tuple[Action, ...]
    replacements: Replacements = ()
    original: Protocol | None = None

    def named(self, name: str) -> Self:
        """The same actions under another name."""
        return evolve(self, name=name)

    def mutating(self, original: Protocol) -> Self:
        """The protocol as a mutation of another."""
        return evolve(self, original=original)

    def replacing(self, old: Callable[..., Any], by: Callable[..., Any]) -> Self:
        """The protocol with one action replaced, in the same place, or one rule.

        Raises:
            ValueError: if the protocol does not have the action.
        """
        if old in self.actions:
            actions = tuple(by if action is old else action for action in self.actions)
            return evolve(self, actions=actions)
        if is_rule(old):
            others = dict(self.replacements) | {name_of(old): register(by)}
            return evolve(self, replacements=tuple(others.items()))
        raise ValueError(f"{self.name} has no action {old.__name__} to replace")

    def replaces(self, rule: Callable[..., Any]) -> bool:
        """Tell whether another function runs in the place of a rule."""
        return name_of(rule) in dict(self.replacements)

    def adding(self, action: Action) -> Self:
        """The protocol with one more action, explored last."""
        return evolve(self, actions=(*self.actions, action))

    def without(self, action: Action) -> Self:
        """The protocol but for one action.

        Raises:
            ValueError: if the protocol does not have it.
        """
        if action not in self.actions:
            raise ValueError(f"{self.name} has no action {action.__name__} to omit")
        return evolve(self, actions=tuple(a for a in self.actions if a is not action))

    def allowed_by(
        self, bounds: Any, budgets: Mapping[str, tuple[str, ...]]
    ) -> tuple[Action, ...]:
        """The actions but those that bounds rule out.

        ``budgets`` has, for actions by name, bounds of which one must not be 0.
        """
        return tuple(
            action
            for action in self.actions
            if action.__name__ not in budgets
            or any(getattr(bounds, name) for name in budgets[action.__name__])
        )

    @property
    def changes(self) -> tuple[Callable[..., Any], ...]:
        """The actions and rules in which it differs from its original."""
        if self.original is None:
            return ()
        known = self.original.actions
        actions = [action for action in self.actions if action not in known]
        rules = set(self.replacements) - set(self.original.replacements)
        return (*actions, *(function_named(by) for _, by in sorted(rules)))


def states_begun(begun: Any) -> tuple[Any, ...]:
    """The states of a beginning, which is one state or a tuple of several."""
    return begun if isinstance(begun, tuple) else (begun,)


@frozen
class ProtocolModel:
    """Model: a system under one protocol, within bounds, from its initial states on.

    ``begin`` makes the initial state of the bounds, or a tuple of several; ``start`` is
    there if runs begin elsewhere: a state or a tuple, too. ``domains`` has the values
    of each type of parameter; ``budgets``, for actions by name, bounds of which one
    must not be 0.
    """

    name: str
    protocol: Protocol
    bounds: Any
    begin: Callable[[Any], Any]
    domains: Mapping[object, tuple[object, ...]] = field(eq=False)
    budgets: Mapping[str, tuple[str, ...]] = field(eq=False, factory=dict)
    symmetries: Iterable[Any] = ()
    constraints: tuple[Callable[..., bool], ...] = ()
    start: Any = None

    @property
    def actions(self) -> tuple[Action, ...]:
        """The protocol's actions that the bounds allow at all."""
        return self.protocol.allowed_by(self.bounds, self.budgets)

    def initial_states(self) -> Iterator[Any]:
        """Yield the initial states, which know the rules of the protocol."""
        begun = self.begin(self.bounds) if self.start is None else self.start
        replacements = self.protocol.replacements
        for state in states_begun(begun):
            if getattr(state, "replacements", ()) == replacements:
                yield state
            else:
                yield evolve(state, replacements=replacements)


def mutations_of(
    original: Protocol, by_name: Mapping[str, Protocol]
) -> tuple[Protocol, ...]:
    """Protocols under their names, each as a mutation of the original."""
    return tuple(
        protocol.named(name).mutating(original) for name, protocol in by_name.items()
    )
