"""Search processes: the entries of a suite side by side, with the same results."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

import toys
from command_line.suites import BREAKS, HOLDS, results, suite
from replicheck.cli.runs import search_processes
from replicheck.cli.runs.search_processes import SearchProcesses, search_in_processes
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import Progress, unwatched
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst

LIMITS = range(3, 9)
ENTRIES = [
    *(HOLDS + f"bounds = {{ limit = {limit} }}\n" for limit in LIMITS),
    BREAKS + "bounds = { limit = 9 }\n",
]
MEASURED = ("seconds", "details", "together")

pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.fixture
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


def counters(*entries: str) -> dict[int, Task]:
    """The tasks of a suite by their numbers."""
    suite(*entries)
    return dict(
        enumerate(tasks(toys.catalogue(), ["mine.toml"], Overrides("breadth-first")))
    )


def found(*options: str) -> list[dict[str, Any]]:
    """The results of the suite but for what no two runs have in common."""
    return [
        {name: value for name, value in result.items() if name not in MEASURED}
        for result in results("--no-cache", *options)
    ]


def searches_here(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes of the searches that are done in this one, as they are done."""
    explore, here = BreadthFirst.explore, list[int]()

    def note(engine: BreadthFirst, *arguments: Any) -> Any:
        here.append(os.getpid())
        return explore(engine, *arguments)

    monkeypatch.setattr(BreadthFirst, "explore", note)
    return here


@pytest.mark.usefixtures("_two_cores")
def test_results_are_those_of_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the first are searched elsewhere, in the same order, with one report."""
    suite(*ENTRIES)
    here = searches_here(monkeypatch)
    side_by_side = found()
    assert here == [os.getpid()]
    in_turn = found("--threads", "1")
    assert len(here) == 1 + len(ENTRIES)
    for result in (*side_by_side, *in_turn):
        del result["command"]
    assert side_by_side == in_turn


@pytest.mark.usefixtures("_two_cores")
@pytest.mark.parametrize(
    "entry",
    [
        HOLDS + "limits = { depth = 100 }\n",
        HOLDS.replace("holds", 'holds", states = 1_000_000, depth = 1 } #'),
    ],
)
def test_what_may_be_large_is_left_to_all_cores(entry: str) -> None:
    """A search with a limit, or with many states expected, is none of a process."""
    assert search_in_processes(counters(*[entry] * 2)) is None


def fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each search fail in a process of its own."""

    def fail(task: Task, watch: object) -> bytes:
        raise MemoryError

    monkeypatch.setattr(search_processes, "_report_of", fail)


def is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each search be too large for a process."""
    monkeypatch.setattr(search_processes, "MOST_STATES", 2)


def cannot_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what is sent be no report."""
    monkeypatch.setattr(search_processes, "_report_of", lambda *arguments: b"nothing")


@pytest.mark.usefixtures("_two_cores")
@pytest.mark.parametrize("hinder", [fails, is_cut, cannot_be_sent])
def test_what_a_process_does_not_finish_is_searched_here(
    hinder: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that dies, or a search that is too large, costs no result."""
    suite(*ENTRIES)
    expected = found()
    hinder(monkeypatch)
    here = searches_here(monkeypatch)
    assert found() == expected
    assert len(here) >= len(LIMITS)


def slow_reports(task: Task, watch: Callable[[Progress], None]) -> bytes:
    """Search without an end, and say so now and then."""
    while True:
        watch(Progress(1, 1, 0, 1, 0.0))
        time.sleep(0.01)


@pytest.fixture
def _endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_processes, "_report_of", slow_reports)
    monkeypatch.setattr(search_processes, "BETWEEN_MESSAGES", 0.0)


@pytest.mark.usefixtures("_endless")
def test_an_interrupt_ends_the_processes() -> None:
    """Ctrl-C ends what a process searches, and the search is left to the caller."""
    processes = SearchProcesses(counters(*ENTRIES), 2)
    started = tuple(processes._processes)
    seen = []

    def interrupt(progress: Progress) -> None:
        seen.append(progress)
        raise KeyboardInterrupt

    assert processes.report(0, interrupt) is None
    assert [progress.states for progress in seen] == [1]
    assert processes.report(1, unwatched) is None
    assert len(started) == 2
    for process in started:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


@pytest.mark.usefixtures("_endless")
def test_signals_are_for_the_process_of_the_run() -> None:
    """Ctrl-C at a terminal reaches all processes, and only one heeds it."""
    with closing(SearchProcesses(counters(*ENTRIES), 1)) as processes:
        (process,) = processes._processes
        seen = 0

        def watch(progress: Progress) -> None:
            nonlocal seen
            seen += 1
            os.kill(process, signal.SIGINT)
            if seen == 20:
                raise KeyboardInterrupt

        assert processes.report(0, watch) is None
        assert seen == 20
