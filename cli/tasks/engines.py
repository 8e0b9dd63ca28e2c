"""The engines by name. Each is imported only when it is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from replicheck.cli.console.errors import Unavailable
from replicheck.cli.tasks.engine_settings import Counting, Settings
from replicheck.explorer.engine import CheckpointSettings, Engine, Resumable, Search
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report
from replicheck.invariants.catalogue.systems import System

if TYPE_CHECKING:
    from replicheck.cli.tasks.task import Task
    from replicheck.explorer.engines.liveness.engine import LivenessEngine
    from replicheck.explorer.engines.partitioned.engine import Partitioned
    from replicheck.explorer.liveness.fairness import Fairness


def _naive(settings: Settings, keep: CheckpointSettings | None) -> Engine:
    from replicheck.explorer.engines.reference.naive import Naive

    return Naive()


def _numpy_walk(settings: Settings, keep: CheckpointSettings | None) -> Engine:
    from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk

    return NumpyWalk()


def _breadth_first(
    settings: Settings, keep: CheckpointSettings | None
) -> Engine | Resumable:
    if settings.counting is Counting.REDUCED:
        return _reduced(settings)
    from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
    from replicheck.explorer.frontier.state_keys import KeyPrecision
    from replicheck.explorer.learning.learner import SAMPLE
    from replicheck.explorer.states.symmetry import Reduction

    reductions = {
        Counting.ALL: Reduction.NONE,
        Counting.UP_TO_SYMMETRY: Reduction.SYMMETRY,
    }
    return BreadthFirst(
        threads=settings.threads,
        sample=1 if settings.paranoid else SAMPLE,
        reduction=reductions[settings.counting],
        fingerprints=KeyPrecision(settings.fingerprints),
        keep=keep,
    )


def _reduced(settings: Settings) -> Engine:
    """The reduced search, which keeps no checkpoint."""
    from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
    from replicheck.explorer.frontier.state_keys import KeyPrecision
    from replicheck.explorer.learning.learner import SAMPLE

    return ReducedBreadthFirst(
        threads=settings.threads,
        sample=1 if settings.paranoid else SAMPLE,
        fingerprints=KeyPrecision(settings.fingerprints),
        reduce_beyond=settings.reduce_beyond,
    )


def _spark(settings: Settings, keep: CheckpointSettings | None) -> Engine | Resumable:
    if settings.counting is not Counting.REDUCED:
        return _partitioned(settings, keep)
    from replicheck.explorer.engines.reduced.partitioned_engine import (
        ReducedPartitioned,
    )

    return ReducedPartitioned(_partitioned(settings, None), settings.reduce_beyond)


def _partitioned(settings: Settings, keep: CheckpointSettings | None) -> Partitioned:
    from replicheck.explorer.engines.partitioned.engine import (
        BUCKETS,
        PATIENCE,
        Partitioned,
    )
    from replicheck.explorer.frontier.state_keys import KeyPrecision
    from replicheck.explorer.learning.learner import SAMPLE
    from replicheck.explorer.states.symmetry import Reduction

    try:
        from replicheck.explorer.engines.partitioned.spark.runner import spark
    except ImportError as error:
        raise Unavailable(
            f"the engine spark needs {error.name}, which is not installed: pip install"
            " 'replicheck[spark]'"
        ) from error
    from replicheck.invariants.catalogue.own.module_loading import own_files

    is_reduced = settings.counting is Counting.UP_TO_SYMMETRY
    return Partitioned(
        buckets=settings.buckets or BUCKETS,
        cluster=spark(settings.master, own_files()),
        keep=keep,
        store=settings.store,
        patience=PATIENCE,
        sample=1 if settings.paranoid else SAMPLE,
        reduction=Reduction.SYMMETRY if is_reduced else Reduction.NONE,
        states=settings.states,
        fingerprints=KeyPrecision(settings.fingerprints),
        name="spark",
    )


@frozen
class EngineChoice:
    """An engine that a user can choose.

    ``limits`` names the fields of `Limits` that it heeds, ``settings`` those of
    `Settings`. One that is not ``resumable`` keeps no checkpoints.
    """

    summary: str
    make: Callable[[Settings, CheckpointSettings | None], Engine | Resumable]
    limits: frozenset[str]
    settings: frozenset[str] = frozenset()
    resumable: bool = False


ENGINES: Mapping[str, EngineChoice] = {
    "breadth-first": EngineChoice(
        "breadth-first over learned tables, compiled, on all cores",
        _breadth_first,
        frozenset({"states", "depth", "seconds", "memory", "disk"}),
        frozenset(
            {"counting", "threads", "fingerprints", "paranoid", "livelocks"}
            | {"reduce_beyond"}
        ),
        resumable=True,
    ),
    "naive": EngineChoice(
        "breadth-first over Python values; simple and slow, the oracle of the others",
        _naive,
        frozenset({"states", "depth", "seconds"}),
        frozenset({"livelocks"}),
    ),
    "numpy-walk": EngineChoice(
        "breadth-first over learned tables without compiled loops; a cross-check",
        _numpy_walk,
        frozenset({"states", "depth", "seconds"}),
        frozenset({"livelocks"}),
    ),
    "spark": EngineChoice(
        "breadth-first on a Spark cluster, for what outgrows one machine",
        _spark,
        frozenset({"states", "depth", "seconds"}),
        frozenset(
            {
                "counting",
                "fingerprints",
                "paranoid",
                "master",
                "buckets",
                "store",
                "states",
                "reduce_beyond",
            }
        ),
        resumable=True,
    ),
}

DEFAULT_ENGINE = "breadth-first"


Explore = Callable[[Model[Any], Sequence[Property], Search], Report[Any]]


def engine_of(task: Task, keep: CheckpointSettings | None) -> Engine | Resumable:
    """The engine of a task, which judges runs if they are to be judged."""
    engine = ENGINES[task.engine].make(task.settings, keep)
    if not task.judges_runs:
        return engine
    fairness = fairness_of(task.system, task.scenario.protocol)
    return with_runs(engine, fairness, task.settings)


def with_runs(engine: Engine, fairness: Fairness, settings: Settings) -> LivenessEngine:
    """The engine, and after its search the runs that go on for ever."""
    # Imported only here: most searches are of states and steps alone.
    from replicheck.explorer.engines.liveness.engine import LivenessEngine

    return LivenessEngine(engine, fairness, settings.threads)


def fairness_of(system: System, protocol: str) -> Fairness:
    """Fairness of the actions of a protocol: weak, but for those of the environment.

    What a mutation puts in the place of an action has the fairness of that action.
    """
    from replicheck.explorer.liveness.fairness import Fairness

    chosen = system.protocols_by_name[protocol]
    original = chosen.original or chosen
    pairs = list(zip(original.actions, chosen.actions, strict=False))
    alike = len(original.actions) == len(chosen.actions)
    marked = [
        {action.__name__ for action in actions}
        | {new.__name__ for old, new in pairs if alike and old in actions}
        for actions in (system.environment + system.unfair, system.strong)
    ]
    return Fairness(*marked)


def start(engine: Engine | Resumable, keep: CheckpointSettings | None) -> Explore:
    """The function that begins a search, or goes on if it has a checkpoint."""
    if keep is not None and keep.is_there and isinstance(engine, Resumable):
        return engine.resume
    return engine.explore
