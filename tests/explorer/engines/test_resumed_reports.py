"""A law: a search with any options, killed at any moment, has the same report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from random_models.symmetric_systems import symmetric_systems
from random_models.systems import systems
from replicheck.explorer.engine import (
    CheckpointSettings,
    Limits,
    Search,
    Stop,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.states.symmetry import Reduction
from searches.interrupted_searches import Killed
from searches.replication_searches import (
    PROPERTIES,
    TWO_RECORDS,
    make_chunks_small,
    truncating_to_high_watermark,
)
from searches.resumed_searches import (
    MOMENTS,
    EndsAt,
    Moment,
    content,
    ended_and_resumed,
)
from searches.unreliable_cluster import small_tasks, unreliable

pytestmark = pytest.mark.slow

QUICK = settings(
    deadline=None,
    max_examples=25,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report progress within levels, too, and do not wait for the disk."""
    make_chunks_small(monkeypatch)


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
    moments: list[Moment],
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


PARTITIONED = st.builds(
    Partitioned,
    buckets=st.sampled_from([1, 4, 16]),
    cluster=st.just(unreliable),
    small=st.sampled_from([0, 20]),
    sample=st.sampled_from([1, 10, 1_000]),
    reduction=st.sampled_from(Reduction),
)


@QUICK
@given(
    symmetric_systems() | systems(),
    PARTITIONED,
    st.sampled_from([Stop.FIRST_VIOLATION, Stop.DECIDED]),
    MOMENTS,
)
def test_a_resumed_partitioned_search_of_a_random_system(
    system: Any, engine: Partitioned, stop: Stop, moments: list[Moment]
) -> None:
    """Whatever the number of buckets, order, repetition and process of tasks."""
    search = Search(Limits(states=2_000), stop)
    properties = system.properties
    with small_tasks():
        try:
            whole = engine.explore(system.model, properties, search)
        except ModelError:
            return
        memory = [None] * (len(moments) + 1)
        ended = ended_and_resumed(
            engine, system.model, properties, search, moments, memory
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


@pytest.mark.parametrize("reason", [Killed, KeyboardInterrupt])
def test_a_partitioned_search_survives_an_end_at_every_level(
    reason: type[BaseException],
) -> None:
    """It has the report of the local engine, the guards it covers among it."""
    search = Search(stop=Stop.DECIDED)
    engine = Partitioned(buckets=4, cluster=unreliable, small=100)
    local = BreadthFirst(threads=1).explore(REPLICATION, PROPERTIES, search)
    with small_tasks():
        for moment in range(1, local.depth + 4, 5):
            ended = ended_and_resumed(
                engine, REPLICATION, PROPERTIES, search, [(moment, reason)], [None] * 2
            )
            assert content(ended) == content(local)


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
