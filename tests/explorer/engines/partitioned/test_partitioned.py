"""The partitioned engine and the others give one report, however tasks are split."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from random_models.systems import System, systems
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import CheckpointSettings, Search, Watch, unwatched
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import (
    PRECISIONS,
    Partitioned,
    in_process,
)
from replicheck.explorer.engines.partitioned.exchange.messages import Result, SearchSpec
from replicheck.explorer.engines.partitioned.exchange.messages import Task as Piece
from replicheck.explorer.engines.partitioned.runners import InProcess
from replicheck.explorer.engines.partitioned.store.store import Store
from replicheck.explorer.engines.partitioned.worker import worker
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ClusterError
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.frontier.state_keys import KeyPrecision
from replicheck.explorer.native.kernels.arrays import MISSED
from replicheck.explorer.native.library import retry
from replicheck.explorer.report import Report
from replicheck.explorer.states.symmetry import Reduction
from replicheck.explorer.statistics import PartitionedStatistics
from replicheck.invariants.catalogue.catalogue import DEFAULT_SUITE
from searches.exhausted_memory import exhaust_memory
from searches.resumed_searches import EndsAt
from searches.unreliable_cluster import Unreliable, small_tasks, unreliable
from shipped import CATALOGUE
from slow import IS_NIGHTLY

pytestmark = pytest.mark.slow

# A system has many parts, so drawing it takes a while.
slowly = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
SMALL = 25_000 if IS_NIGHTLY else 6_000
"""A search of fewer states is compared."""
SMALL_BOUNDS = {
    "replication": {"brokers": 2, "log_size": 2, "records": 2, "max_leader_epoch": 2}
}


@slowly
@given(systems(), st.sampled_from([1, 4, 16]), st.sampled_from(PRECISIONS))
def test_partitioned_agrees_with_the_naive_engine(
    system: System, buckets: int, fingerprints: KeyPrecision
) -> None:
    """Whatever the number of buckets, order, repetition and process of tasks."""
    engine = Partitioned(
        buckets=buckets, cluster=unreliable, small=0, fingerprints=fingerprints
    )
    arguments = (system.model, system.properties, system.search)
    with small_tasks():
        assert engine.explore(*arguments) == Naive().explore(*arguments)


def shipped() -> list[Task]:
    """The small searches of the default suite; every night larger ones too."""
    found = []
    for task in tasks(CATALOGUE, (DEFAULT_SUITE,), Overrides("breadth-first")):
        bounds = SMALL_BOUNDS.get(task.scenario.model)
        if bounds is not None:
            choices = Overrides(
                "breadth-first", task.scenario.protocol, bounds, stop="decided"
            )
            found += tasks(CATALOGUE, (task.scenario.name,), choices)
        elif _is_small(task):
            found.append(task)
    return found


def _is_small(task: Task) -> bool:
    expect = task.scenario.expect
    return expect is not None and (expect.states or SMALL) < SMALL


@cache
def expected(title: str) -> Report[Any]:
    """The report of the local engine on one of the shipped searches."""
    task = next(task for task in shipped() if task.title == title)
    return BreadthFirst(threads=1).explore(
        task.model, task.properties, task.search(unwatched)
    )


def pairs() -> list[Any]:
    """Each search with a number of buckets, one in four of them not slow.

    Every night it is each number.
    """
    numbers = [1, 4, 16]
    return [
        pytest.param(
            task,
            buckets,
            id=f"{task.scenario.name}-{buckets}",
            marks=pytest.mark.slow if place % 4 else (),
        )
        for place, task in enumerate(shipped())
        for buckets in (numbers if IS_NIGHTLY else [numbers[place % 3]])
    ]


@pytest.mark.parametrize(("task", "buckets"), pairs())
def test_partitioned_agrees_on_the_shipped_suite(task: Task, buckets: int) -> None:
    """Counts, verdicts, traces and what was read are those of the local engine."""
    engine = Partitioned(buckets=buckets, cluster=unreliable, small=100)
    with small_tasks():
        found = engine.explore(task.model, task.properties, task.search(unwatched))
    assert found == expected(task.title)
    assert repr(found.violations) == repr(expected(task.title).violations)
    for name in ("coverage", "dependencies", "values"):
        measured = getattr(found.statistics, name)
        assert measured == getattr(expected(task.title).statistics, name)
    assert found.statistics.memory is not None
    assert found.statistics.memory.peak > 0


def test_partitioned_agrees_up_to_symmetry() -> None:
    """States that are renamings of one another count as one here as there."""
    task = next(task for task in shipped() if task.scenario.protocol == "kip-320")
    reduction = Reduction.SYMMETRY
    search = task.search(unwatched)
    local = BreadthFirst(threads=1, reduction=reduction)
    engine = Partitioned(buckets=4, cluster=unreliable, small=0, reduction=reduction)
    with small_tasks():
        found = engine.explore(task.model, task.properties, search)
    assert found == local.explore(task.model, task.properties, search)


def test_a_short_search_begins_no_cluster() -> None:
    """Until a search was long enough, the driver does even large levels alone."""
    task = shipped()[0]

    def refused(spec: SearchSpec, store: Store) -> Unreliable:
        raise ClusterError("begun")

    def found(patience: float) -> Report[Any]:
        engine = Partitioned(cluster=refused, small=0, patience=patience)
        return engine.explore(task.model, task.properties, task.search(unwatched))

    assert found(patience=math.inf) == expected(task.title)
    with pytest.raises(ClusterError, match="begun"):
        found(patience=0)


def partitioned_statistics(report: Report[Any]) -> PartitionedStatistics:
    """The statistics that only this engine has."""
    assert report.statistics.partitioned is not None
    return report.statistics.partitioned


def test_why_a_search_began_no_cluster() -> None:
    """The report says whether it was too small or too short, and else nothing."""
    task = shipped()[0]
    largest = max(expected(task.title).levels)

    def why(small: int, patience: float) -> str:
        engine = Partitioned(cluster=in_process(2), small=small, patience=patience)
        found = engine.explore(task.model, task.properties, task.search(unwatched))
        return str(partitioned_statistics(found).unused)

    assert f"states of the largest level: {largest:,};" in why(largest + 1, 0)
    assert "takes 3600 s of CPU before" in why(largest, 3600)
    assert why(largest, 0) == "None"


def test_a_process_that_comes_late_looks_around(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it lacks, a few states ask for, and not all states of its first level."""
    bounds = {"brokers": 3, "log_size": 1, "records": 2, "max_leader_epoch": 2}
    (task,) = tasks(CATALOGUE, ("replication",), Overrides("spark", "kip-320", bounds))
    engine = Partitioned(cluster=in_process(2), small=2000)
    walked: list[int] = []

    def counted(tables: Any, states: Any, low: int, chunk: Any, scratch: Any) -> None:
        walked.append(int(chunk.argument.counters[MISSED]))
        retry(tables, states, low, chunk, scratch)

    def walked_again(budgets: tuple[int, ...]) -> int:
        monkeypatch.setattr(worker, "FEW", budgets)
        walked.clear()
        engine.explore(task.model, task.properties, task.search(unwatched))
        return sum(walked)

    monkeypatch.setattr(chunk_walker, "retry", counted)
    assert 2 * walked_again(worker.FEW) < walked_again(())


