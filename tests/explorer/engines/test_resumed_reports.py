"""A law: a search with any options, killed at any moment, has the same report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from attrs import evolve, frozen
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from random_models.symmetric_systems import symmetric_systems
from random_models.systems import systems
from replicheck.explorer.engine import (
    CheckpointSettings,
    Limits,
    Progress,
    Search,
    Stop,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.report import Report
from replicheck.explorer.states.symmetry import Reduction
from searches.interrupted_searches import Killed
from searches.replication_searches import (
    PROPERTIES,
    TWO_RECORDS,
    make_chunks_small,
    truncating_to_high_watermark,
)

pytestmark = pytest.mark.slow

SAME = ("coverage", "dependencies", "values", "collisions")
"""Statistics that say what was found, not what it took."""
QUICK = settings(
    deadline=None,
    max_examples=25,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
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


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report progress within levels, too, and do not wait for the disk."""
    make_chunks_small(monkeypatch)


def content(report: Report[Any]) -> tuple[Report[Any], Mapping[str, Any]]:
    """All of a report that says what was found."""
    found = {name: getattr(report.statistics, name) for name in SAME}
    return report, {**found, "others": report.others}


def ended_and_resumed(
    engine: BreadthFirst,
    model: Any,
    properties: Any,
    search: Search,
    moments: list[tuple[int, type[BaseException]]],
    memory: list[int | None],
) -> Report[Any]:
    """Report of a search that is ended at some moments, and goes on each time."""
    with TemporaryDirectory() as folder:
        keep = CheckpointSettings(Path(folder) / "kept", every=0)
        engine = evolve(engine, keep=keep)
        report = None
        ends: list[tuple[int, type[BaseException]]] = [*moments, (0, Killed)]
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


MOMENTS = st.lists(
    st.tuples(st.integers(1, 12), st.sampled_from([Killed, KeyboardInterrupt])),
    min_size=1,
    max_size=3,
)
ENGINES = st.builds(
    BreadthFirst,
    threads=st.integers(1, 3),
    sample=st.sampled_from([1, 10, 1_000]),
    fingerprints=st.sampled_from(KeyPrecision),
    reduction=st.sampled_from(Reduction),
)
STOPS = st.sampled_from(Stop)
MEMORY = st.lists(st.sampled_from([None, 1]), min_size=4, max_size=4)


@QUICK
@given(symmetric_systems() | systems(), ENGINES, STOPS, MOMENTS, MEMORY)
def test_a_resumed_search_of_a_random_system(
    system: Any,
    engine: BreadthFirst,
    stop: Stop,
    moments: list[tuple[int, type[BaseException]]],
    memory: list[int | None],
) -> None:
    """In memory or on the disk, or first the one and then the other."""
    search = Search(Limits(states=2_000), stop)
    try:
        whole = engine.explore(system.model, system.properties, search)
    except ModelError:
        return
    memory = memory[: len(moments) + 1]
    ended = ended_and_resumed(
        engine, system.model, system.properties, search, moments, memory
    )
    assert content(ended) == content(whole)


REPLICATION = truncating_to_high_watermark(TWO_RECORDS)


@pytest.mark.parametrize("memory", [None, 1], ids=["memory", "disk"])
@pytest.mark.parametrize("reason", [Killed, KeyboardInterrupt])
def test_every_violation_survives_an_end_at_every_level(
    reason: type[BaseException], memory: int | None
) -> None:
    """A search for all violations, ended at each report of its progress in turn."""
    search = Search(stop=Stop.EXHAUSTED)
    engine = BreadthFirst(threads=1)
    whole = engine.explore(REPLICATION, PROPERTIES, search)
    assert len(whole.others) > 1
    for moment in range(1, whole.depth + 4, 5):
        ended = ended_and_resumed(
            engine, REPLICATION, PROPERTIES, search, [(moment, reason)], [memory] * 2
        )
        assert content(ended) == content(whole)


@pytest.mark.parametrize("name", ["numbers", "broken", "sample_rows"])
def test_a_file_that_was_exchanged(tmp_path: Path, name: str) -> None:
    """Its checksum is not that of the manifest."""
    folder = tmp_path / "kept"
    engine = BreadthFirst(threads=1, keep=CheckpointSettings(folder, 0))
    search = Search(stop=Stop.EXHAUSTED, watch=EndsAt(6, Killed, []))
    with pytest.raises(Killed):
        engine.explore(REPLICATION, PROPERTIES, search)
    (path,) = folder.glob(f"{name}-*")
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(CheckpointError, match=f"damaged: .*{name}"):
        engine.resume(REPLICATION, PROPERTIES, search)
