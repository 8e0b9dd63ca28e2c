"""One run, taken by the model `cluster` and by Kafka's controllers at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from attrs import field, frozen

from replicheck.cli.conformance.controllers.cluster_cells import cluster_form
from replicheck.cli.conformance.controllers.controller_calls import (
    ClusterStep,
    beginning,
    commands,
)
from replicheck.cli.conformance.controllers.controller_cells import (
    Form,
    controller_form,
)
from replicheck.cli.conformance.controllers.event_steps import (
    Path,
    WholeSteps,
    replies_lost,
)
from replicheck.cli.conformance.differences import Difference, differences
from replicheck.cli.conformance.harness.errors import HarnessError
from replicheck.cli.conformance.known_differences import Judgement
from replicheck.cli.conformance.lockstep import Ending, HarnessLockstep
from replicheck.explorer.engines.simulation.shrinking import Choice
from replicheck.explorer.report import Step
from replicheck.model.cluster.state import Cluster

Choose = Callable[[Cluster], tuple[Choice, list[Path]] | None]
"""What is taken next in a state, with all ways to take it; None ends the run."""


@frozen
class ControllerRun:
    """What came of a run of controllers.

    ``choices`` are its whole steps, ``steps`` all steps of the model that they are.
    """

    ending: Ending
    start: Cluster
    choices: tuple[Choice, ...] = ()
    steps: tuple[Step[Any], ...] = ()
    differences: tuple[Difference, ...] = ()
    error: HarnessError | None = None
    known: Counter[str] = field(factory=Counter)


class ControllerLockstep(HarnessLockstep):
    """The model's controllers and Kafka's, compared after each whole step."""

    def begin(self, start: Cluster) -> tuple[Difference, ...]:
        """Have Kafka at an initial state of the model, and compare.

        Raises:
            HarnessError: if it cannot be brought there.
        """
        state = self.process.take([beginning(start)])
        return tuple(differences(cluster_form(start), controller_form(state)))

    def take(self, before: Cluster, paths: Sequence[Path]) -> tuple[Path, Judgement]:
        """Have Kafka take a whole step; which of the model's paths it took.

        If it took none, that of the fewest unexplained differences is returned.

        Raises:
            HarnessError: if Kafka cannot take it, or raises.
        """
        first = paths[0][0]
        called = self.called[first.action]
        lost = replies_lost(self.called, before, paths[0])
        after = paths[0][-1].state
        step = ClusterStep(called, dict(first.arguments), before, after, lost)
        kafka = controller_form(self.process.take(commands(step)))
        judged = [(path, self._judged(path, kafka, step)) for path in paths]
        path, judgement = min(judged, key=_how_different)
        self.met.update(known.name for known in judgement.known)
        return path, judgement

    def _judged(self, path: Path, kafka: Form, step: ClusterStep) -> Judgement:
        found = differences(cluster_form(path[-1].state), kafka)
        return self.register.explain(found, step, self.process.kafka)


def _how_different(judged: tuple[Path, Judgement]) -> tuple[int, int]:
    _, judgement = judged
    return len(judgement.unexplained), len(judgement.known)


def follow(
    lockstep: ControllerLockstep,
    start: Cluster,
    choose: Choose,
    met: Callable[[Cluster, Path], None] = lambda before, path: None,
) -> ControllerRun:
    """Take whole steps until there is none left, or something differs.

    Args:
        met: is told of each whole step that both took alike.
    """
    choices: list[Choice] = []
    steps: list[Step[Any]] = []

    def run(ending: Ending, *found: Difference, **more: Any) -> ControllerRun:
        taken = tuple(choices), tuple(steps)
        return ControllerRun(ending, start, *taken, found, **more)

    try:
        found = lockstep.begin(start)
        if found:
            return run(Ending.DIFFERS, *found)
        state = start
        while (chosen := choose(state)) is not None:
            choice, paths = chosen
            choices.append(choice)
            steps += paths[0][:1]
            path, judgement = lockstep.take(state, paths)
            steps[-1:] = path
            if judgement.unexplained:
                return run(Ending.DIFFERS, *judgement.unexplained)
            if judgement.ends_the_run():
                return run(Ending.KNOWN)
            met(state, path)
            state = path[-1].state
    except HarnessError as error:
        return run(Ending.ERROR, error=error)
    return run(Ending.SAME)


def replayed(
    lockstep: ControllerLockstep,
    whole: WholeSteps,
    start: Cluster,
    choices: Sequence[Choice],
) -> ControllerRun:
    """Take chosen whole steps; one that is not enabled is left out."""
    actions = {action.label: action for action in whole.actions}
    left = list(choices)

    def choose(state: Cluster) -> tuple[Choice, list[Path]] | None:
        while left:
            label, which = left.pop(0)
            paths = whole.choices(actions[label], state)
            if which < len(paths):
                return (label, which), paths[which]
        return None

    return follow(lockstep, start, choose)
