"""Random walks that the model `cluster` and Kafka's controllers take at once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from attrs import frozen

from replicheck.cli.conformance.controllers.controller_lockstep import (
    ControllerLockstep,
    ControllerRun,
    follow,
    replayed,
)
from replicheck.cli.conformance.controllers.event_steps import Path, WholeSteps
from replicheck.cli.conformance.coverage import Coverage
from replicheck.cli.conformance.lockstep import FAILED, Ending
from replicheck.cli.conformance.walks import WEIGHTS, Extent
from replicheck.explorer.engines.simulation.shrinking import Choice, Played, reduced
from replicheck.model.cluster.state import Cluster


@frozen
class ControllerCampaign:
    """What came of walks of controllers, and the first that differs, made small."""

    endings: Counter[Ending]
    events: int
    steps: int
    seconds: float
    failure: ControllerRun | None = None
    length: int = 0


@frozen
class ControllerWalks:
    """Walks of a scenario, after the steps of its setup."""

    lockstep: ControllerLockstep
    whole: WholeSteps
    setup: Sequence[Path]
    coverage: Coverage

    @property
    def start(self) -> Cluster:
        """The state in which each walk begins."""
        state: Cluster = next(iter(self.whole.model.initial_states()))
        return state

    def campaign(self, seed: int, extent: Extent) -> ControllerCampaign:
        """Take walks until one differs, which is made small, or the extent is reached.

        The steps of an extent are whole ones.
        """
        endings: Counter[Ending] = Counter()
        events, steps, began = 0, 0, time.monotonic()
        failure, length = None, 0
        for number in range(extent.walks):
            run = self.walk(Random(f"{seed} {number}"), extent.steps)
            endings[run.ending] += 1
            events += len(run.choices)
            steps += len(run.steps)
            if run.ending in FAILED:
                failure, length = self.shrunk(run), len(run.choices)
                break
            spent = time.monotonic() - began
            if extent.seconds is not None and spent > extent.seconds:
                break
        spent = time.monotonic() - began
        return ControllerCampaign(endings, events, steps, spent, failure, length)

    def walk(self, random: Random, most: int) -> ControllerRun:
        """Take one walk."""
        names = sorted({action.name for action in self.whole.actions})
        preferred = {name: random.choice(WEIGHTS) for name in names}
        setup = list(self.setup)
        left = [most]
        self.coverage.begin()

        def choose(state: Cluster) -> tuple[Choice, list[Path]] | None:
            if setup:
                path = setup.pop(0)
                return self.whole.choice(state, path), [path]
            left[0] -= 1
            enabled = [a for a in self.whole.actions if _can_be_taken(a, state)]
            if not enabled or left[0] < 0:
                return None
            while enabled:
                weights = [
                    preferred[a.name] * self.coverage.weight(a.name) for a in enabled
                ]
                (action,) = random.choices(enabled, weights)
                if found := self.whole.choices(action, state):
                    which = random.randrange(len(found))
                    return (action.label, which), found[which]
                enabled.remove(action)
            return None

        return follow(self.lockstep, self.start, choose, self._add)

    def _add(self, before: Cluster, path: Path) -> None:
        for step in path:
            self.coverage.add(step.action, dict(step.arguments), before)
            before = step.state

    def shrunk(self, failure: ControllerRun) -> ControllerRun:
        """The same difference by a run that is not longer (delta debugging)."""
        wanted = signature(failure)

        def test(choices: Sequence[Choice]) -> Played[ControllerRun] | None:
            run = replayed(self.lockstep, self.whole, failure.start, choices)
            return (list(run.choices), run) if signature(run) == wanted else None

        if test(failure.choices) is None:
            return failure
        _, found = reduced(failure.choices, test)
        return found


def signature(run: ControllerRun) -> object:
    """What stays the same while a run is made small: the last action, the cells."""
    if run.ending not in FAILED:
        return None
    last = run.choices[-1][0].partition("(")[0] if run.choices else ""
    if run.error is not None:
        return last, run.error.kind
    return last, frozenset(d.cell.rpartition("/")[2] for d in run.differences)


def _can_be_taken(action: Any, state: Cluster) -> bool:
    return any(True for _ in action(state))
