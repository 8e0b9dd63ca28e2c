"""A campaign of random walks that the model and Kafka take at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any

from attrs import field, frozen

from replicheck.cli.conformance.coverage import NEW, Coverage
from replicheck.cli.conformance.lockstep import (
    FAILED,
    Ending,
    RunOutcome,
    SteppedLockstep,
    replay,
)
from replicheck.explorer.engines.simulation.shrinking import Choice, Played, reduced
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.report import Step

WEIGHTS = (1, 2, 4, 8)
"""How much a walk prefers each action, drawn anew for every walk."""


@frozen
class Extent:
    """How far a campaign goes: walks, the most steps of each, and seconds."""

    walks: int
    steps: int
    seconds: float | None = None


@frozen
class CampaignReport:
    """What came of a campaign."""

    endings: Counter[Ending]
    steps: int
    seconds: float
    known: Counter[str]
    failure: RunOutcome | None = None
    """The first run in which something differs, made small."""
    length: int = 0
    """How many steps that run had before."""

    @property
    def walks(self) -> int:
        """How many walks were taken."""
        return self.endings.total()


@frozen
class StepDrawer:
    """Draws the steps of walks from a model, after the steps of its setup."""

    model: Any
    setup: Sequence[Step[Any]]
    coverage: Coverage
    actions: tuple[Instance, ...] = field(init=False)

    @actions.default
    def _actions(self) -> tuple[Instance, ...]:
        return instances(self.model.actions, self.model.domains)

    def walk(self, random: Random, most: int) -> Iterator[Step[Any]]:
        """Yield steps; each is counted once the next one is asked for."""
        before = next(iter(self.model.initial_states()))
        for step in self.setup:
            yield step
            before = step.state
        names = {action.name for action in self.actions}
        preferred = {name: random.choice(WEIGHTS) for name in sorted(names)}
        self.coverage.begin()
        for _ in range(most):
            choices = [(a, after) for a in self.actions for after in a(before)]
            if not choices:
                return
            new = [a for a in self.actions if self.coverage.is_new(a.name)]
            weights = [
                preferred[a.name] * self.coverage.weight(a.name) * _lead(new, after)
                for a, after in choices
            ]
            ((action, after),) = random.choices(choices, weights)
            arguments = dict(action.arguments)
            yield Step(action.name, arguments, after)
            self.coverage.add(action.name, arguments, before)
            before = after


def _lead(new: Iterable[Instance], after: Any) -> float:
    """How much a walk is drawn to a state: to one where it can do what is new."""
    return NEW if any(True for action in new for _ in action(after)) else 1.0


def campaign(
    lockstep: SteppedLockstep,
    drawer: StepDrawer,
    seed: int,
    extent: Extent,
    tell: Callable[[int], None] = lambda walks: None,
) -> CampaignReport:
    """Take walks until one differs, which is made small, or the extent is reached.

    Args:
        tell: is told how many walks were taken, after each.
    """
    endings: Counter[Ending] = Counter()
    steps, began, met = 0, time.monotonic(), Counter(lockstep.met)
    failure, length = None, 0
    for number in range(extent.walks):
        random = Random(f"{seed} {number}")
        start = next(iter(drawer.model.initial_states()))
        outcome = replay(lockstep, start, drawer.walk(random, extent.steps))
        endings[outcome.ending] += 1
        steps += len(outcome.steps)
        tell(number + 1)
        if outcome.ending in FAILED:
            length = len(outcome.steps)
            failure = shrunk(lockstep, drawer.model, outcome)
            break
        spent = time.monotonic() - began
        if extent.seconds is not None and spent > extent.seconds:
            break
    return CampaignReport(
        endings,
        steps,
        time.monotonic() - began,
        lockstep.met - met,
        failure,
        length,
    )


def shrunk(lockstep: SteppedLockstep, model: Any, failure: RunOutcome) -> RunOutcome:
    """The same difference by a run that is not longer (delta debugging)."""
    actions = {a.label: a for a in instances(model.actions, model.domains)}
    wanted = signature(failure)

    def test(choices: Sequence[Choice]) -> Played[RunOutcome] | None:
        taken, steps = _taken(actions, failure.start, choices)
        outcome = replay(lockstep, failure.start, steps)
        if signature(outcome) != wanted:
            return None
        return taken[: len(outcome.steps)], outcome

    choices = _choices(actions, failure)
    if test(choices) is None:
        return failure
    _, found = reduced(choices, test)
    return found


def signature(outcome: RunOutcome) -> object:
    """What must stay the same while a run is made small: the last action, the cells."""
    if outcome.ending not in FAILED:
        return None
    last = outcome.steps[-1].action if outcome.steps else ""
    if outcome.error is not None:
        return (last, outcome.error.kind)
    kinds = {d.cell.rpartition("/")[2] for d in outcome.differences}
    return (last, frozenset(kinds))


def _choices(actions: dict[str, Instance], outcome: RunOutcome) -> list[Choice]:
    found, before = [], outcome.start
    for step in outcome.steps:
        found.append((step.label, list(actions[step.label](before)).index(step.state)))
        before = step.state
    return found


def _taken(
    actions: dict[str, Instance], start: Any, choices: Sequence[Choice]
) -> tuple[list[Choice], list[Step[Any]]]:
    """Take choices in the model; a choice that cannot be taken is left out."""
    state, taken, steps = start, [], []
    for label, which in choices:
        after = list(actions[label](state))
        if which < len(after):
            state = after[which]
            action = actions[label]
            taken.append((label, which))
            steps.append(Step(action.name, dict(action.arguments), state))
    return taken, steps
