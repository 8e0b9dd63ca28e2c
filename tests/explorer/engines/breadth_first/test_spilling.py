"""Past the budget of memory a search goes on on the disk, and finds the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import toys
from replicheck.explorer.engine import (
    CheckpointSettings,
    Limits,
    Progress,
    Search,
    Stop,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.breadth_first.spilled_runs import SpilledRuns
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.frontier import chunk_walker
from replicheck.explorer.properties import no_deadlock
from replicheck.explorer.report import Report, Verdict
from replicheck.explorer.runtime.memory import process_memory
from replicheck.explorer.runtime.memory.buffer_pool import BufferPool
from replicheck.explorer.runtime.memory.growable_memory import GrowableMemory
from searches.exhausted_memory import exhaust_memory
from searches.replication_searches import (
    PROPERTIES,
    TWO_RECORDS,
    make_chunks_small,
    truncating_to_high_watermark,
)

REPLICATION = truncating_to_high_watermark(TWO_RECORDS)
NO_ROOM = Limits(memory=1)


@pytest.fixture
def small_rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make a segment of each few states; return how many there were at each merge."""
    make_chunks_small(monkeypatch)
    merge, counts = SpilledRuns.merge, []

    def counted(spilled_runs: SpilledRuns, *arguments: Any) -> Any:
        counts.append(len(spilled_runs._runs))
        return merge(spilled_runs, *arguments)

    monkeypatch.setattr(SpilledRuns, "merge", counted)
    return counts


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize(
    ("model", "properties"),
    [
        (REPLICATION, PROPERTIES),
        (toys.lattice(4), (no_deadlock(),)),
        (toys.counter(), ()),
    ],
    ids=["replication", "lattice", "counter"],
)
def test_without_any_room(
    tmp_path: Path,
    small_rounds: list[int],
    model: Any,
    properties: Any,
    threads: int,
) -> None:
    """Counts, levels, verdict and traces are those of a search in memory."""
    in_memory = Search(stop=Stop.DECIDED)
    expected: Report[Any] = BreadthFirst().explore(model, properties, in_memory)
    folder = tmp_path / "kept"
    engine = BreadthFirst(threads=threads, keep=CheckpointSettings(folder, 1000))
    search = Search(NO_ROOM, Stop.DECIDED)
    assert engine.explore(model, properties, search) == expected
    assert len(small_rounds) >= expected.depth - 1
    assert max(small_rounds) > 1 or expected.states < 1000
    assert not folder.exists()


@pytest.mark.parametrize("level", [1, 9, 12])
def test_the_room_ends_in_the_middle(
    tmp_path: Path, small_rounds: list[int], monkeypatch: pytest.MonkeyPatch, level: int
) -> None:
    """What was found in memory so far becomes the first segment."""
    seen: list[Progress] = []
    full: list[int] = []

    def private() -> int:
        """Run out of memory once; to move to the disk helps."""
        if len(seen) < 2 or full:
            return 0
        full.append(10**15)
        return full[0]

    def watch(progress: Progress) -> None:
        if progress.depth >= level:
            seen.append(progress)

    monkeypatch.setattr(
        "replicheck.explorer.runtime.memory.process_memory.private_bytes", private
    )
    expected = BreadthFirst().explore(REPLICATION, PROPERTIES, Search())
    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 1000))
    search = Search(Limits(memory=10**12), watch=watch)
    assert engine.explore(REPLICATION, PROPERTIES, search) == expected


@pytest.mark.parametrize("looks", [1, 3, 40])
def test_what_cannot_move_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """Learned tables may take more than all: the search ends, and can go on later."""
    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 0))
    with monkeypatch.context() as patched:
        exhaust_memory(patched, looks)
        patched.setattr(chunk_walker, "RUNS_AT_ONCE", 1)
        search = Search(Limits(memory=10**12))
        report = engine.explore(REPLICATION, PROPERTIES, search)
    assert report.cut == "memory"
    assert report.verdict is Verdict.INCOMPLETE
    whole = BreadthFirst().explore(REPLICATION, PROPERTIES, Search())
    assert engine.resume(REPLICATION, PROPERTIES, Search()) == whole


def test_a_disk_that_is_still_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To go on where there is no room says so, and leaves the checkpoint as it is."""
    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 0))
    engine.explore(REPLICATION, PROPERTIES, Search(Limits(seconds=0)))

    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(SpilledRuns, "store", fail)
        with pytest.raises(CheckpointError, match="No space left on device"):
            engine.resume(REPLICATION, PROPERTIES, Search(NO_ROOM))
    whole = BreadthFirst().explore(REPLICATION, PROPERTIES, Search())
    assert engine.resume(REPLICATION, PROPERTIES, Search()) == whole


def memory_of(report: Report[Any]) -> Any:
    """The memory use of a report, all of it measured."""
    return report.statistics.memory


def test_the_report_tells_its_own_memory_from_files(tmp_path: Path) -> None:
    """Both at most; and whether the search moved to the disk."""
    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 1000))
    on_disk = memory_of(engine.explore(REPLICATION, PROPERTIES, Search(NO_ROOM)))
    assert on_disk.on_disk
    assert on_disk.budget < on_disk.own
    in_memory = memory_of(engine.explore(REPLICATION, PROPERTIES, Search()))
    assert not in_memory.on_disk
    assert in_memory.own < in_memory.budget
    assert 0 < in_memory.base <= in_memory.own <= in_memory.peak


def test_memory_where_linux_has_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system is asked; what is mapped cannot be told apart."""
    found = process_memory.resident_bytes(), process_memory.available_bytes()
    monkeypatch.setattr(process_memory, "PROCESS", tmp_path / "none")
    monkeypatch.setattr(process_memory, "MACHINE", tmp_path / "none")
    asked = process_memory.resident_bytes(), process_memory.available_bytes()
    assert asked == pytest.approx(found, rel=0.2)
    assert process_memory.private_bytes() == pytest.approx(asked[0], rel=0.2)


