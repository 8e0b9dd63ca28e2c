"""The two engines that leave out steps, as tests run them."""

from __future__ import annotations

from typing import Any

import pytest

from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.partitioned.exchange.messages import WorkerUpdate
from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.engines.reduced.engine import ReducedBreadthFirst
from replicheck.explorer.engines.reduced.partitioned_engine import ReducedPartitioned
from replicheck.explorer.learning.encoding_watch import CROWDED
from searches.unreliable_cluster import unreliable


def in_one_process(
    reduce_beyond: int = 0, crowded: int = CROWDED
) -> ReducedBreadthFirst:
    """The engine in one process."""
    return ReducedBreadthFirst(1, reduce_beyond=reduce_beyond, crowded=crowded)


def in_tasks(
    reduce_beyond: int = 0, crowded: int = CROWDED, buckets: int = 4
) -> ReducedPartitioned:
    """The engine with a cluster of three processes, which repeat tasks."""
    engine = Partitioned(buckets, cluster=unreliable, small=0, crowded=crowded)
    return ReducedPartitioned(engine, reduce_beyond, threads=1)


BOTH = pytest.mark.parametrize("make", [in_one_process, in_tasks])


def updates_of_tasks(patch: pytest.MonkeyPatch) -> list[WorkerUpdate]:
    """What a process knows after each task from now on, and not all know."""
    updates: list[WorkerUpdate] = []
    expand = Worker.expand

    def noted(worker: Worker, task: Any) -> Any:
        done = expand(worker, task)
        updates.append(done.update)
        return done

    patch.setattr(Worker, "expand", noted)
    return updates
