"""Searches in which functions soon run on plain states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from plain.rings import Claim, all_rings
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.learning.plain import (
    plain_functions,
    plain_runs,
    whole_reads,
)
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report
from toys import Toy


@contextmanager
def soon(share: float = whole_reads.NEARLY_ALL) -> Iterator[None]:
    """Decide after two runs of a function whether it runs on plain states."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk_walker, "MANY_RUNS", 0)
        patch.setattr(plain_functions, "EVERY", 1)
        patch.setattr(plain_runs, "REPEATED", 4)
        patch.setattr(whole_reads, "WINDOW", 2)
        patch.setattr(whole_reads, "NEARLY_ALL", share)
        yield


def plain_runs_of(report: Report[Any], name: str) -> int:
    """How many runs of a function were on plain states."""
    assert report.statistics.breadth_first is not None
    return report.statistics.breadth_first.functions[name].plain


def searched(
    actions: tuple[Any, ...],
    *properties: Property,
    constraints: Sequence[Claim] = (),
    sample: int = 64,
) -> Report[Any]:
    """The report of the breadth-first engine, which is that of the naive one."""
    model = Toy(actions, tuple(all_rings()), constraints)
    search, engine = Search(stop=Stop.DECIDED), BreadthFirst(threads=1, sample=sample)
    with soon():
        found = engine.explore(model, properties, search)
    assert found == Naive().explore(model, properties, search)
    return found
