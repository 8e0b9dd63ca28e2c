"""Daemon: the process from which Spark forks its Python workers, all imported.

Spark has its workers import PySpark from archives, which hold no bytecode and are read
anew for each task. Where they are part of the PySpark that is installed, that is taken.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import replicheck.explorer.engines.partitioned.worker.worker  # noqa: F401

ARCHIVES = ("pyspark.zip", "-src.zip")
ServeTasks = Callable[[Any, bool], int]
"""Serves the tasks that come through a connection, and returns an exit code."""


def without_archives(path: list[str]) -> list[str]:
    """A search path without the archives, if the installed PySpark has them."""
    archives = [entry for entry in path if entry.endswith(ARCHIVES)]
    rest = [entry for entry in path if entry not in archives]
    found = PathFinder.find_spec("pyspark", rest)
    if found is None or found.origin is None:
        return path
    installed = Path(found.origin).parent
    are_its_own = all(Path(archive).is_relative_to(installed) for archive in archives)
    return rest if are_its_own else path


def without_complaint(worker: ServeTasks) -> ServeTasks:
    """Wrap a worker: no traceback when Spark is there no more.

    Spark closes the sockets of its workers when it ends, also while one writes the last
    word of a task that no process waits for.
    """

    def run(connection: Any, authenticated: bool) -> int:
        try:
            return worker(connection, authenticated)
        except BrokenPipeError:
            return 1

    return run


if __name__ == "__main__":
    sys.path[:] = without_archives(sys.path)
    import pyspark.worker  # noqa: F401
    from pyspark import daemon

    if hasattr(daemon, "worker"):
        daemon.worker = without_complaint(daemon.worker)
    # The daemon collects garbage after every task: nothing of this is garbage.
    gc.collect()
    gc.freeze()
    daemon.manager()
