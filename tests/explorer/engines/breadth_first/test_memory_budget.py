"""The budget of memory holds for what cannot move to the disk, too."""

from __future__ import annotations

import pytest

from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.report import Verdict
from replicheck.explorer.search.memory_budget import MemoryBudget
from replicheck.explorer.tables import dictionary
from searches.interrupted_searches import MODEL
from searches.replication_searches import PROPERTIES


@pytest.mark.parametrize("calls", [2, 5])
def test_tables_that_the_budget_has_no_room_for(
    calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not laid out: the search ends before it takes more, with a report."""
    asked: list[int] = []

    def refuse(budget: MemoryBudget, more: int) -> None:
        asked.append(more)
        if len(asked) >= calls:
            raise MemoryError

    monkeypatch.setattr(MemoryBudget, "require_room", refuse)
    monkeypatch.setattr(dictionary, "FIRST_CAPACITY", 1)
    report = BreadthFirst(threads=1).explore(MODEL, PROPERTIES)
    assert report.cut == "memory"
    assert report.verdict is Verdict.INCOMPLETE
    assert min(asked) > 0
