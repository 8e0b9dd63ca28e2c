"""What a Python worker of Spark does: tasks, with the tables that it has learned."""

from __future__ import annotations

import gc
import pickle

from replicheck.explorer.engines.partitioned.exchange.messages import SearchSpec
from replicheck.explorer.engines.partitioned.store.store_uri import at
from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.states.encoding import EncodedOtherwise

_workers: dict[str, Worker] = {}
"""The search that this process is at work on, by its key."""


def do(key: str, spec: bytes, task: bytes) -> bytes:
    """Do a task; return its result, or the error that ended it, pickled."""
    try:
        return pickle.dumps(_worker(key, spec).do(pickle.loads(task)))
    except (CheckpointError, MemoryError, ModelError, EncodedOtherwise) as error:
        return pickle.dumps(error)


def _worker(key: str, pickled: bytes) -> Worker:
    if key not in _workers:
        _workers.clear()
        spec: SearchSpec = pickle.loads(pickled)
        _workers[key] = Worker(spec, at(spec.store))
        # Spark collects garbage after every task: nothing of this is garbage.
        gc.collect()
        gc.freeze()
    return _workers[key]
