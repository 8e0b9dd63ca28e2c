"""Cells with more values than 16 bits can number."""

from __future__ import annotations

from pathlib import Path

import pytest

import toys
from replicheck.explorer.engine import CheckpointSettings, Progress, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.properties import sometimes

pytestmark = pytest.mark.slow


def comes_from_a_large_value(state: toys.Wide) -> bool:
    """The number beside it was set at the end of the widest level."""
    return state.rest == 7


def test_a_domain_outgrows_16_bits_inside_a_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that were found before are widened; states, trace and counts are right."""
    monkeypatch.setattr(chunk_walker, "CHUNKS", 1)
    monkeypatch.setattr(chunk_walker, "CHUNK", 160)
    monkeypatch.setattr(chunk_walker, "BLOCK", 160)
    claims = [sometimes(comes_from_a_large_value)]
    expected = Naive().explore(toys.wide(), claims)
    assert expected.levels == (1, 300, 90_000, 7, 2_100)

    def interrupt(progress: Progress) -> None:
        if progress.depth == 4:
            monkeypatch.undo()
            raise KeyboardInterrupt

    engine = BreadthFirst(threads=1, keep=CheckpointSettings(tmp_path, 1000))
    engine.explore(toys.wide(), claims, Search(watch=interrupt))
    assert engine.resume(toys.wide(), claims) == expected
