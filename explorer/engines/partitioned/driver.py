"""The driver: it cuts the work on a level into tasks and makes the next level."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from attrs import define, evolve, frozen

from replicheck.explorer.engines.partitioned.broadcast import Knowledge, agree
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
from replicheck.explorer.engines.partitioned.manifest import Level, Levels
from replicheck.explorer.engines.partitioned.runners import InProcess, Runner
from replicheck.explorer.engines.partitioned.store.blocks import Block
from replicheck.explorer.engines.partitioned.task_split import (
    grouped,
    parts_of,
    tasks_for,
)
from replicheck.explorer.engines.partitioned.worker.worker import Process
from replicheck.explorer.frontier.levels import NARROW, WIDE
from replicheck.explorer.search.bookkeeping import Progressed

Glance = Callable[[float], None]
"""Is told which share of a level's states is expanded; may raise to end the search."""


@define
class Effort:
    """What a search has taken, in all processes together.

    ``expanding`` and ``merging`` are CPU seconds of tasks. ``exchanged`` is how many
    bytes processes sent one another through files; ``twice`` how many leaves more than
    one of them learned on the same level; ``alone`` how many levels the driver did;
    ``sent`` how many of the tasks the cluster did; ``peak`` the most bytes of memory
    that a process held that did tasks.
    """

    expanding: float = 0.0
    merging: float = 0.0
    tasks: int = 0
    alone: int = 0
    sent: int = 0
    exchanged: int = 0
    leaves: int = 0
    twice: int = 0
    peak: int = 0


@frozen(eq=False)
class _Found:
    """What one expansion wrote, and what its fresh numbers mean."""

    written: Sequence[Written]
    bases: Sequence[int]
    numbers: Sequence[Numbers]

    def sources(self, bucket: int) -> list[Source]:
        return [
            Source(each.piece, self.bases, self.numbers)
            for each in self.written
            if each.bucket == bucket
        ]


