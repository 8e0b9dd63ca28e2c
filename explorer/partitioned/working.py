"""The work on a task, whatever it is."""

from __future__ import annotations

import time

from attrs import evolve

from replicheck.explorer import memory
from replicheck.explorer.partitioned.expanding import Process
from replicheck.explorer.partitioned.merging import Merger
from replicheck.explorer.partitioned.tasks import (
    Bucket,
    Expand,
    Merged,
    MergedAll,
    Result,
    Task,
)


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
    return MergedAll(merged, time.process_time() - started, memory.peak())


def _merged(process: Process, merger: Merger, bucket: Bucket) -> Merged:
    merged, block = merger.merged(bucket)
    if process.states is None or block is None:
        return merged
    name = process.states.write(merger.task.level, bucket.bucket, block)
    return evolve(merged, parquet=name)
