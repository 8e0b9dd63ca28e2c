"""A campaign: plans are drawn and walked until one leads to a violation."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Generic, NoReturn

import numpy as np
from hypothesis import reject
from hypothesis.errors import HypothesisException

from replicheck.explorer.engines.fuzzing.campaign_result import (
    CampaignResult,
    FoundViolation,
)
from replicheck.explorer.engines.fuzzing.hypothesis_bytes import ENDS, draw
from replicheck.explorer.engines.fuzzing.model_family import ModelFamily
from replicheck.explorer.engines.fuzzing.plan_walker import (
    PlannedWalk,
    PlanWalker,
)
from replicheck.explorer.engines.fuzzing.walk_plan import (
    Plan,
    bounds_of,
    length_of,
    random_plan,
)
from replicheck.explorer.engines.simulation.coverage_estimate import CoverageEstimate
from replicheck.explorer.engines.simulation.simulation import WalkLimits
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.engines.simulation.walk_budget import LimitReached, WalkBudget
from replicheck.explorer.engines.simulation.walk_progress import WalkProgress, WalkWatch
from replicheck.explorer.errors import ModelError
from replicheck.explorer.instances import instances
from replicheck.explorer.model import S
from replicheck.explorer.report import Failure, Trace, Violation
from replicheck.explorer.search.property_status import FunctionRaised

ROUND = 2_000
"""Examples that are drawn with one memory of what was tried, in so many models:"""
MODELS = 6
MOST_TRIES = 500
"""So many smaller examples are tried after a violation was found."""
MOST_MODELS = 12
"""The tables of so many models are kept, those that were walked last."""


class _Refuted(Exception):
    """A walk violates a property."""


class _Enough(KeyboardInterrupt):
    """Ends a campaign, for hypothesis lets it pass."""


class Campaign(Generic[S]):
    """One campaign."""

    def __init__(
        self,
        family: ModelFamily[S],
        limits: WalkLimits,
        watch: WalkWatch,
        most_tries: int = MOST_TRIES,
    ) -> None:
        """Walk so many examples (``walks``) of so many steps, for so many seconds."""
        self.most_tries = most_tries
        self.family, self.limits, self.watch = family, limits, watch
        self._walkers: OrderedDict[tuple[tuple[str, int], ...], PlanWalker[S] | None]
        self._walkers = OrderedDict()
        self._budget = WalkBudget(limits.seconds, limits.memory)
        self._estimate = CoverageEstimate()
        self._taken: Counter[str] = Counter()
        self._reached: dict[str, Trace[S]] = {}
        self._examples = self._steps = self._tries = 0
        self._first: FoundViolation[S] | None = None
        self._best: FoundViolation[S] | None = None
        self._failure: Failure[S] | None = None
        self._cut: str | None = None

    def run(self, seed: int, database: Path | None = None) -> CampaignResult[S]:
        """Draw and walk until something is found or the extent is reached."""
        self._budget.begin()
        try:
            self._draw(seed, database)
        except _Enough as enough:
            if isinstance(enough.__cause__, (ModelError, *ENDS)):
                raise enough.__cause__ from None
        except KeyboardInterrupt:
            self._cut = "interrupted"
        except MemoryError:
            self._cut = "memory"
        best = self._best
        walks = Simulation[S](
            strategy="fuzz",
            walks=self._examples,
            steps=self._steps,
            seen=self._estimate.seen,
            actions=self._actions(),
            violations=(best.violation,) if best else (),
            reached=self._reached,
            failure=self._failure,
            cut=None if best or self._failure else self._cut,
            seconds=self._budget.seconds,
        )
        learners = [walker.learner for walker in self._walkers.values() if walker]
        if best is None or self._first is None:
            return CampaignResult(walks, learners)
        return CampaignResult(walks, learners, best.bounds, self._first.states)

    def _draw(self, seed: int, database: Path | None) -> None:
        """Draw round by round, until something is raised."""
        length = length_of(self.family.ranges, self.limits.steps)
        number = 0
        while self._best is None and self._failure is None:
            left = ROUND
            if self.limits.walks is not None:
                left = min(ROUND, self.limits.walks - self._examples)
                if left <= 0:
                    self._end("examples")
            number_of_round = seed + (number << 64)
            sizes = self._sizes(Random(number_of_round))
            random_bytes = partial(random_plan, steps=self.limits.steps, sizes=sizes)
            try:
                draw(
                    self._attempt, random_bytes, length, number_of_round, left, database
                )
            except (_Refuted, HypothesisException):
                if self._best is None:
                    raise
            database, number = None, number + 1

    def _sizes(self, random: Random) -> list[bytes]:
        """The bounds of a round by chance: of so many models, or one for all.

        Each model has tables to learn, so walks through few models are faster.
        """
        ranges = self.family.ranges
        found: list[bytes] = []
        for _ in range(MOST_TRIES):
            sizes = random.randbytes(len(ranges))
            if self._walker(bounds_of(sizes, ranges)) is not None:
                found.append(sizes)
            if len(found) == MODELS or (found and not ranges):
                break
        if not found:
            raise ModelError("there is no model within the ranges of the bounds")
        return found

    def _attempt(self, drawn: bytes) -> None:
        """Walk one plan.

        Raises:
            _Refuted: if it leads to a violation.
        """
        self._report_progress()
        plan = Plan.of(drawn, self.family.ranges)
        # New models would have tables to learn; smaller bounds are tried at the end.
        known, walker = plan.bounds in self._walkers, None
        if known or self._best is None:
            walker = self._walker(plan.bounds)
        if walker is None:
            reject()
        try:
            walk = walker.walk(plan)
        except MemoryError:
            self._end("memory")
        except LimitReached as reached:
            self._end(reached.limit)
        except FunctionRaised as failed:
            self._failure = failed.failure
            raise _Enough from failed
        except (ModelError, *ENDS) as end:
            raise _Enough from end
        found = walk.violation
        if self._best is None:
            self._count(walker, walk)
        if found is not None and self._is_the_same(found):
            self._keep(
                FoundViolation(found, dict(plan.bounds), walk.faults, _length(found))
            )
            raise _Refuted

    def _is_the_same(self, found: Violation[S]) -> bool:
        """Tell whether it is a violation of the property that is being shrunk."""
        best = self._best
        return best is None or best.violation.property == found.property

    def _keep(self, found_violation: FoundViolation[S]) -> None:
        self._first = self._first or found_violation
        if self._best is None or found_violation.size < self._best.size:
            self._best = found_violation

    def _count(self, walker: PlanWalker[S], walk: PlannedWalk[S]) -> None:
        self._examples += 1
        self._steps += len(walk.steps)
        self._estimate.add(walk.fingerprints)
        for number, count in zip(
            *np.unique(walk.steps, return_counts=True), strict=True
        ):
            instance, _ = walker.learner.steps[int(number)]
            name = walker.learner.functions[instance].instance.name
            self._taken[name] += int(count)
        for name, trace in walker.status.reached.items():
            self._reached.setdefault(name, trace)

    def _report_progress(self) -> None:
        """Let the watch see the campaign, and end it at a limit."""
        if self._best is not None:
            self._tries += 1
            if self._tries > self.most_tries:
                raise _Enough
            return
        seconds = self._budget.seconds
        self.watch(
            WalkProgress(self._examples, self._steps, self._estimate.distinct, seconds)
        )
        if self.limits.walks is not None and self._examples >= self.limits.walks:
            self._end("examples")
        try:
            self._budget.require()
        except LimitReached as reached:
            self._end(reached.limit)

    def _end(self, cut: str) -> NoReturn:
        self._cut = cut
        raise _Enough

    def _walker(self, bounds: tuple[tuple[str, int], ...]) -> PlanWalker[S] | None:
        """The walker of the model within some bounds, if there is one."""
        if bounds not in self._walkers:
            self._walkers[bounds] = self._new_walker(dict(bounds))
            if len(self._walkers) > MOST_MODELS:
                self._walkers.popitem(last=False)
        self._walkers.move_to_end(bounds)
        return self._walkers[bounds]

    def _new_walker(self, bounds: Mapping[str, int]) -> PlanWalker[S] | None:
        family = self.family
        model = family.make(bounds)
        if model is None:
            return None
        return PlanWalker(
            model,
            family.properties,
            family.faults,
            family.group,
            self._require_limits,
            self._budget.require_room,
        )

    def _require_limits(self) -> None:
        """End a walk that learns for too long; to shrink what was found takes its time.

        Raises:
            LimitReached: if there is no time or memory left.
        """
        self._budget.require_memory()
        if self._best is None:
            self._budget.require_time()

    def _actions(self) -> dict[str, int]:
        """Count of the steps of each action, in the order of the models."""
        counts: dict[str, int] = {}
        for walker in self._walkers.values():
            if walker is not None:
                every = instances(walker.model.actions, walker.model.domains)
                counts |= dict.fromkeys((instance.name for instance in every), 0)
        return counts | self._taken


def _length(found: Violation[Any]) -> int:
    return len(found.trace.states)
