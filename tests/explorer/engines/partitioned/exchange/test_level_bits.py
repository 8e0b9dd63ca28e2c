"""Bits of disabled instances: the driver chooses for all processes."""

from __future__ import annotations

from typing import Any

import pytest

from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import unwatched
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.partitioned.exchange.messages import Expand
from replicheck.explorer.engines.partitioned.worker.worker import Worker
from replicheck.explorer.native.disabled_bits import width_of
from replicheck.explorer.native.kernels.arrays import Level
from shipped import CATALOGUE


def test_a_level_has_the_bits_that_its_finders_were_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Few of many, once some states are expanded; and what is found is the same."""
    (task,) = tasks(CATALOGUE, ("leader-disk-fails",), Overrides("breadth-first"))
    told = list[Expand]()
    widths = list[int]()
    expand, assemble = Worker.expand, Worker.assemble

    def hear(worker: Worker, message: Expand) -> Any:
        told.append(message)
        return expand(worker, message)

    def look(worker: Worker, parts: Any) -> Level:
        level = assemble(worker, parts)
        for earlier in told:
            if earlier.level == told[-1].level - 1:
                assert (level.bits.places == earlier.places).all()
        assert level.disabled.shape[1] == width_of(level.bits)
        widths.append(level.disabled.shape[1])
        return level

    monkeypatch.setattr(Worker, "expand", hear)
    monkeypatch.setattr(Worker, "assemble", look)
    engine = Partitioned(cluster=in_process(2), small=500)
    search = task.search(unwatched)
    report = engine.explore(task.model, task.properties, search)
    expected = BreadthFirst(threads=1).explore(task.model, task.properties, search)
    assert report == expected
    assert set(widths) == {6, 2}
    assert widths == sorted(widths, reverse=True)
