"""Shrinking: from a walk that violates a property to a short run that does.

First faults are left out, then steps, as long as the rest still leads to a violation
(delta debugging: Zeller and Hildebrandt, 2002). Then a bounded breadth-first search
looks for a shorter run with as few faults, by the actions that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from attrs import evolve, frozen

from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import instances
from replicheck.explorer.interpreter.judge import Judge
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.model import (
    ActionFunction,
    Domains,
    Model,
    Predicate,
    Symmetry,
)
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Trace, Violation

MOST_STATES = 300_000
"""As many states the search looks at, and ends with the level that reaches it."""

Choice = tuple[str, int]
"""An action with its arguments, by its label, and which of its next states."""
Found = TypeVar("Found")
Played = tuple[list[Choice], Found]
"""What was found, such as a violation, with the choices that lead to it."""
Test = Callable[[Sequence[Choice]], Played[Found] | None]


def shrink(
    model: Model[Any],
    claim: Property,
    violation: Violation[Any],
    threads: int = 1,
    most_states: int = MOST_STATES,
    faults: frozenset[str] = frozenset(),
    while_trying: Callable[[], None] = lambda: None,
) -> Violation[Any]:
    """A violation of the same property by a run that is not longer.

    Nor has it more steps by the actions that ``faults`` names. Shorter runs may come to
    states that none had before: what raises there, or breaks the contract, ends a try.

    Args:
        while_trying: is called before each try, and a few times a second in the search;
            may raise KeyboardInterrupt to end with the shortest run so far.
    """
    trials = _Trials(Player(model, claim), violation, while_trying)
    choices: Sequence[Choice] = trials.player.choices(violation.trace)
    try:
        if trials.violation(choices) is None:
            return violation
        choices = _without_faults(choices, trials.violation, faults)
        reduced(choices, trials.violation)
    except KeyboardInterrupt:
        return trials.shortest
    search = Search(Limits(most_states), watch=lambda progress: while_trying())
    shorter = _searched(model, claim, trials.shortest, threads, search)
    if shorter and count_faults(shorter.trace, faults) <= count_faults(
        trials.shortest.trace, faults
    ):
        return shorter
    return trials.shortest


class _Trials:
    """Trials of runs that may violate a property; each that does is the shortest."""

    def __init__(
        self,
        player: Player,
        violation: Violation[Any],
        while_trying: Callable[[], None],
    ) -> None:
        self.player, self.shortest = player, violation
        self._start, self._while_trying = violation.trace.start, while_trying

    def violation(self, choices: Sequence[Choice]) -> Played[Violation[Any]] | None:
        """The first violation on the way, as `Player.violation` has it."""
        self._while_trying()
        played = self.player.violation(self._start, choices)
        if played is not None:
            _, self.shortest = played
        return played


def count_faults(trace: Trace[Any], faults: frozenset[str]) -> int:
    """Number of steps of a run that are faults."""
    return sum(step.action in faults for step in trace.steps)


def _searched(
    model: Model[Any],
    claim: Property,
    found: Violation[Any],
    threads: int,
    search: Search,
) -> Violation[Any] | None:
    """A shortest run, if a search over its actions finds a shorter one."""
    most = len(found.trace.states) - 1
    if most < 1:
        return None
    used = {step.action for step in found.trace.steps}
    # Fewer actions would leave states without any that have one in the model.
    actions = [
        action
        for action in model.actions
        if claim.kind is Kind.DEADLOCK or action.__name__ in used
    ]
    no_longer = evolve(search, limits=evolve(search.limits, depth=most))
    narrowed = _Narrowed(
        model.name,
        tuple(actions),
        model.domains,
        model.constraints,
        tuple(model.initial_states()),
    )
    try:
        report = BreadthFirst(threads).explore(narrowed, [claim], no_longer)
    except ModelError:
        return None
    return next(iter(report.violations), None)


@frozen
class _Narrowed:
    """A model with some of its actions only."""

    name: str
    actions: tuple[ActionFunction, ...]
    domains: Domains
    constraints: Sequence[Predicate]
    starts: tuple[Any, ...]
    symmetries: tuple[Symmetry, ...] = ()

    def initial_states(self) -> tuple[Any, ...]:
        """The states in which runs begin."""
        return self.starts


class Player:
    """Replays choices, leaving out those that cannot be taken."""

    def __init__(self, model: Model[Any], claim: Property) -> None:
        self.claim = claim
        self.stepper = Stepper(model)
        self.judge = Judge(model, claim)
        self.constraints = instances(model.constraints, model.domains)

    def choices(self, trace: Trace[Any]) -> list[Choice]:
        """The choices that lead along a run."""
        found, before = [], trace.start
        for step in trace.steps:
            after = [x.state for x in self.stepper.steps_of(step.label, before)]
            found.append((step.label, after.index(step.state)))
            before = step.state
        return found

    def violation(
        self, start: Any, choices: Sequence[Choice]
    ) -> Played[Violation[Any]] | None:
        """The first violation on the way, with the choices that led to it.

        None also if a function raises before it.
        """
        try:
            return self._violation(start, choices)
        except Exception:
            return None

    def _violation(
        self, start: Any, choices: Sequence[Choice]
    ) -> Played[Violation[Any]] | None:
        state, taken, steps = start, [], []
        instance = self.judge.broken_instance(None, state)
        for label, which in choices:
            if instance or self._is_cut(state):
                break
            alternatives = self.stepper.steps_of(label, state)
            if which < len(alternatives):
                step = alternatives[which]
                instance = self.judge.broken_instance(state, step.state)
                state = step.state
                steps.append(step)
                taken.append((label, which))
        if not instance:
            return None
        trace = Trace(start, tuple(steps))
        return taken, Violation(self.claim.name, self.claim.kind, instance, trace)

    def _is_cut(self, state: Any) -> bool:
        return not all(constraint(state) for constraint in self.constraints)


def _without_faults(
    choices: Sequence[Choice], test: Test[Any], faults: frozenset[str]
) -> Sequence[Choice]:
    """Leave out the faults that can be spared, the last ones first."""
    for place in range(len(choices) - 1, -1, -1):
        if place < len(choices) and choices[place][0].partition("(")[0] in faults:
            found = test([*choices[:place], *choices[place + 1 :]])
            choices = found[0] if found is not None else choices
    return choices


def reduced(choices: Sequence[Choice], test: Test[Found]) -> Played[Found]:
    """Leave out stretches of choices, ever shorter ones, while the test finds one."""
    best = test(choices)
    assert best is not None, "the walk violates the property"
    size = max(1, len(best[0]) // 2)
    while True:
        shorter = _without_some(best[0], size, test)
        if shorter is not None:
            best = shorter
        elif size == 1:
            return best
        else:
            size = max(1, size // 2)


def _without_some(
    choices: Sequence[Choice], size: int, test: Test[Found]
) -> Played[Found] | None:
    """The rest without a stretch of this size, the last that can be spared."""
    for begin in range(len(choices) - size, -1, -1):
        found = test([*choices[:begin], *choices[begin + size :]])
        if found is not None and len(found[0]) < len(choices):
            return found
    return None
