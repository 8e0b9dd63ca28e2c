"""The files of a partitioned search: killed anywhere it goes on, damaged it says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import (
    MANIFEST,
    CheckpointSettings,
    Limits,
    Search,
    Stop,
    unwatched,
)
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned import task_split
from replicheck.explorer.engines.partitioned.engine import Partitioned, in_process
from replicheck.explorer.engines.partitioned.store.store import LocalStore
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.model import Model
from replicheck.explorer.report import Report
from searches.interrupted_searches import Killed
from shipped import CATALOGUE
from slow import IS_NIGHTLY

pytestmark = pytest.mark.slow

BOUNDS = {"brokers": 2, "log_size": 2, "records": 2, "max_leader_epoch": 2}
KILLS = 200 if IS_NIGHTLY else 11
OPERATIONS = ("write", "write_scratch", "put", "remove", "read")


@pytest.fixture(scope="module")
def task() -> Task:
    """A search with violations on several levels."""
    choices = Overrides("breadth-first", "kip-101", BOUNDS, stop="decided")
    (found,) = tasks(CATALOGUE, ("replication",), choices)
    return found


@pytest.fixture(scope="module")
def expected(task: Task) -> Report[Any]:
    """The local engine's report."""
    search = task.search(unwatched)
    return BreadthFirst(threads=1).explore(task.model, task.properties, search)


@pytest.fixture(autouse=True)
def _in_small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_split, "FEWEST_STATES", 50)


def engine(folder: Path) -> Partitioned:
    """An engine of two processes that keeps its files in a folder."""
    keep = CheckpointSettings(folder, recipe={"search": "this one"})
    return Partitioned(buckets=3, cluster=in_process(2), keep=keep, small=0)


@contextmanager
def killed_at(moment: int) -> Iterator[list[int]]:
    """End the process at an operation of the store: before, half way or after it.

    Yields a list that gets the number of operations.
    """
    counted = [0]

    def dying(operation: Callable[..., Any]) -> Callable[..., Any]:
        def operate(store: LocalStore, *arguments: Any) -> Any:
            counted[0] += 1
            if counted[0] != moment:
                return operation(store, *arguments)
            if moment % 3 == 0:
                operation(store, *arguments)
            if moment % 3 == 1 and isinstance(arguments[0], str):
                place = store.root / arguments[0]
                place.parent.mkdir(parents=True, exist_ok=True)
                place.with_name(f"{place.name}.part").write_bytes(b"half of it")
            raise Killed

        return operate

    with pytest.MonkeyPatch.context() as patch:
        for name in OPERATIONS:
            patch.setattr(LocalStore, name, dying(getattr(LocalStore, name)))
        yield counted


def search_or_resume(task: Task, folder: Path) -> Report[Any]:
    """Do what the command does."""
    one = engine(folder)
    assert one.keep is not None
    do = one.resume if one.keep.is_there else one.explore
    return do(task.model, task.properties, task.search(unwatched))


