"""Runners: who does the tasks of a level, and how many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from replicheck.explorer.engines.partitioned.exchange.messages import (
    Result,
    Setup,
    Task,
)
from replicheck.explorer.engines.partitioned.store.store import Store
from replicheck.explorer.engines.partitioned.worker.worker import Process


class Runner(Protocol):
    """Does tasks, in any order and any number of times, and returns all results."""

    @property
    def slots(self) -> int:
        """Return how many tasks are at work at the same time."""

    def run(
        self, tasks: Sequence[Task], title: str, glance: Callable[[int], None]
    ) -> list[Result]:
        """Return the result of each task, in the order of the tasks.

        Args:
            title: what a person who watches is told.
            glance: is told every second or so how many are done; may raise.

        Raises:
            CheckpointError, ModelError: as the tasks do.
        """

    def close(self) -> None:
        """End everything."""


class InProcess:
    """Some processes that are none: they share this one, and take turns."""

    def __init__(self, setup: Setup, store: Store, count: int) -> None:
        self._processes = [Process(setup, store) for _ in range(count)]
        self._turn = 0

    @classmethod
    def of(cls, process: Process) -> InProcess:
        """Return the runner that has all tasks done by one process."""
        runner = cls(process.setup, process.store, 0)
        runner._processes.append(process)
        return runner

    @property
    def slots(self) -> int:
        """Return the number of processes."""
        return len(self._processes)

    def run(
        self, tasks: Sequence[Task], title: str, glance: Callable[[int], None]
    ) -> list[Result]:
        """Do one task after the other. See `Runner.run`."""
        results = []
        for number, task in enumerate(tasks):
            glance(number)
            self._turn = (self._turn + 1) % len(self._processes)
            results.append(self._processes[self._turn].do(task))
        return results

    def close(self) -> None:
        """End everything."""
        for each in self._processes:
            each.threads.close()


class Started:
    """A runner that begins when there is something to do."""

    def __init__(self, begin: Callable[[], Runner]) -> None:
        self._begin = begin
        self._runner: Runner | None = None

    @property
    def slots(self) -> int:
        """Return how many tasks are at work at the same time."""
        return self._started.slots

    def run(
        self, tasks: Sequence[Task], title: str, glance: Callable[[int], None]
    ) -> list[Result]:
        """Return the result of each task. See `Runner.run`."""
        return self._started.run(tasks, title, glance)

    def close(self) -> None:
        """End everything that has begun."""
        if self._runner is not None:
            self._runner.close()

    @property
    def _started(self) -> Runner:
        if self._runner is None:
            self._runner = self._begin()
        return self._runner
