"""The course of a search by levels: how far it is, when it must end, what it reports.

It is the same for one machine and for many: it depends on what was noted and counted,
not on where the states are.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Generic

from replicheck.explorer.engine import Progress, Search
from replicheck.explorer.engines.breadth_first.checkpoint import Progressed
from replicheck.explorer.instances import instances
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.learning.read_write_sets import Touched, dependencies
from replicheck.explorer.model import S
from replicheck.explorer.report import (
    Failure,
    Report,
    in_order,
    outcomes_of,
    verdict_of,
)
from replicheck.explorer.runtime import process_memory
from replicheck.explorer.search.guard_coverage import (
    Sample,
    SampleContent,
    count_guards,
)
from replicheck.explorer.search.property_status import Findings, Way
from replicheck.explorer.search.tally import Tally

CHECKED = 64
"""Sampled states on which it is checked that what was left out is disabled."""


class Cut(Exception):
    """A limit or the user ended the search before every state was expanded."""


class Course(Generic[S]):
    """What a search has found and counted so far, and how long it has taken."""

    def __init__(
        self,
        learner: Learner,
        findings: Findings[S],
        search: Search,
        engine: str,
    ) -> None:
        self.learner, self.findings, self.search = learner, findings, search
        self.engine = engine
        self.tally = Tally(learner)
        self.sample = Sample()
        self.is_resumed = self.exhausted = False
        self._started = time.monotonic()
        self._seconds_before = 0.0

    @property
    def seconds(self) -> float:
        """Return how long the search has taken, in all attempts together."""
        return self._seconds_before + time.monotonic() - self._started

    def restore(
        self, done: Progressed, path: Way, sample: SampleContent | None = None
    ) -> None:
        """Go on where a search was, before the level that it was to expand next.

        Args:
            sample: that of `guards`, where it is known; else guards are counted anew.
        """
        if sample is None:
            self.is_resumed = True
        else:
            self.sample.restore(sample)
        self.tally.restore(done)
        self.learner.premises.restore(done.held)
        self.findings.restore(done.sightings, path)
        self._seconds_before = done.seconds

    def progressed(self, complete: int, level: int) -> Progressed:
        """Return how far the search is. See `Tally.progressed`."""
        sightings = self.findings.sightings
        return self.tally.progressed(complete, level, sightings, self.seconds)

    def limit(self) -> str | None:
        """Return the limit that the level at work reaches, if any."""
        limits, levels = self.search.limits, self.tally.levels
        if limits.depth is not None and len(levels) >= limits.depth:
            return "depth"
        if limits.states is not None and self.tally.states >= limits.states:
            return "states"
        return None

    def glance(self, frontier: int) -> None:
        """Let the watch see the search, and heed the limit on time.

        Args:
            frontier: how many states of the level at work are not expanded yet.
        """
        self.search.watch(
            Progress(
                depth=len(self.tally.levels),
                states=self.tally.states,
                generated=self.tally.generated,
                frontier=frontier,
                seconds=self.seconds,
                memory=process_memory.held(),
                levels=tuple(self.tally.levels),
            )
        )
        limit = self.search.limits.seconds
        if limit is not None and time.monotonic() - self._started > limit:
            raise Cut("seconds")

    def report(
        self,
        cut: str | None,
        failure: Failure[S] | None,
        details: Mapping[str, Any],
    ) -> Report[S]:
        """Return the report, with the engine's own details beside those of all."""
        found, tally = self.findings, self.tally
        return Report(
            model=self.learner.model.name,
            verdict=verdict_of(found.violations, cut, tally.constrained, failure),
            levels=tuple(tally.levels),
            actions=tally.actions,
            outcomes=outcomes_of(
                found.properties, found.violations, found.reached, self.exhausted
            ),
            violations=in_order(found.properties, found.violations),
            reached=found.reached,
            failure=failure,
            cut=cut,
            constrained=tally.constrained,
            engine=self.engine,
            seconds=self.seconds,
            details={
                **details,
                "dependencies": self._dependencies(),
                "values": {each.name: len(each) for each in self.learner.domains},
                "coverage": self._coverage(),
            },
        )

    def _dependencies(self) -> dict[str, dict[str, list[str]]]:
        """Return which cells each action reads and writes, as far as it was learned."""
        learner = self.learner
        nothing = [
            (each.name, Touched())
            for each in instances(learner.model.actions, learner.model.domains)
        ]
        learnt = [
            (each.instance.name, touched)
            for each, touched in zip(learner.functions, learner.touched, strict=True)
            if each.role is Role.ACTION
        ]
        return dependencies(learner.layout.cells, [*nothing, *learnt])

    def _coverage(self) -> dict[str, Any]:
        """Return what was claimed at all, and what was asked.

        Raises:
            ModelError: if an instance was left out that is enabled in a sampled state.
        """
        if self.sample.rows is not None:
            self.learner.check_left_out(self.sample.rows[:CHECKED])
        return {
            "resumed": self.is_resumed,
            "premises": dict(self.learner.premises.held),
            "guards": count_guards(self.learner, self.sample),
        }
