"""Spark as the cluster of a partitioned search."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from py4j.protocol import Py4JError
from pyspark import SparkContext, cloudpickle
from pyspark.errors import PySparkException

from replicheck.explorer.engines.partitioned.engine import Cluster
from replicheck.explorer.engines.partitioned.exchange.messages import (
    Result,
    SearchSpec,
    Task,
)
from replicheck.explorer.engines.partitioned.runners import Runner
from replicheck.explorer.engines.partitioned.spark import session
from replicheck.explorer.engines.partitioned.spark.python_worker import do
from replicheck.explorer.engines.partitioned.store.store import Store
from replicheck.explorer.errors import ClusterError, ModelError
from replicheck.explorer.states.encoding import EncodedOtherwise

BLINK = 1.0
"""Seconds between two glances at the search."""


def spark(master: str | None, files: Sequence[Path] = ()) -> Cluster:
    """The cluster at a master; None is that of the user's configuration.

    If an application of Spark runs in this process already, it does the tasks, wherever
    it is, and goes on afterwards.

    Args:
        files: modules that workers import besides what is installed there.
    """

    def begin(spec: SearchSpec, store: Store) -> Runner:
        running = session.running()
        context = running or session.begin(master)
        for file in files:
            context.addPyFile(str(file))
        return (OwnSparkRunner if running is None else SparkRunner)(spec, context)

    return begin


def pickled(spec: SearchSpec) -> bytes:
    """Pickle a search specification for other processes.

    Actions that were put together from others have no name in a module, so they go
    with their code.

    Raises:
        ModelError: if the model cannot be sent to another process.
    """
    try:
        content: bytes = cloudpickle.dumps(spec)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ModelError(
            f"the model {spec.model.name} cannot be sent to another process: {error}"
        ) from error
    return content


class SparkRunner:
    """Has each round of tasks done as one job of Spark."""

    def __init__(self, spec: SearchSpec, context: SparkContext) -> None:
        self._context = context
        self._do = partial(do, spec.key, pickled(spec))
        self._thread = ThreadPoolExecutor(1)

    @property
    def slots(self) -> int:
        """Number of tasks that Spark does at the same time."""
        return int(self._context.defaultParallelism)

    def run(
        self, tasks: Sequence[Task], title: str, report_progress: Callable[[int], None]
    ) -> list[Result]:
        """The result of each task. See `Runner.run`.

        Raises:
            ClusterError: if Spark gives up on one.
        """
        group = uuid4().hex
        job = self._thread.submit(self._collect, group, title, tasks)
        try:
            report_progress(0)
            while wait([job], BLINK).not_done:
                report_progress(self._finished(group))
        except BaseException:
            self._context.cancelJobGroup(group)
            wait([job])
            raise
        return self._results(job)

    def close(self) -> None:
        """End what the search began; the application goes on."""
        self._thread.shutdown()

    def _collect(self, group: str, title: str, tasks: Sequence[Task]) -> list[bytes]:
        self._context.setJobGroup(group, title)
        pickled = [pickle.dumps(task) for task in tasks]
        found: list[bytes] = (
            self._context.parallelize(pickled, len(pickled)).map(self._do).collect()
        )
        return found

    def _finished(self, group: str) -> int:
        """Number of tasks of a job that are done."""
        tracker = self._context.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
        stages = [
            tracker.getStageInfo(stage)
            for job in jobs
            if job is not None
            for stage in job.stageIds
        ]
        return sum(info.numCompletedTasks for info in stages if info is not None)

    @staticmethod
    def _results(job: Future[list[bytes]]) -> list[Any]:
        try:
            results = [pickle.loads(pickled) for pickled in job.result()]
        except (Py4JError, PySparkException) as error:
            text = str(getattr(error, "java_exception", error))
            raise ClusterError(
                f"Spark gave up: {text.partition(chr(10))[0]}"
            ) from error
        for result in results:
            if isinstance(result, Exception | EncodedOtherwise):
                raise result
        return results


class OwnSparkRunner(SparkRunner):
    """Has them done by an application that began for the search."""

    def close(self) -> None:
        """End the application."""
        super().close()
        self._context.stop()
