"""Simulation: random walks until a property is violated or a limit is reached."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic

import numpy as np
from attrs import frozen

from replicheck.explorer.engine import Stop
from replicheck.explorer.engines.simulation.coverage_estimate import CoverageEstimate
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.engines.simulation.strategies import Strategy
from replicheck.explorer.engines.simulation.walk_budget import LimitReached, WalkBudget
from replicheck.explorer.engines.simulation.walk_progress import (
    WalkProgress,
    WalkWatch,
)
from replicheck.explorer.engines.simulation.walk_round import WalkRound
from replicheck.explorer.engines.simulation.walkers import Walkers
from replicheck.explorer.frontier.chunk_walker import CHUNKS, SMALLEST_CHUNK
from replicheck.explorer.instances import instances
from replicheck.explorer.learning.encoding_watch import (
    CROWDED,
    encoding_watch,
    until_found,
)
from replicheck.explorer.learning.learned_functions import LearnedFunction, Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model, S
from replicheck.explorer.native.kernels.arrays import NO_STEP, U64Array
from replicheck.explorer.properties import Property
from replicheck.explorer.report import in_order
from replicheck.explorer.runtime.thread_pool import ThreadPool
from replicheck.explorer.search.property_status import FunctionRaised, PropertyStatus
from replicheck.explorer.states.encoding import Encoding

FIRST_WALKERS = 64
"""So many walk side by side at first: walks become long in a slow model, too."""
GROWTH = 7
"""Each that comes to the end of its walk makes room for so many others."""
MOST_WALKERS = CHUNKS * SMALLEST_CHUNK
"""So many walk side by side at most, on any number of threads: it decides about chance.
"""

MakeStrategy = Callable[[Sequence[LearnedFunction]], Strategy]
"""Makes a strategy for the instances of a model."""


@frozen
class WalkLimits:
    """How long a simulation goes on; None is without end.

    ``steps`` is the most that one walk takes; ``seconds`` is wall time; ``memory`` is
    in bytes, None being most of what is free.
    """

    steps: int = 200
    walks: int | None = None
    seconds: float | None = None
    memory: int | None = None


class Simulator(Generic[S]):
    """One simulation."""

    def __init__(
        self,
        learner: Learner,
        properties: Sequence[Property],
        make_strategy: MakeStrategy,
        seed: int,
        limits: WalkLimits,
        threads: ThreadPool,
        budget: WalkBudget,
        crowded: int,
    ) -> None:
        model: Model[S] = learner.model
        self.model, self.seed, self.limits = model, seed, limits
        self.learner = learner
        self.status = PropertyStatus(
            model, properties, self.learner, Stop.FIRST_VIOLATION
        )
        self.budget, self._look_at_encoding = budget, encoding_watch(learner, crowded)
        self.walk_round = WalkRound(self.learner, threads)
        learner.tables.require_room = self.budget.require_room
        strategy = make_strategy(self.learner.functions)
        self.walkers = Walkers.of(self.learner, strategy, limits.steps)
        self._add_walkers(FIRST_WALKERS)
        self.estimate = CoverageEstimate()
        self.taken = np.zeros(0, np.int64)
        self.steps = self.ended = self.steps_of_ended = 0
        self._known: dict[tuple[tuple[Role, ...], int], U64Array] = {}

    def run(self, watch: WalkWatch) -> Simulation[S]:
        """Walk until something is found or the extent is reached.

        Raises:
            EncodedOtherwise: if sets are to be split otherwise.
        """
        cut, failure = None, None
        report_progress = partial(self._report_progress, watch)
        self.walk_round.chunk_walker.while_learning = report_progress
        try:
            cut = self._walk(report_progress)
        except KeyboardInterrupt:
            cut = "interrupted"
        except LimitReached as reached:
            cut = reached.limit
        except MemoryError:
            cut = "memory"
        except FunctionRaised as failed:
            failure = failed.failure
        found = self.status
        return Simulation(
            strategy=self.walkers.strategy.name,
            walks=self.walkers.begun,
            steps=self.steps,
            seen=self.estimate.seen,
            actions=self._actions(),
            violations=in_order(found.properties, found.violations),
            reached=found.reached,
            failure=failure,
            cut=cut,
            seconds=self.budget.seconds,
            ended=self.ended,
            learner=self.learner,
        )

    def _report_progress(self, watch: WalkWatch) -> None:
        """Let the watch see the walks, and heed the limits."""
        seen, seconds = self.estimate.distinct, self.budget.seconds
        watch(WalkProgress(self.walkers.begun, self.steps, seen, seconds))
        self.budget.require()

    def _walk(self, report_progress: Callable[[], None]) -> str | None:
        """Go on round by round; return what ended it if no limit nor finding did."""
        while len(self.walkers):
            report_progress()
            if self._round():
                return None
        return "walks"

    def _round(self) -> bool:
        """Judge all walkers and let them take a step; True if something was found."""
        status, walkers = self.status, self.walkers
        self.estimate.add(walkers.states.fingerprints)
        self._judge_constraints()
        found, chunks = self.walk_round.judge(
            walkers,
            self._wanted(Role.PROPERTY, Role.ACTION),
            self._wanted(Role.PROPERTY),
            status.asks_for_deadlocks,
        )
        status.note_instances(found, walkers)
        if not status.are_enough:
            status.note_steps(found, walkers)
        if status.are_enough:
            return True
        self.walk_round.move(walkers, chunks, self.seed)
        self._count()
        self._begin_anew()
        if self.learner.show_elements():
            self.walkers.states.disabled[:] = 0
        self._look_at_encoding(self.steps)
        return False

    def _wanted(self, *roles: Role) -> U64Array:
        """The instances that matter; that changes when a witness is reached."""
        key = roles, len(self.status.decisions)
        if key not in self._known:
            self._known[key] = self.status.wanted(*roles)
        return self._known[key]

    def _judge_constraints(self) -> None:
        wanted = self._wanted(Role.CONSTRAINT)
        if wanted.any():
            self.walkers.states.constrained[:] = 0
            found, _ = self.walk_round.judge(self.walkers, wanted, wanted, False)
            self.status.check_failures(found.notes, Role.CONSTRAINT, self.walkers)

    def _count(self) -> None:
        arrays = self.walkers.arrays
        moved = np.flatnonzero(arrays.picked != NO_STEP)
        numbers = arrays.history[moved, arrays.depths[moved] - 1]
        counts = np.bincount(numbers, minlength=len(self.taken))
        counts[: len(self.taken)] += self.taken
        self.taken = counts
        self.steps += len(moved)

    def _begin_anew(self) -> None:
        """Let walkers whose walk has ended begin another, as long as there are any."""
        walkers = self.walkers
        ended = np.flatnonzero(walkers.arrays.picked == NO_STEP)
        if not len(ended):
            return
        self.ended += len(ended)
        self.steps_of_ended += int(walkers.arrays.depths[ended].sum())
        go_on = min(len(ended), self._walks_left)
        mean_steps = max(1, self.steps_of_ended // self.ended)
        walkers.begin(ended[:go_on], horizon=mean_steps)
        if go_on < len(ended):
            walkers.keep(np.setdiff1d(np.arange(len(walkers)), ended[go_on:]))
        else:
            self._add_walkers(GROWTH * go_on)

    def _add_walkers(self, count: int) -> None:
        """Add so many walkers, as long as there is room, and as there are walks."""
        more = min(count, MOST_WALKERS - len(self.walkers), self._walks_left)
        if more:
            self.walkers.add(more, horizon=self.limits.steps)

    @property
    def _walks_left(self) -> int:
        """How many walks may still begin."""
        walks = self.limits.walks
        return sys.maxsize if walks is None else walks - self.walkers.begun

    def _actions(self) -> dict[str, int]:
        """Count of the steps of each action, in the order of the model."""
        every = instances(self.model.actions, self.model.domains)
        counts = dict.fromkeys((instance.name for instance in every), 0)
        for number, count in enumerate(self.taken.tolist()):
            instance, _ = self.learner.steps[number]
            counts[self.learner.functions[instance].instance.name] += count
        return counts


def simulate(
    model: Model[S],
    properties: Sequence[Property],
    make_strategy: MakeStrategy,
    seed: int = 0,
    limits: WalkLimits = WalkLimits(),
    threads: int = 1,
    watch: WalkWatch = lambda progress: None,
    learner: Learner | None = None,
    crowded: int = CROWDED,
) -> Simulation[S]:
    """Walk at random; the same seed gives the same walks on any number of threads.

    Args:
        model: where to walk.
        properties: what to judge.
        make_strategy: says how walkers choose.
        seed: decides everything that is by chance.
        limits: how long to go on.
        threads: how many.
        watch: is called each round.
        learner: that of the same model and properties, if it has learned something.
        crowded: a set with so many values is split, if that spares something.

    Raises:
        ModelError: if the model breaks the contract.
    """
    pool, budget = ThreadPool(threads), WalkBudget(limits.seconds, limits.memory)
    known = learner or Learner(model, properties)

    def walk(encoding: Encoding) -> Simulation[S]:
        is_known = encoding == known.encoding
        used = known if is_known else Learner(model, properties, encoding=encoding)
        simulator = Simulator[S](
            used, properties, make_strategy, seed, limits, pool, budget, crowded
        )
        return simulator.run(watch)

    try:
        return until_found(walk, known.encoding)
    finally:
        pool.close()
