"""Searches that are ended at any moment and go on, and what their reports say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attrs import evolve, frozen
from hypothesis import strategies as st

from replicheck.explorer.engine import CheckpointSettings, Progress, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.report import Report
from searches.interrupted_searches import Killed

SAME = ("coverage", "dependencies", "values", "collisions")
"""Statistics that say what was found, not what it took."""
Moment = tuple[int, type[BaseException]]
"""A report of the progress at which a search is ended, and by what."""
MOMENTS = st.lists(
    st.tuples(st.integers(1, 12), st.sampled_from([Killed, KeyboardInterrupt])),
    min_size=1,
    max_size=3,
)


@frozen
class EndsAt:
    """Ends a search when its progress is reported for the n-th time."""

    moment: int
    reason: type[BaseException]
    seen: list[int]

    def __call__(self, progress: Progress) -> None:
        """Count the report."""
        self.seen.append(progress.depth)
        if len(self.seen) == self.moment:
            raise self.reason


def content(report: Report[Any]) -> tuple[Report[Any], Mapping[str, Any]]:
    """All of a report that says what was found."""
    found = {name: getattr(report.statistics, name) for name in SAME}
    return report, {**found, "others": report.others}


def ended_and_resumed(
    engine: BreadthFirst | Partitioned,
    model: Any,
    properties: Any,
    search: Search,
    moments: Sequence[Moment],
    memory: Sequence[int | None],
) -> Report[Any]:
    """Report of a search that is ended at some moments, and goes on each time.

    Args:
        memory: the limit of each part, one more than there are moments.
    """
    with TemporaryDirectory() as folder:
        keep = CheckpointSettings(Path(folder) / "kept", every=0)
        engine = evolve(engine, keep=keep)
        report = None
        ends: list[Moment] = [*moments, (0, Killed)]
        for (moment, reason), limit in zip(ends, memory, strict=True):
            limits = evolve(search.limits, memory=limit)
            again = evolve(search, limits=limits, watch=EndsAt(moment, reason, []))
            begin = engine.resume if keep.is_there else engine.explore
            try:
                report = begin(model, properties, again)
            except Killed:
                continue
            if report.cut != "interrupted":
                return report
        assert report is not None
        return report
