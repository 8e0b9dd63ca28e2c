"""Runners: they do the tasks of a level, some at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from replicheck.explorer.engines.partitioned.exchange.messages import (
    Result,
    SearchSpec,
    Task,
)
from replicheck.explorer.engines.partitioned.store.store import Store
from replicheck.explorer.engines.partitioned.worker.worker import Worker


class Runner(Protocol):
    """Does tasks, in any order and any number of times, and returns all results."""

    @property
    def slots(self) -> int:
        """Number of tasks that are at work at the same time."""

    def run(
        self, tasks: Sequence[Task], title: str, report_progress: Callable[[int], None]
    ) -> list[Result]:
        """The result of each task, in the order of the tasks.

        Args:
            title: what a person who watches is told.
            report_progress: is told every second or so how many are done; may raise.

        Raises:
            CheckpointError, ModelError: as the tasks do.
        """

    def close(self) -> None:
        """End everything."""


class InProcess:
    """Workers that share this process, and take turns."""

    def __init__(self, spec: SearchSpec, store: Store, count: int) -> None:
        self._workers = [Worker(spec, store) for _ in range(count)]
        self._turn = 0

    @classmethod
    def of(cls, worker: Worker) -> InProcess:
        """The runner that has all tasks done by one process."""
        runner = cls(worker.spec, worker.store, 0)
        runner._workers.append(worker)
        return runner

    @property
    def slots(self) -> int:
        """The number of processes."""
        return len(self._workers)

    def run(
        self, tasks: Sequence[Task], title: str, report_progress: Callable[[int], None]
    ) -> list[Result]:
        """Do one task after the other. See `Runner.run`."""
        results = []
        for number, task in enumerate(tasks):
            report_progress(number)
            self._turn = (self._turn + 1) % len(self._workers)
            worker = self._workers[self._turn]
            worker.while_working = partial(report_progress, number)
            results.append(worker.do(task))
        return results

    def close(self) -> None:
        """End everything."""
        for worker in self._workers:
            worker.threads.close()


class StartedWhenNeeded:
    """A runner that begins when there is something to do."""

    def __init__(self, begin: Callable[[], Runner]) -> None:
        self._begin = begin
        self._runner: Runner | None = None

    @property
    def slots(self) -> int:
        """Number of tasks that are at work at the same time."""
        return self._started.slots

    def run(
        self, tasks: Sequence[Task], title: str, report_progress: Callable[[int], None]
    ) -> list[Result]:
        """The result of each task. See `Runner.run`."""
        return self._started.run(tasks, title, report_progress)

    def close(self) -> None:
        """End everything that has begun."""
        if self._runner is not None:
            self._runner.close()

    @property
    def _started(self) -> Runner:
        if self._runner is None:
            self._runner = self._begin()
        return self._runner
