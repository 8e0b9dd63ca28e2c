"""The engines that every specification of an engine is checked with."""

from __future__ import annotations

from replicheck.explorer.engine import Engine
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk

ENGINES: list[Engine] = [
    Naive(),
    NumpyWalk(),
    BreadthFirst(threads=1),
    BreadthFirst(threads=2),
    Partitioned(buckets=4, cluster=in_process(2), small=0),
]


def name_of(engine: Engine) -> str:
    """The name by which a test with this engine goes."""
    threads = getattr(engine, "threads", None)
    return engine.name if threads is None else f"{engine.name}-{threads}"
