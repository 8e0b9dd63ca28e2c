"""Rounds of a level: limits are looked at between them, and each needs room."""

from __future__ import annotations

import pytest

import toys
from replicheck.explorer.engine import Limits, Progress, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.frontier import chunk_walker


def test_a_round_has_fewer_states_where_each_has_many_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As many as had a chunk's steps in the level before; the report is as ever."""
    monkeypatch.setattr(chunk_walker, "CHUNKS", 1)
    monkeypatch.setattr(chunk_walker, "SMALLEST_CHUNK", 1)
    monkeypatch.setattr(chunk_walker, "STEPS", 30_000)
    left: list[int] = []

    def watch(progress: Progress) -> None:
        if progress.depth == 2:
            left.append(progress.frontier)

    search = Search(Limits(depth=2), watch=watch)
    report = BreadthFirst(threads=1).explore(toys.wide(), [], search)
    assert left == [300, 200, 100]
    assert report == Naive().explore(toys.wide(), [], Search(Limits(depth=2)))
