"""A folder is used by one process at a time; the second one is told so at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import toys
from replicheck.explorer.engine import CheckpointSettings, Progress, Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.folder_lock import LOCK, FolderLock

IN_USE = "is used by another process"
HOLD = """
import os, sys
from pathlib import Path
from replicheck.explorer.runtime.folder_lock import FolderLock
lock = FolderLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
os._exit(1)
"""
"""A process that holds a lock until it ends without a word."""


def test_the_second_is_told(tmp_path: Path) -> None:
    """It does not wait; once the first one is done, it can go on."""
    first, second = FolderLock(tmp_path / "a"), FolderLock(tmp_path / "a")
    with first:
        with pytest.raises(CheckpointError, match=IN_USE):
            second.acquire()
        assert not second.is_held
    with second:
        assert second.is_held
    assert not (tmp_path / "a").exists()


def test_other_files_stay(tmp_path: Path) -> None:
    """Only a folder that has nothing but the lock is removed."""
    with FolderLock(tmp_path / "a"):
        (tmp_path / "a" / "file").touch()
    assert (tmp_path / "a" / "file").exists()
    with FolderLock(tmp_path / "a"):
        pass


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    """Whatever ended it."""
    folder = tmp_path / "a"
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    with pytest.raises(CheckpointError, match=IN_USE):
        FolderLock(folder).acquire()
    other.kill()
    other.communicate()
    with FolderLock(folder):
        pass


def test_a_lock_that_is_none(tmp_path: Path) -> None:
    """A folder of that name, or a link to itself, is an error with its name."""
    (tmp_path / "a" / LOCK).mkdir(parents=True)
    with pytest.raises(CheckpointError, match=f"{LOCK} is no lock"):
        FolderLock(tmp_path / "a").acquire()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / LOCK).symlink_to(tmp_path / "b" / LOCK)
    with pytest.raises(CheckpointError, match=f"{LOCK} is no lock"):
        FolderLock(tmp_path / "b").acquire()


@pytest.mark.parametrize("kind", [BreadthFirst, Partitioned])
def test_two_searches_with_one_checkpoint(tmp_path: Path, kind: type) -> None:
    """The second ends at once, and the first comes to its end as if it were alone."""
    folder = tmp_path / "kept"
    refused: list[str] = []

    def second(progress: Progress) -> None:
        engine = kind(keep=CheckpointSettings(folder, 0))
        if not folder.exists():
            return
        for begin in (engine.explore, engine.resume):
            if begin == engine.explore or CheckpointSettings(folder).is_there:
                with pytest.raises(CheckpointError, match=IN_USE):
                    begin(toys.lattice(3), ())
                refused.append(begin.__name__)

    alone = kind().explore(toys.lattice(3), ())
    first = kind(keep=CheckpointSettings(folder, 0))
    assert first.explore(toys.lattice(3), (), Search(watch=second)) == alone
    assert {*refused} == {"explore", "resume"}
    assert not folder.exists()