def test_killed_at_any_operation_of_the_store(
    task: Task, expected: Report[Any], tmp_path: Path
) -> None:
    """Between data files and manifest, at the first file or the last: it goes on."""
    with killed_at(0) as counted:
        assert search_or_resume(task, tmp_path / "whole") == expected
    for moment in range(1, counted[0] + 1, max(1, counted[0] // KILLS)):
        folder = tmp_path / str(moment)
        with pytest.raises(Killed), killed_at(moment):
            search_or_resume(task, folder)
        assert search_or_resume(task, folder) == expected
        assert not folder.exists()


def test_killed_again_and_again(
    task: Task, expected: Report[Any], tmp_path: Path
) -> None:
    """Each attempt comes one level further, and the last one to the end."""
    found = None
    for attempt in range(expected.depth):
        try:
            with killed_at(150 + 20 * attempt):
                found = search_or_resume(task, tmp_path / "search")
            break
        except Killed:
            continue
    assert found == expected


def interrupted(task: Task, folder: Path) -> list[Path]:
    """Search as far as the sixth level; return the files."""

    def watch(progress: Any) -> None:
        if progress.depth == 6:
            raise KeyboardInterrupt

    search = Search(stop=Stop.DECIDED, watch=watch)
    report = engine(folder).explore(task.model, task.properties, search)
    assert report.cut == "interrupted"
    return sorted(file for file in folder.rglob("*") if file.is_file())


def test_what_no_manifest_names_is_collected(
    task: Task, expected: Report[Any], tmp_path: Path
) -> None:
    """The files of attempts that failed go away, and of a level only what is needed."""
    files = interrupted(task, tmp_path / "search")
    level = tmp_path / "search" / "store" / "level-00005"
    stray = [level / "states-00001-abc", level.with_name("level-00006") / "found-0"]
    for file in stray:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"left over")
    seen: list[bool] = []

    def watch(progress: Any) -> None:
        seen.append(any(file.exists() for file in stray))

    search = Search(stop=Stop.DECIDED, watch=watch)
    found = engine(tmp_path / "search").resume(task.model, task.properties, search)
    assert found == expected
    assert seen[0] is False
    assert not [file for file in files if "found-" in file.name]
    assert [file for file in files if "states-" in file.name]
    assert {file.parent.name for file in files if "states-" in file.name} == {
        "level-00005"
    }


def cut_short(file: Path) -> None:
    """Take the last byte away."""
    file.write_bytes(file.read_bytes()[:-1])


def change(file: Path) -> None:
    """Change one bit in the middle."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


DAMAGES: list[Callable[[Path], None]] = [cut_short, change, Path.unlink]


@pytest.mark.parametrize("damage", DAMAGES, ids=["torn", "changed", "missing"])
@pytest.mark.parametrize("kind", ["states", "prints", "known", "sample", MANIFEST])
def test_a_damaged_file_is_named(
    task: Task, tmp_path: Path, kind: str, damage: Callable[[Path], None]
) -> None:
    """A torn, changed or missing file ends the search with its name."""
    folder = tmp_path / "search"
    files = interrupted(task, folder)
    last = [file for file in files if file.name.startswith(kind)][-1]
    if kind == MANIFEST:
        last = folder / "store" / "level-00000" / MANIFEST
    damage(last)
    with pytest.raises(CheckpointError, match=f"{last.parent.name}.{last.name}"):
        search_or_resume(task, folder)


def test_the_level_of_another_search(task: Task, tmp_path: Path) -> None:
    """The manifests of two searches do not mix."""
    interrupted(task, tmp_path / "one")
    other = tmp_path / "other"
    limits = Search(Limits(depth=8), Stop.DECIDED)
    engine(other).explore(task.model, task.properties, limits)
    interrupted(task, other)
    name = Path("store") / "level-00003" / MANIFEST
    (tmp_path / "one" / name).write_bytes((other / name).read_bytes())
    with pytest.raises(CheckpointError, match="of another search than the level"):
        search_or_resume(task, tmp_path / "one")


def test_another_number_of_buckets(task: Task, tmp_path: Path) -> None:
    """To go on needs the buckets of before."""
    interrupted(task, tmp_path / "search")
    keep = CheckpointSettings(tmp_path / "search", recipe={"search": "this one"})
    with pytest.raises(CheckpointError, match="buckets is 3, expected 5"):
        Partitioned(buckets=5, keep=keep).resume(task.model, task.properties)


def test_another_model(task: Task, tmp_path: Path) -> None:
    """So does the model, to which the states belong."""
    interrupted(task, tmp_path / "search")
    choices = Overrides("breadth-first", "kip-279", BOUNDS, stop="decided")
    (other,) = tasks(CATALOGUE, ("replication",), choices)
    model: Model[Any] = other.model
    with pytest.raises(CheckpointError, match="is of another model"):
        engine(tmp_path / "search").resume(model, other.properties)
