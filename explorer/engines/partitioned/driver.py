"""The driver: it cuts the work on a level into tasks and makes the next level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from attrs import evolve, frozen

from replicheck.explorer.engines.partitioned.broadcast import Broadcast, broadcast
from replicheck.explorer.engines.partitioned.driver_effort import DriverEffort
from replicheck.explorer.engines.partitioned.exchange.element_agreement import (
    ElementAgreement,
)
from replicheck.explorer.engines.partitioned.exchange.messages import (
    Bucket,
    Expand,
    Expanded,
    Merge,
    Merged,
    MergedAll,
    Result,
    Source,
    Task,
    Written,
)
from replicheck.explorer.engines.partitioned.exchange.value_numbering import Numbers
from replicheck.explorer.engines.partitioned.manifest import (
    LevelManifest,
    LevelManifests,
)
from replicheck.explorer.engines.partitioned.runners import InProcess, Runner
from replicheck.explorer.engines.partitioned.sample_files import write_sample
from replicheck.explorer.engines.partitioned.store.blocks import Block
from replicheck.explorer.engines.partitioned.task_split import (
    grouped,
    parts_of,
    tasks_for,
)
from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.native.packed_rows import fields_of, pack_rows
from replicheck.explorer.search.bookkeeping import SearchSnapshot
from replicheck.explorer.search.guard_coverage import Sample

ReportProgress = Callable[[float], None]
"""Is told which share of a level's states is expanded; may raise to end the search."""


@frozen(eq=False)
class _TaskFindings:
    """Output of one expansion, and what its unnumbered values mean."""

    written: Sequence[Written]
    offsets: Sequence[int]
    numbers: Sequence[Numbers]

    def sources(self, bucket: int) -> list[Source]:
        return [
            Source(written.piece, self.offsets, self.numbers)
            for written in self.written
            if written.bucket == bucket
        ]