def test_what_several_processes_learn_is_counted_once() -> None:
    """There are as many leaves as on one machine, some of them learned twice."""
    task = next(
        task for task in shipped() if task.scenario.name == "fetching-log-is-moved"
    )

    def counted(processes: int) -> tuple[int, int]:
        engine = Partitioned(2, cluster=in_process(processes), small=0)
        search = task.search(unwatched)
        with small_tasks():
            found = engine.explore(task.model, task.properties, search)
        measured = partitioned_statistics(found)
        return measured.leaves, measured.twice

    local = expected(task.title).statistics.breadth_first
    assert local is not None
    leaves = local.leaves
    assert counted(1) == (leaves, 0)
    by_two, twice = counted(2)
    assert by_two == leaves
    assert twice > 0


def test_who_watches_the_cluster_is_told_of_the_level() -> None:
    """The name of a round has the level, its states, and what is violated so far."""
    task = next(task for task in shipped() if expected(task.title).violations)
    titles: list[str] = []

    class Watched(InProcess):
        def run(
            self, tasks: Sequence[Piece], title: str, glance: Callable[[int], None]
        ) -> list[Result]:
            titles.append(title)
            return super().run(tasks, title, glance)

    engine = Partitioned(cluster=lambda spec, store: Watched(spec, store, 1), small=0)
    engine.explore(task.model, task.properties, task.search(unwatched))
    found = expected(task.title)
    second = f"level 2: {found.levels[1]:,} of {sum(found.levels[:2]):,} states"
    assert f"{task.model.name}, {second}; violated so far: nothing: expand" in titles
    assert any(violation.property in titles[-1] for violation in found.violations)


@pytest.fixture
def kept_in(tmp_path: Path) -> Partitioned:
    """An engine with two workers, which keeps its levels in a folder."""
    return Partitioned(4, in_process(2), CheckpointSettings(tmp_path, 0), small=0)


@pytest.fixture
def replication() -> Task:
    """A search of few states, with many functions to learn."""
    bounds = {"brokers": 2, "log_size": 2, "records": 2, "max_leader_epoch": 1}
    return tasks(CATALOGUE, ("replication",), Overrides("spark", bounds=bounds))[0]


def report_watched_often(
    engine: Partitioned, task: Task, watch: Watch = unwatched
) -> Report[Any]:
    """The report of a search that looks at its limits after each run of a function."""
    with patch.object(chunk_walker, "RUNS_AT_ONCE", 1):
        return engine.explore(task.model, task.properties, Search(watch=watch))


def has_lost_no_level(engine: Partitioned, task: Task) -> bool:
    """Tell whether a search that ended goes on to what a whole one reports."""
    whole = BreadthFirst().explore(task.model, task.properties)
    return engine.resume(task.model, task.properties) == whole


@pytest.mark.parametrize("looks", [2, 5, 20])
def test_a_search_that_runs_out_of_memory_goes_on_later(
    kept_in: Partitioned,
    replication: Task,
    monkeypatch: pytest.MonkeyPatch,
    looks: int,
) -> None:
    """It ends with a report, also while functions are learned."""
    with monkeypatch.context() as patched:
        exhaust_memory(patched, looks)
        report = report_watched_often(kept_in, replication)
    assert report.cut == "memory"
    assert has_lost_no_level(kept_in, replication)


@pytest.mark.parametrize("moment", [2, 30, 200])
def test_a_search_that_is_interrupted_amid_a_task_goes_on_later(
    kept_in: Partitioned, replication: Task, moment: int
) -> None:
    """A task of the process that waits for it is ended."""
    watch = EndsAt(moment, KeyboardInterrupt, [])
    report = report_watched_often(kept_in, replication, watch)
    assert (report.cut, len(watch.seen)) == ("interrupted", moment)
    assert has_lost_no_level(kept_in, replication)
