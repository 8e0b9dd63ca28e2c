"""Searches that are killed, and go on from their checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, frozen

from replicheck.explorer.engine import CheckpointSettings, Progress, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.report import Report
from searches.replication_searches import (
    ONE_RECORD,
    PROPERTIES,
    truncating_to_high_watermark,
)

MODEL = truncating_to_high_watermark(ONE_RECORD)
SEARCH = Search(stop=Stop.DECIDED)


class Killed(BaseException):
    """Stands for a signal that leaves a process no time to do anything."""


@frozen
class KilledAt:
    """Kills a process at its n-th glance."""

    glances: int
    seen: list[int]

    def __call__(self, progress: Progress) -> None:
        """Count the glance."""
        self.seen.append(progress.depth)
        if len(self.seen) == self.glances:
            raise Killed


def engine(folder: Path, threads: int = 1, interval: float = 0) -> BreadthFirst:
    """An engine that keeps checkpoints in a folder."""
    return BreadthFirst(
        threads=threads, keep=CheckpointSettings(folder, interval, {"what": "a test"})
    )


def killed(folder: Path, glances: int, threads: int = 1) -> None:
    """Search until a process is killed."""
    search = evolve(SEARCH, watch=KilledAt(glances, []))
    with pytest.raises(Killed):
        engine(folder, threads).explore(MODEL, PROPERTIES, search)


def resumed(folder: Path, threads: int = 1) -> Report[Any]:
    """Go on to the end."""
    return engine(folder, threads).resume(MODEL, PROPERTIES, SEARCH)