class Driver:
    """The levels of one search, done by a cluster, or alone where they are small."""

    def __init__(
        self,
        worker: Worker,
        levels: LevelManifests,
        cluster: Runner,
        small: int,
        patience: float,
        cost: int = 1,
    ) -> None:
        self.worker, self.levels = worker, levels
        self.small, self.patience, self.cost = small, patience, cost
        self.effort = DriverEffort()
        self._cluster, self._alone = cluster, InProcess.of(worker)
        self._places = worker.learner.tables.bits_of_all.places
        self._elements = ElementAgreement(worker.store, worker.numbering)

    @property
    def level(self) -> LevelManifest:
        """The last complete level."""
        return self.levels.levels[-1]

    @property
    def unused(self) -> str | None:
        """Reason for which the cluster did nothing; None if it did something."""
        if self.effort.sent:
            return None
        most = max(level.count for level in self.levels.levels)
        if most * self.cost < self.small:
            return (
                f"states of the largest level: {most:,}; levels of fewer than"
                f" {-(-self.small // self.cost):,} are done sooner without it"
            )
        return (
            f"a search takes {self.patience:g} s of CPU before it is worth a start, and"
            " this one had no level left then that is large enough"
        )

    def begin(
        self, starts: dict[int, tuple[int, ...]], nothing: SearchSnapshot
    ) -> None:
        """Make the initial states the first level.

        Args:
            starts: their rows by fingerprint, in ascending order.

        Raises:
            OSError: if the store cannot be written.
        """
        worker, count = self.worker, len(starts)
        update = worker.common.update
        rows = np.array(list(starts.values()))
        packed = worker.numbering.packed_global(
            pack_rows(rows, fields_of(worker.learner.dictionaries))
        )
        block = Block(
            packed.words,
            np.array(list(starts), np.uint64),
            worker.state_keys.all_of(rows),
            np.zeros((count, worker.learner.tables.width), np.uint64),
            np.zeros(count, np.uint64),
            np.zeros(count, np.uint32),
        )
        written = worker.write(0, packed.fields, block)
        self._elements.begin(update.elements)
        shared = broadcast(worker, self._elements.files, 0, [update])
        found = _TaskFindings(written, update.offsets, shared.numbers[0])
        empty = [
            Merged(number, 0, None, None, None, ())
            for number in range(worker.spec.buckets)
        ]
        title = "the initial states"
        merged = self._merged(0, empty, [found], title, lambda done: None)
        self._commit(0, merged, shared, nothing, Sample())

    def expand(
        self, task: Expand, title: str, report_progress: ReportProgress
    ) -> list[Expanded]:
        """Expand all buckets of the last level, each as the task says.

        Raises:
            CheckpointError: if a file is not as it was written.
            ModelError: if the model breaks the contract.
        """
        self._places = task.places
        parts, states = parts_of(self.level), self.level.count * self.cost
        runner = self._runner(states)
        self.effort.alone += runner is self._alone
        counts = [part.count for part in parts]
        groups = grouped(parts, counts, tasks_for(states, runner.slots))
        tasks = [evolve(task, parts=group) for group in groups]
        expand = f"{title}: expand"

        def run(tasks: Sequence[Expand]) -> list[Expanded]:
            results: list[Expanded] = self._run(runner, tasks, expand, report_progress)
            self.effort.expanding += sum(result.seconds for result in results)
            return results

        return self._elements.expanded(tasks, run)

    def advance(
        self,
        reports: Sequence[Expanded],
        snapshot: Callable[[int], SearchSnapshot],
        sample: Sample,
        title: str,
        report_progress: ReportProgress,
    ) -> None:
        """Make a level of what was found, perhaps an empty one.

        Args:
            snapshot: tells how far the search is with so many states to expand next.
            sample: that of all levels before.

        Raises:
            CheckpointError: if a file is not as it was written.
            OSError: if the store cannot be written.
        """
        number = self.level.number + 1
        updates = [report.update for report in reports]
        known = [*self.levels.known, *self._elements.files]
        shared = broadcast(self.worker, known, number, updates)
        self.effort.leaves += shared.leaves
        self.effort.twice += shared.twice
        found = [
            _TaskFindings(report.written, report.update.offsets, numbers)
            for report, numbers in zip(reports, shared.numbers, strict=True)
        ]
        merged = self._merged(
            number, self.level.buckets, found, title, lambda done: report_progress(1.0)
        )
        count = sum(bucket.count for bucket in merged)
        self._commit(number, merged, shared, snapshot(count), sample)

    def _merged(
        self,
        number: int,
        before: Sequence[Merged],
        found: Sequence[_TaskFindings],
        title: str,
        report_progress: ReportProgress,
    ) -> list[Merged]:
        """The buckets of the next level."""
        counts = Counter[int]()
        for findings in found:
            for written in findings.written:
                counts[written.bucket] += written.count
                self.effort.exchanged += written.piece.size
        buckets = [
            Bucket(
                bucket.bucket,
                [
                    source
                    for findings in found
                    for source in findings.sources(bucket.bucket)
                ],
                bucket.runs,
            )
            for bucket in before
            if counts[bucket.bucket]
        ]
        runner = self._runner(counts.total())
        groups = grouped(
            buckets,
            [counts[found_bucket.bucket] for found_bucket in buckets],
            tasks_for(counts.total(), runner.slots),
        )
        tasks = [
            Merge(number, group, self.worker.numbering.fields, self._places)
            for group in groups
        ]
        results: list[MergedAll] = self._run(
            runner, tasks, f"{title}: merge", report_progress
        )
        self.effort.merging += sum(result.seconds for result in results)
        by_bucket = {
            merged_bucket.bucket: merged_bucket
            for result in results
            for merged_bucket in result.buckets
        }
        return [
            by_bucket.get(
                bucket.bucket, Merged(bucket.bucket, 0, None, None, None, bucket.runs)
            )
            for bucket in before
        ]

    def _commit(
        self,
        number: int,
        merged: Sequence[Merged],
        shared: Broadcast,
        done: SearchSnapshot,
        sample: Sample,
    ) -> None:
        worker = self.worker
        self.levels.commit(
            LevelManifest(
                number,
                merged,
                [*self._elements.files, *shared.files],
                write_sample(worker.store, worker.numbering, number, sample),
                done.generated,
                done.enabled,
                done.cuts,
                done.held,
                done.decisions,
                done.seconds,
            )
        )
        if self.worker.states is not None:
            names = [bucket.parquet for bucket in merged if bucket.parquet is not None]
            self.worker.states.keep(number, names)

    def _runner(self, states: int) -> Runner:
        is_short = self.effort.expanding + self.effort.merging < self.patience
        return self._alone if is_short or states < self.small else self._cluster

    def _run(
        self,
        runner: Runner,
        tasks: Sequence[Task],
        title: str,
        report_progress: ReportProgress,
    ) -> list[Result]:
        self.effort.tasks += len(tasks)
        self.effort.sent += len(tasks) if runner is self._cluster else 0
        if not tasks:
            return []
        count = len(tasks)
        results = runner.run(tasks, title, lambda done: report_progress(done / count))
        self.effort.peak = max(self.effort.peak, *(result.peak for result in results))
        return results
