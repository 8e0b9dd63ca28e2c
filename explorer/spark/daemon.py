"""The process from which Spark forks its Python workers, with everything imported.

It serves a local master, whose workers have the driver's Python: so what Spark puts
before its packages, copies of itself as archives without bytecode, is not needed.
"""

from __future__ import annotations

import gc
import sys
from importlib.machinery import PathFinder

import replicheck.explorer.partitioned.working  # noqa: F401

ARCHIVES = ("pyspark.zip", "-src.zip")

if __name__ == "__main__":
    packages = [each for each in sys.path if not each.endswith(ARCHIVES)]
    if PathFinder.find_spec("pyspark", packages) is not None:
        sys.path[:] = packages
    import pyspark.worker  # noqa: F401
    from pyspark.daemon import manager

    # The daemon collects garbage after every task: nothing of this is garbage.
    gc.collect()
    gc.freeze()
    manager()
