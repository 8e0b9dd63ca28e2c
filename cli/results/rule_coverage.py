"""Which rules of Kafka a run made use of: those of the actions that were taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from attrs import frozen

from replicheck.cli.results.result import Result
from replicheck.invariants.catalogue.rules import Rule, rules, rules_of

Key = tuple[str, str]
"""A model, and the id of a rule of it."""


@frozen
class RuleCoverage:
    """A rule, the actions of this run that model it, and how many steps they took.

    A rule without such an action is modelled by a function that actions call, or not at
    all; nothing is counted of it.
    """

    rule: Rule
    actions: tuple[str, ...]
    steps: int

    @property
    def state(self) -> str:
        """Use of the rule by the run, in a word."""
        if self.actions:
            return "taken" if self.steps else "never taken"
        modelled = self.rule.status == "modelled"
        return "in no action of this run" if modelled else self.rule.status


def rule_coverage(results: Sequence[Result]) -> list[RuleCoverage]:
    """Every rule that there is, in its order, as this run made use of it."""
    steps: Counter[Key] = Counter()
    actions: dict[Key, dict[str, None]] = {}
    for action, named, taken in _taken(results):
        for key in named:
            steps[key] += taken
            actions.setdefault(key, {})[action] = None
    return [
        RuleCoverage(rule, tuple(actions.get(key, ())), steps[key])
        for rule in rules()
        for key in [(rule.model, rule.id)]
    ]


def _taken(results: Sequence[Result]) -> Iterator[tuple[str, list[Key], int]]:
    """Yield each action of each result with its rules and its steps."""
    for result in results:
        model = result.task.system.name
        scenario = result.task.scenario
        protocol = result.task.system.protocol(scenario.protocol, scenario.reductions)
        for action in protocol.actions:
            count = result.report.actions.get(action.__name__)
            if count is not None:
                named = [(model, rule) for rule in rules_of(action)]
                yield action.__name__, named, count.generated
