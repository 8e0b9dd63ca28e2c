"""A cluster whose processes do tasks in the wrong order, and some of them twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from replicheck.explorer.engines.partitioned import task_split
from replicheck.explorer.engines.partitioned.exchange.messages import (
    Result,
    SearchSpec,
    Task,
)
from replicheck.explorer.engines.partitioned.runners import InProcess
from replicheck.explorer.engines.partitioned.store.store import Store
from replicheck.explorer.engines.partitioned.worker.worker import Worker


class Unreliable(InProcess):
    """Does tasks in the wrong order and often twice; which result counts, varies."""

    def run(
        self, tasks: Sequence[Task], title: str, glance: Callable[[int], None]
    ) -> list[Result]:
        """The result of each task."""
        results: dict[int, Result] = {}
        for number in reversed(range(len(tasks))):
            first = self._next()
            results[number] = first.do(tasks[number])
            if (self._turn + number) % 3:
                again = self._next().do(tasks[number])
                results[number] = again if self._turn % 2 else results[number]
        return [results[number] for number in range(len(tasks))]

    def _next(self) -> Worker:
        self._turn = (self._turn + 1) % len(self._workers)
        return self._workers[self._turn]


def unreliable(spec: SearchSpec, store: Store) -> Unreliable:
    """A cluster of three processes."""
    return Unreliable(spec, store, 3)


@contextmanager
def small_tasks() -> Iterator[None]:
    """Let small levels be cut into several tasks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task_split, "FEWEST_STATES", 1)
        yield