class Driver:
    """The levels of one search, done by a cluster, or alone where they are small."""

    def __init__(
        self,
        process: Process,
        levels: Levels,
        cluster: Runner,
        small: int,
        patience: float,
    ) -> None:
        self.process, self.levels = process, levels
        self.small, self.patience = small, patience
        self.effort = Effort()
        self._cluster, self._alone = cluster, InProcess.of(process)

    @property
    def level(self) -> Level:
        """Return the last complete level."""
        return self.levels.levels[-1]

    @property
    def unused(self) -> str | None:
        """Return why the cluster has done nothing, or None if it has done something."""
        if self.effort.sent:
            return None
        most = max(each.count for each in self.levels.levels)
        if most < self.small:
            return (
                f"the largest level has {most:,} states, and levels of fewer than"
                f" {self.small:,} are done sooner without it"
            )
        return (
            f"a search takes {self.patience:g} s of CPU before it is worth a start, and"
            " this one had no level left then that is large enough"
        )

    def begin(self, starts: dict[int, tuple[int, ...]], nothing: Progressed) -> None:
        """Make the initial states the first level.

        Args:
            starts: their rows by fingerprint, in ascending order.

        Raises:
            OSError: if the store cannot be written.
        """
        process, count = self.process, len(starts)
        news = process.news
        block = Block(
            process.agreement.to_global(np.array(list(starts.values()))),
            np.array(list(starts), np.uint64),
            np.zeros((count, process.learner.tables.width), np.uint64),
            np.zeros(count, np.uint64),
            np.zeros(count, np.uint32),
        )
        written = process.write(0, block)
        knowledge = agree(process, [], 0, [news])
        found = _Found(written, news.bases, knowledge.numbers[0])
        empty = [
            Merged(number, 0, None, None, None, ())
            for number in range(process.setup.buckets)
        ]
        merged = self._merged(0, empty, [found], "the initial states", _unseen)
        self._commit(0, merged, knowledge, nothing)

    def expand(self, task: Expand, title: str, glance: Glance) -> list[Expanded]:
        """Expand all buckets of the last level, each as the task says.

        Raises:
            CheckpointError: if a file is not as it was written.
            ModelError: if the model breaks the contract.
        """
        parts, states = parts_of(self.level), self.level.count
        runner = self._runner(states)
        self.effort.alone += runner is self._alone
        groups = grouped(
            parts, [each.count for each in parts], tasks_for(states, runner.slots)
        )
        tasks = [evolve(task, parts=group) for group in groups]
        results: list[Expanded] = self._run(runner, tasks, f"{title}: expand", glance)
        self.effort.expanding += sum(each.seconds for each in results)
        return results

    def advance(
        self,
        reports: Sequence[Expanded],
        progressed: Callable[[int], Progressed],
        title: str,
        glance: Glance,
    ) -> None:
        """Make a level of what was found, perhaps an empty one.

        Args:
            progressed: tells how far the search is with so many states to expand next.

        Raises:
            CheckpointError: if a file is not as it was written.
            OSError: if the store cannot be written.
        """
        number = self.level.number + 1
        news = [report.news for report in reports]
        knowledge = agree(self.process, self.levels.known, number, news)
        self.effort.leaves += knowledge.leaves
        self.effort.twice += knowledge.twice
        found = [
            _Found(report.written, report.news.bases, numbers)
            for report, numbers in zip(reports, knowledge.numbers, strict=True)
        ]
        merged = self._merged(
            number, self.level.buckets, found, title, lambda done: glance(1.0)
        )
        count = sum(each.count for each in merged)
        self._commit(number, merged, knowledge, progressed(count))

    def _merged(
        self,
        number: int,
        before: Sequence[Merged],
        found: Sequence[_Found],
        title: str,
        glance: Glance,
    ) -> list[Merged]:
        """Return the buckets of the next level."""
        counts = {
            bucket: sum(
                each.count
                for one in found
                for each in one.written
                if each.bucket == bucket
            )
            for bucket in range(len(before))
        }
        self.effort.exchanged += sum(
            each.piece.size for one in found for each in one.written
        )
        buckets = [
            Bucket(
                each.bucket,
                [source for one in found for source in one.sources(each.bucket)],
                each.runs,
            )
            for each in before
            if counts[each.bucket]
        ]
        runner = self._runner(sum(counts.values()))
        groups = grouped(
            buckets,
            [counts[each.bucket] for each in buckets],
            tasks_for(sum(counts.values()), runner.slots),
        )
        tasks = [Merge(number, group, self._row_type) for group in groups]
        results: list[MergedAll] = self._run(runner, tasks, f"{title}: merge", glance)
        self.effort.merging += sum(each.seconds for each in results)
        by_bucket = {each.bucket: each for one in results for each in one.buckets}
        return [
            by_bucket.get(
                each.bucket, Merged(each.bucket, 0, None, None, None, each.runs)
            )
            for each in before
        ]

    @property
    def _row_type(self) -> str:
        largest = max(self.process.agreement.counts)
        return str(NARROW if largest <= 1 << 16 else WIDE)

    def _commit(
        self,
        number: int,
        merged: Sequence[Merged],
        knowledge: Knowledge,
        done: Progressed,
    ) -> None:
        self.levels.commit(
            Level(
                number,
                merged,
                knowledge.file,
                done.generated,
                done.enabled,
                done.cuts,
                done.held,
                done.sightings,
                done.seconds,
            )
        )

        if self.process.states is not None:
            names = [each.parquet for each in merged if each.parquet is not None]
            self.process.states.keep(number, names)

    def _runner(self, states: int) -> Runner:
        is_short = self.effort.expanding + self.effort.merging < self.patience
        return self._alone if is_short or states < self.small else self._cluster

    def _run(
        self, runner: Runner, tasks: Sequence[Task], title: str, glance: Glance
    ) -> list[Result]:
        self.effort.tasks += len(tasks)
        self.effort.sent += len(tasks) if runner is self._cluster else 0
        if not tasks:
            return []
        results = runner.run(tasks, title, lambda done: glance(done / len(tasks)))
        self.effort.peak = max(self.effort.peak, *(each.peak for each in results))
        return results


def _unseen(done: float) -> None:
    """Watch nothing."""
