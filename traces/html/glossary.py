"""What a page says of actions and rules beside the run itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import field, frozen


@frozen
class Action:
    """An action: its docstring, where it is defined, and the ids of its rules."""

    text: str
    where: str = ""
    rules: tuple[str, ...] = ()


@frozen
class Rule:
    """A rule: what is to be said of it, and each function that models it, with text."""

    status: str
    reason: str = ""
    functions: Mapping[str, str] = field(factory=dict)


@frozen
class Glossary:
    """The explanations of a model; ``claim`` is that of the violated property."""

    actions: Mapping[str, Action] = field(factory=dict)
    rules: Mapping[str, Rule] = field(factory=dict)
    claim: str = ""

    def summary(self, action: str) -> str:
        """The first line on an action, or nothing if there is none."""
        found = self.actions.get(action)
        return found.text.partition("\n")[0] if found else ""

    def rules_of(self, actions: Iterable[str]) -> dict[str, Rule]:
        """The rules of some actions, by id, as far as they have a text."""
        named = {rule for action in actions for rule in self.actions[action].rules}
        return {rule: self.rules[rule] for rule in sorted(named) if rule in self.rules}