def test_arrays_of_no_file_are_its_own() -> None:
    """Levels lie in shared memory that no file has: it counts."""
    size = 1 << 26
    before = process_memory.private_bytes()
    array = BufferPool().take((size,), np.uint8)
    array[:] = 1
    assert process_memory.private_bytes() - before > 0.9 * size


def test_memory_that_the_system_has_not() -> None:
    """The error is the one that ends a search in order, with its report."""
    with pytest.raises(MemoryError):
        BufferPool().take((1 << 60,), np.uint8)
    with pytest.raises(MemoryError):
        GrowableMemory(1 << 42)
    memory = GrowableMemory(8)
    with pytest.raises(MemoryError):
        memory.grow(1 << 42)


def test_a_wider_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments from before a domain outgrew 16 bits are merged with later ones."""
    monkeypatch.setattr(chunk_walker, "CHUNKS", 1)
    expected = BreadthFirst().explore(toys.wide(), ())
    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 1000))
    assert engine.explore(toys.wide(), (), Search(NO_ROOM)) == expected


@pytest.mark.parametrize("again", [Limits(), NO_ROOM], ids=["in memory", "on disk"])
@pytest.mark.parametrize("before", [Limits(), NO_ROOM], ids=["in memory", "on disk"])
def test_to_go_on(
    tmp_path: Path, small_rounds: list[int], before: Limits, again: Limits
) -> None:
    """A checkpoint of the one kind of search is one of the other kind."""
    glances = []

    def interrupt(progress: Progress) -> None:
        glances.append(progress.depth)
        if len(glances) == 25:
            raise KeyboardInterrupt

    engine = BreadthFirst(threads=2, keep=CheckpointSettings(tmp_path, 0))
    first = Search(before, Stop.DECIDED, interrupt)
    assert engine.explore(REPLICATION, PROPERTIES, first).cut == "interrupted"
    expected = BreadthFirst().explore(
        REPLICATION, PROPERTIES, Search(stop=Stop.DECIDED)
    )
    report = engine.resume(REPLICATION, PROPERTIES, Search(again, Stop.DECIDED))
    assert report == expected


def test_no_place_on_the_disk() -> None:
    """Without a folder the search is incomplete, and says what cut it."""
    report = BreadthFirst().explore(REPLICATION, PROPERTIES, Search(NO_ROOM))
    assert report.cut == "memory"


@pytest.mark.parametrize("room", [None, 1])
def test_a_limit_on_the_disk(
    tmp_path: Path, small_rounds: list[int], room: int | None
) -> None:
    """The search is incomplete, and goes on with a larger limit."""
    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 0))
    limits = Limits(memory=room, disk=50_000)
    search = Search(limits, Stop.DECIDED)
    report = engine.explore(REPLICATION, PROPERTIES, search)
    assert report.cut == "disk"
    assert 0 < report.states < 3000
    search = Search(evolve(limits, disk=None), Stop.DECIDED)
    whole = BreadthFirst().explore(REPLICATION, PROPERTIES, Search(stop=Stop.DECIDED))
    assert engine.resume(REPLICATION, PROPERTIES, search) == whole


def test_a_full_disk(
    tmp_path: Path, small_rounds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A level that cannot be merged is searched again when there is room."""
    merge = SpilledRuns.merge
    merges = []

    def full(spilled_runs: SpilledRuns, *arguments: Any) -> Any:
        merges.append(merge(spilled_runs, *arguments))
        if len(merges) == 8:
            raise OSError("no space left on the device")
        return merges[-1]

    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 1000))
    search = Search(NO_ROOM, Stop.DECIDED)
    with monkeypatch.context() as patch:
        patch.setattr(SpilledRuns, "merge", full)
        assert engine.explore(REPLICATION, PROPERTIES, search).cut == "disk"
    whole = BreadthFirst().explore(REPLICATION, PROPERTIES, Search(stop=Stop.DECIDED))
    assert engine.resume(REPLICATION, PROPERTIES, search) == whole


def test_an_allocation_that_fails(
    tmp_path: Path, small_rounds: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is a report and no traceback."""

    def fail(*arguments: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("replicheck.explorer.frontier.levels.FIRST_ROOM", 1)
    monkeypatch.setattr("replicheck.explorer.frontier.levels.SPARE", 0)
    monkeypatch.setattr("replicheck.explorer.frontier.levels.NextLevel.make_room", fail)
    engine = BreadthFirst(keep=CheckpointSettings(tmp_path, 0))
    assert engine.explore(REPLICATION, PROPERTIES).cut == "memory"
    monkeypatch.undo()
    whole = BreadthFirst().explore(REPLICATION, PROPERTIES, Search())
    assert engine.resume(REPLICATION, PROPERTIES) == whole
