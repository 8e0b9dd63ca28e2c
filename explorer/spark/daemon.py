"""The process from which Spark forks its Python workers, with everything imported."""

from __future__ import annotations

import gc

import replicheck.explorer.partitioned.working  # noqa: F401

if __name__ == "__main__":
    from pyspark.daemon import manager

    # The daemon collects garbage after every task: nothing of this is garbage.
    gc.freeze()
    manager()
