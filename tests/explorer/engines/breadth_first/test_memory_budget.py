"""The budget of memory holds for what cannot move to the disk, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.search.memory_budget import BudgetExceeded, MemoryBudget
from replicheck.explorer.tables import dictionary
from searches.interrupted_searches import MODEL, SEARCH, engine, resumed
from searches.replication_searches import PROPERTIES


@pytest.mark.parametrize("calls", [2, 5])
def test_tables_that_the_budget_has_no_room_for(
    calls: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not laid out: the search ends, and goes on where there is room."""
    asked: list[int] = []

    def refuse(budget: MemoryBudget, more: int) -> None:
        asked.append(more)
        if len(asked) >= calls:
            raise BudgetExceeded

    with monkeypatch.context() as patched:
        patched.setattr(MemoryBudget, "require_room", refuse)
        patched.setattr(dictionary, "FIRST_CAPACITY", 1)
        report = engine(tmp_path, interval=1000).explore(MODEL, PROPERTIES, SEARCH)
    assert report.cut == "memory"
    assert min(asked) > 0
    again = resumed(tmp_path)
    whole = BreadthFirst(threads=1).explore(MODEL, PROPERTIES, SEARCH)
    assert again == whole
    assert again.statistics.values == whole.statistics.values
    assert again.statistics.coverage == whole.statistics.coverage
