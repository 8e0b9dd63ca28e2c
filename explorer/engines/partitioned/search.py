"""One partitioned search: that of `breadth_first`, with a level as files.

For each level the driver has its buckets expanded; then it looks at what that noted,
ends the search if that decides it, and otherwise has what was found merged into the
next level. What is counted or chosen depends on fingerprints alone, so neither the
number of buckets nor who does which task, nor how often, leaves a mark on the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Generic

import numpy as np
from attrs import asdict

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.partitioned.driver import Driver
from replicheck.explorer.engines.partitioned.exchange.messages import Expand, Expanded
from replicheck.explorer.engines.partitioned.level_bits import places_after
from replicheck.explorer.engines.partitioned.parent_files import (
    ParentFiles,
    PartitionedLevel,
)
from replicheck.explorer.engines.partitioned.sample_files import read_sample
from replicheck.explorer.errors import CheckpointError, run_leads_elsewhere
from replicheck.explorer.frontier.chunk_walker import Expansion
from replicheck.explorer.learning.learned_functions import Role
from replicheck.explorer.model import S
from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.native.packed_rows import WIDE
from replicheck.explorer.report import Report
from replicheck.explorer.runtime.memory import process_memory
from replicheck.explorer.search.bookkeeping import (
    Bookkeeping,
    SearchSnapshot,
    SearchStopped,
)
from replicheck.explorer.search.level_loop import Ending
from replicheck.explorer.search.property_status import PropertyStatus
from replicheck.explorer.statistics import MemoryUse, PartitionedStatistics, Statistics


class ExpandedBuckets:
    """What the expansion of all buckets of a level came to."""

    def __init__(self, reports: Sequence[Expanded]) -> None:
        self.reports = reports
        self.expansion = _together([report.expansion for report in reports])

    @property
    def constraint_notes(self) -> U64Array | None:
        """Notes of the constraints alone; None where no constraint is judged."""
        notes = [
            report.constraint_notes
            for report in self.reports
            if report.constraint_notes is not None
        ]
        return np.minimum.reduce(notes) if notes else None


class PartitionedSearch(Generic[S]):
    """One search."""

    def __init__(self, driver: Driver, search: Search, name: str) -> None:
        spec = driver.worker.spec
        self.driver = driver
        self.model, self.learner = spec.model, driver.worker.learner
        self.status: PropertyStatus[S] = PropertyStatus(
            spec.model, spec.properties, self.learner, search.stop
        )
        self.bookkeeping = Bookkeeping(self.learner, self.status, search, name)
        self.counts = self.bookkeeping.counts
        self.starts = self._starts()
        self.parents = ParentFiles(driver.levels, list(self.starts.values()))

    def _starts(self) -> dict[int, tuple[int, ...]]:
        """The rows of the initial states by fingerprint, in ascending order."""
        starts = [self.learner.row(state) for state in self.learner.starts]
        fingerprints = self.learner.fingerprints(np.array(starts))
        return dict(sorted(dict(zip(fingerprints, starts, strict=True)).items()))

    def begin(self) -> None:
        """Make the initial states the first level.

        Raises:
            OSError: if the store cannot be written.
        """
        if self.driver.worker.states is not None:
            self.driver.worker.states.begin()
        self.driver.begin(self.starts, self._progressed(len(self.starts)))

    def go_on(self) -> None:
        """Make the last complete level the next one to expand.

        Raises:
            CheckpointError: if a file is not as it was written, or a state is not where
                the run to it leads.
        """
        driver, levels = self.driver, self.driver.levels
        levels.read()
        levels.collect()
        last = levels.levels[-1]
        driver.worker.common.catch_up(levels.known, last.number)
        counts = [level.count for level in levels.levels]
        done = SearchSnapshot(
            counts,
            last.generated,
            last.enabled,
            last.cuts,
            last.held,
            last.decisions,
            last.seconds,
        )
        sample = read_sample(levels.files, driver.worker.numbering, last.sample)
        self.bookkeeping.restore(done, self.parents, sample)
        self._require_same_state(len(levels.levels) - 1)

    def report(self, ending: Ending[S]) -> Report[S]:
        """Report of the search, now that it has ended."""
        if self.driver.worker.states is not None:
            self.driver.worker.states.end(
                self.driver.worker.numbering,
                self.counts.levels,
                self.bookkeeping.exhausted,
            )
        return self.bookkeeping.report(
            ending.stopped_by, ending.failure, self._statistics()
        )

    @property
    def size(self) -> int:
        """Number of states of the level at work."""
        return self.driver.level.count

    @property
    def judged_level(self) -> PartitionedLevel:
        """The level at work, as files."""
        levels, buckets = self.driver.levels, self.driver.worker.spec.buckets
        return PartitionedLevel(self.parents, self.driver.level.number, levels, buckets)

    def sampled_states(self, count: int) -> list[S]:
        """Decode the first state of the level at work: each takes a run to it."""
        depth = len(self.counts.levels) - 1
        return [self.parents.trace(self.learner, depth, 0).states[-1]]

    def enforce(self) -> None:
        """Nothing is due: a level is on the disk when it is complete."""

    def abandon_level(self) -> None:
        """Nothing is lost: the last complete level is on the disk."""

    def expand(self, limit: str | None) -> ExpandedBuckets:
        """Have the buckets of the level expanded.

        Raises:
            SearchStopped: if the store cannot be written.
            MemoryError: if a process takes more memory than it may.
        """
        with _stopping_on_full_disk():
            reports = self.driver.expand(
                self._task(limit), self._title, self._report_progress
            )
        for report in reports:
            self.learner.premises.note_held(report.update.premises)
        return ExpandedBuckets(reports)

    def advance(self, expanded: ExpandedBuckets) -> None:
        """Count what was expanded, and have the next level merged.

        Raises:
            SearchStopped: if the store cannot be written.
        """
        reports = expanded.reports
        self._cover(reports)
        cuts = sum((report.cuts for report in reports), Counter[str]())
        self.counts.add(expanded.expansion, cuts)
        with _stopping_on_full_disk():
            self.driver.advance(
                reports,
                self._progressed,
                self.bookkeeping.sample,
                self._title,
                self._report_progress,
            )

    def _task(self, limit: str | None) -> Expand:
        """The task of expanding a level, still without its buckets."""
        status = self.status
        roles = (Role.PROPERTY, *(() if limit else (Role.ACTION,)))
        wanted, judged = status.wanted(*roles), status.wanted(Role.PROPERTY)
        driver, sample = self.driver, self.bookkeeping.sample
        count = driver.level.count
        return Expand(
            level=driver.level.number,
            parts=(),
            known=driver.levels.known,
            places=places_after(driver.worker, sample, count, wanted, judged),
            constraints=status.wanted(Role.CONSTRAINT),
            wanted=wanted,
            judged=judged,
            finds=limit is None,
            finds_stuck=limit is None and status.asks_for_deadlocks,
            sampled=sample.bound,
        )

    def _cover(self, reports: Sequence[Expanded]) -> None:
        """Note what the expansion of a level covers of guards."""
        numbering = self.driver.worker.numbering
        for report in reports:
            rows = numbering.to_local(report.sampled.rows, WIDE)
            self.bookkeeping.sample.add(
                rows, report.sampled.fingerprints, report.sampled.constrained
            )

    def _progressed(self, count: int) -> SearchSnapshot:
        return self.bookkeeping.snapshot(len(self.counts.levels), count)

    def _require_same_state(self, level: int) -> None:
        """Go the way to the first state of a level again.

        Raises:
            CheckpointError: if it does not lead there.
        """
        if not self.driver.levels.levels[level].count:
            return
        levels, buckets = self.driver.levels, self.driver.worker.spec.buckets
        here = PartitionedLevel(self.parents, level, levels, buckets)
        try:
            trace = self.parents.trace(self.learner, level, 0)
            row = np.array([self.learner.row(trace.states[-1])])
            is_there = here.has(self.learner.fingerprints(row)[0], 0)
        except LookupError:
            is_there = False
        if not is_there:
            raise CheckpointError(
                f"the search in {levels.files.place} is of another model:"
                f" {run_leads_elsewhere(0, level)}"
            )

    def _report_progress(self, done: float) -> None:
        """Let the watch see the search, and heed the limits on time and memory."""
        self.bookkeeping.report_progress(int(self.driver.level.count * (1 - done)))
        self.driver.worker.budget.require_memory()

    @property
    def _title(self) -> str:
        """Title of the level's tasks in the cluster's own pages."""
        found = ", ".join(self.status.violations) or "nothing"
        return (
            f"{self.model.name}, level {len(self.counts.levels)}:"
            f" {self.driver.level.count:,} of {self.counts.states:,} states; violated"
            f" so far: {found}"
        )

    def _statistics(self) -> Statistics:
        effort, spec = self.driver.effort, self.driver.worker.spec
        return Statistics(
            partitioned=PartitionedStatistics(
                spec.buckets,
                **asdict(effort, filter=lambda statistic, _: statistic.name != "peak"),
                split=self.learner.layout.elements,
                unused=self.driver.unused,
            ),
            memory=MemoryUse(max(process_memory.peak_bytes(), effort.peak)),
            collisions=spec.fingerprints.collisions(self.counts.states),
        )


def _together(expansions: Sequence[Expansion]) -> Expansion:
    """Merge the expansions of all tasks."""
    stuck = [expansion.stuck for expansion in expansions if expansion.stuck is not None]
    return Expansion(
        np.minimum.reduce([expansion.notes for expansion in expansions]),
        np.sum([expansion.generated for expansion in expansions], axis=0),
        np.sum([expansion.enabled for expansion in expansions], axis=0),
        min(stuck, default=None),
    )


@contextmanager
def _stopping_on_full_disk() -> Iterator[None]:
    """Stop the search where the store cannot be written.

    Raises:
        SearchStopped: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise SearchStopped("disk") from error
