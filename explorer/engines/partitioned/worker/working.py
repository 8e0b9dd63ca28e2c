"""The work on a task, whatever it is."""

from __future__ import annotations

import time

from attrs import evolve

from replicheck.explorer.engines.partitioned.exchange.messages import (
    Bucket,
    Expand,
    Merged,
    MergedAll,
    Result,
    Task,
)
from replicheck.explorer.engines.partitioned.worker.merge import Merger
from replicheck.explorer.engines.partitioned.worker.worker import Process
from replicheck.explorer.runtime import process_memory


def work(process: Process, task: Task) -> Result:
    """Do a task and return its result.

    Raises:
        CheckpointError: if a file is not as it was written.
        ModelError: if the model breaks the contract.
    """
    if isinstance(task, Expand):
        return process.expand(task)
    started = time.process_time()
    merger = Merger(process.store, task, process.agreement.of_column)
    merged = [_merged(process, merger, bucket) for bucket in task.buckets]
    merger.write()
    return MergedAll(merged, time.process_time() - started, process_memory.peak())


def _merged(process: Process, merger: Merger, bucket: Bucket) -> Merged:
    merged, block = merger.merged(bucket)
    if process.states is None or block is None:
        return merged
    name = process.states.write(merger.task.level, bucket.bucket, block)
    return evolve(merged, parquet=name)
