"""What a Python worker of Spark does: tasks, with the tables that it has learned."""

from __future__ import annotations

import gc
import pickle

from replicheck.explorer.engines.partitioned.exchange.messages import Setup
from replicheck.explorer.engines.partitioned.store.store_uri import at
from replicheck.explorer.engines.partitioned.worker.worker import Process
from replicheck.explorer.errors import CheckpointError, ModelError

_processes: dict[str, Process] = {}
"""The search that this process is at work on, by its key."""


def do(key: str, setup: bytes, task: bytes) -> bytes:
    """Do a task; return its result, or the error that ended it, pickled."""
    try:
        return pickle.dumps(_process(key, setup).do(pickle.loads(task)))
    except (CheckpointError, ModelError) as error:
        return pickle.dumps(error)


def _process(key: str, pickled: bytes) -> Process:
    if key not in _processes:
        _processes.clear()
        setup: Setup = pickle.loads(pickled)
        _processes[key] = Process(setup, at(setup.store))
        # Spark collects garbage after every task: nothing of this is garbage.
        gc.collect()
        gc.freeze()
    return _processes[key]
