"""The first difference of two models: the shortest common run after which they part.

Both models have the same states. The states that both reach by common steps are visited
level by level, and the next states compared; so the first difference is a nearest one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Generic

from attrs import frozen

from replicheck.explorer.engine import Limits, Progress, Watch, unwatched
from replicheck.explorer.instances import Instance, instances
from replicheck.explorer.model import Model, S
from replicheck.explorer.report import Step, Trace

PROGRESS_EVERY = 256
"""States between two looks at the clock."""


@frozen
class Difference(Generic[S]):
    """The run that both models have, and the steps that only one of them has then."""

    trace: Trace[S]
    only_first: tuple[Step[S], ...]
    only_second: tuple[Step[S], ...]


@frozen
class Comparison(Generic[S]):
    """What a comparison found in so many common states.

    Without a difference and a cut all common states were compared. ``cut`` names the
    limit that ended it.
    """

    states: int
    difference: Difference[S] | None = None
    cut: str | None = None


def compare(
    first: Model[S],
    second: Model[S],
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    watch: Watch = unwatched,
) -> Comparison[S]:
    """Compare the steps of two models in every state that both reach alike.

    A step that changes nothing is no step. A state beyond a constraint has none.

    Raises:
        ValueError: if the models do not begin in the same states.
    """
    starts = list(dict.fromkeys(first.initial_states()))
    if set(starts) != set(second.initial_states()):
        raise ValueError("they do not begin in the same states")
    steps = _Steps(first), _Steps(second)
    parents: dict[S, tuple[S, Step[S]] | None] = dict.fromkeys(starts)
    level, depth, begin = starts, 1, time.monotonic()
    while level:
        found: list[S] = []
        for number, state in enumerate(level):
            before, after = (dict(steps_of_one.of(state)) for steps_of_one in steps)
            if before.keys() != after.keys():
                return Comparison(
                    len(parents),
                    Difference(
                        _trace(parents, state),
                        tuple(v for k, v in before.items() if k not in after),
                        tuple(v for k, v in after.items() if k not in before),
                    ),
                )
            for next_state, step in before.items():
                if next_state not in parents:
                    parents[next_state] = state, step
                    found.append(next_state)
            if number % PROGRESS_EVERY == 0:
                seconds = time.monotonic() - begin
                left = len(level) - number
                watch(Progress(depth, len(parents), len(parents), left, seconds))
                cut = reached_limit(limits, len(parents), depth, seconds)
                if cut is not None:
                    return Comparison(len(parents), cut=cut)
        level, depth = found, depth + 1
    return Comparison(len(parents))


def reached_limit(
    limits: Limits, states: int, depth: int, seconds: float
) -> str | None:
    """The limit that is reached, if any."""
    reached = {"states": states, "depth": depth, "seconds": seconds}
    for name, amount in reached.items():
        limit = getattr(limits, name)
        if limit is not None and amount >= limit:
            return name
    return None


class _Steps(Generic[S]):
    """The steps of one model."""

    def __init__(self, model: Model[S]) -> None:
        self.actions: tuple[Instance, ...] = instances(model.actions, model.domains)
        self.constraints = instances(model.constraints, model.domains)

    def of(self, state: S) -> Iterator[tuple[S, Step[S]]]:
        """Yield each next state with a step to it."""
        if not all(constraint(state) for constraint in self.constraints):
            return
        for action in self.actions:
            for after in action(state):
                if after != state:
                    yield after, Step(action.name, dict(action.arguments), after)


def _trace(parents: dict[S, tuple[S, Step[S]] | None], state: S) -> Trace[S]:
    steps: list[Step[S]] = []
    parent = parents[state]
    while parent is not None:
        state, step = parent
        steps.append(step)
        parent = parents[state]
    return Trace(state, tuple(reversed(steps)))
