"""Where memory runs short, the path moves to files first, and leads to the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from replicheck.explorer.engine import (
    CheckpointSettings,
    Progress,
    Search,
    Stop,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.breadth_first.storage import Storage
from replicheck.explorer.report import Report, Verdict
from replicheck.explorer.search import memory_budget
from replicheck.explorer.search.parent_pointers import ParentPointers
from replicheck.explorer.search.path_file import moved_to_file
from searches.replication_searches import (
    PROPERTIES,
    TWO_RECORDS,
    make_chunks_small,
    truncating_to_high_watermark,
)

REPLICATION = truncating_to_high_watermark(TWO_RECORDS)
MOST = 200
"""Bytes of a path for which there is memory."""
UNTIL_DECIDED = Search(stop=Stop.DECIDED)

path_levels = st.integers(0, 20).flatmap(
    lambda count: st.tuples(
        arrays.arrays(np.uint32, count),
        st.sampled_from([np.uint16, np.uint32]).flatmap(
            lambda kind: arrays.arrays(kind, count)
        ),
    )
)


@given(st.lists(path_levels, min_size=1))
def test_a_file_has_what_was_in_memory(
    tmp_path_factory: pytest.TempPathFactory, levels: list[Any]
) -> None:
    """Of every level, whatever the width of its numbers."""
    folder = tmp_path_factory.mktemp("run")
    for kept, level in zip(moved_to_file(levels, folder), levels, strict=True):
        for array, original in zip(kept, level, strict=True):
            assert array.dtype == original.dtype
            assert array.tolist() == original.tolist()
    assert not list(folder.iterdir())


@pytest.fixture(scope="module")
def expected() -> Report[Any]:
    """What a search in memory finds."""
    return BreadthFirst().explore(REPLICATION, PROPERTIES, UNTIL_DECIDED)


@pytest.fixture
def moves(expected: Report[Any], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have little memory for the path; return the bytes in files after each move."""
    make_chunks_small(monkeypatch)
    moved: list[int] = []
    move = ParentPointers.move_to_file

    def move_and_note(path: ParentPointers, folder: Path) -> None:
        move(path, folder)
        moved.append(path.file_size)

    def is_short(storage: Storage) -> bool:
        return storage.path.size > MOST

    monkeypatch.setattr(memory_budget, "WORTH_MOVING", 0)
    monkeypatch.setattr(memory_budget, "PATH_SHARE", 0)
    monkeypatch.setattr(ParentPointers, "move_to_file", move_and_note)
    monkeypatch.setattr(Storage, "_is_short_of_memory", property(is_short))
    return moved


@pytest.mark.parametrize("threads", [1, 2])
def test_a_path_in_files_leads_to_the_violation(
    tmp_path: Path, expected: Report[Any], moves: list[int], threads: int
) -> None:
    """The report, traces included, is that of a search in memory."""
    folder = tmp_path / "kept"
    engine = BreadthFirst(threads=threads, keep=CheckpointSettings(folder, 1000))
    found = engine.explore(REPLICATION, PROPERTIES, UNTIL_DECIDED)
    assert found == expected
    assert found.verdict is Verdict.VIOLATED
    memory: Any = found.statistics.memory
    assert not memory.on_disk
    assert len(moves) > 1
    assert moves == sorted(moves)
    assert not folder.exists()


def test_a_path_in_files_goes_into_a_checkpoint(
    tmp_path: Path, expected: Report[Any], moves: list[int]
) -> None:
    """A later process goes on, and finds the same."""
    seen: list[int] = []

    def interrupt(progress: Progress) -> None:
        seen.append(progress.depth)
        if len(moves) == 2:
            raise KeyboardInterrupt

    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 1000))
    first = Search(stop=Stop.DECIDED, watch=interrupt)
    assert engine.explore(REPLICATION, PROPERTIES, first).cut == "interrupted"
    assert engine.resume(REPLICATION, PROPERTIES, UNTIL_DECIDED) == expected
