"""Simulations of a task, with one strategy or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

from replicheck.cli.results.walk_outcome import INCOMPLETE, WalkOutcome
from replicheck.cli.runs.learning_hints import learning_hints
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engines.simulation.shrinking import shrink
from replicheck.explorer.engines.simulation.simulation import (
    MakeStrategy,
    WalkLimits,
    simulate,
)
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.engines.simulation.strategies import (
    Priorities,
    SpreadFaults,
    Strategy,
    Uniform,
    group_numbers,
)
from replicheck.explorer.engines.simulation.walk_progress import WalkWatch, WalkWatches
from replicheck.explorer.learning.learned_functions import LearnedFunction
from replicheck.explorer.learning.learner import Learner

ALL = "all"
STRATEGIES = ("uniform", "priorities", "faults")


def makers(task: Task, name: str) -> list[MakeStrategy]:
    """Factories of the strategies of a name, in the order of their use."""
    names = STRATEGIES if name == ALL else (name,)
    return [_maker(task, name) for name in names]


def _maker(task: Task, name: str) -> MakeStrategy:
    describer = task.system.describer
    environment = {action.__name__ for action in task.system.environment}

    def make(functions: Sequence[LearnedFunction]) -> Strategy:
        every = [function.instance for function in functions]
        if name == "priorities":
            return Priorities(
                group_numbers(
                    [
                        describer.actor(instance.name, dict(instance.arguments))
                        for instance in every
                    ]
                )
            )
        if name == "faults":
            marks = [instance.name in environment for instance in every]
            return SpreadFaults(np.array(marks, np.int32))
        return Uniform()

    return make


def walk_strategies(
    task: Task,
    name: str,
    seed: int,
    limits: WalkLimits,
    threads: int,
    watch: WalkWatch,
) -> list[Simulation[Any]]:
    """Simulations by the strategies of a name, each with its part of the limits.

    The first that finds a violation is the last.

    Raises:
        ModelError: if the model breaks the contract.
    """
    chosen, model = makers(task, name), task.model
    part = attrs.evolve(
        limits,
        walks=limits.walks and -(-limits.walks // len(chosen)),
        seconds=limits.seconds and limits.seconds / len(chosen),
    )
    done: list[Simulation[Any]] = []
    learner: Learner | None = None
    for make in chosen:
        found = simulate(
            model, task.properties, make, seed, part, threads, watch, learner
        )
        done.append(found)
        learner = found.learner
        if found.violations or found.failure or found.cut in INCOMPLETE:
            break
    return done


def simulate_task(
    task: Task,
    name: str,
    seed: int,
    limits: WalkLimits,
    threads: int,
    watches: WalkWatches,
) -> WalkOutcome:
    """Outcome of `walk_strategies`, the run to a violation minimised.

    Raises:
        ModelError: if the model breaks the contract.
    """
    done = walk_strategies(task, name, seed, limits, threads, watches.walks)
    if done[-1].violations:
        return _with_violation(task, seed, done, threads, watches.shrinking)
    steps = sum(simulation.steps for simulation in done)
    last = done[-1].learner
    hints = learning_hints([last] if last else [], steps)
    return WalkOutcome(task, seed, tuple(done), slow=hints)


def _with_violation(
    task: Task,
    seed: int,
    done: Sequence[Simulation[Any]],
    threads: int,
    while_trying: Callable[[], None],
) -> WalkOutcome:
    first = done[-1].violations[0]
    claim = next(claim for claim in task.properties if claim.name == first.property)
    walked = len(first.trace.states)
    shorter = shrink(task.model, claim, first, threads, while_trying=while_trying)
    return WalkOutcome(task, seed, tuple(done), shorter, walked)
