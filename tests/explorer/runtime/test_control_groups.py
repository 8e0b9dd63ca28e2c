"""The memory that a container may take, as its control groups say."""

from __future__ import annotations

from pathlib import Path

import pytest

from replicheck.explorer.runtime.memory import process_memory
from replicheck.explorer.runtime.memory.control_groups import group_bytes

MEGABYTE = 1 << 20


def limited(folder: Path, most: str, used: int, **names: str) -> None:
    """Write the files of a group."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names.get("limit", "memory.max")).write_text(f"{most}\n")
    (folder / names.get("usage", "memory.current")).write_text(f"{used}\n")
    cache = names.get("cache", "inactive_file")
    (folder / "memory.stat").write_text(f"anon 3\n{cache} {MEGABYTE}\n")


def room(folder: Path, groups: str) -> int | None:
    """Memory that the groups in a folder leave."""
    own = folder / "own"
    own.write_text(groups)
    return group_bytes(own, folder / "trees")


def test_a_group_of_version_2(tmp_path: Path) -> None:
    """What it has used does not count where it is cache that gives way."""
    limited(tmp_path / "trees" / "box", str(100 * MEGABYTE), 30 * MEGABYTE)
    assert room(tmp_path, "0::/box\n") == 71 * MEGABYTE


def test_the_group_around_may_have_less(tmp_path: Path) -> None:
    """A group without a limit is in one that has a limit."""
    limited(tmp_path / "trees" / "outer" / "inner", "max", 5)
    limited(tmp_path / "trees" / "outer", str(10 * MEGABYTE), 4 * MEGABYTE)
    assert room(tmp_path, "0::/outer/inner\n") == 7 * MEGABYTE


def test_a_soft_limit_of_version_2(tmp_path: Path) -> None:
    """Past it the kernel holds the process up."""
    box = tmp_path / "trees" / "box"
    limited(box, str(100 * MEGABYTE), 0)
    limited(box, str(20 * MEGABYTE), 0, limit="memory.high")
    assert room(tmp_path, "0::/box\n") == 21 * MEGABYTE


def test_a_group_of_version_1_in_a_container(tmp_path: Path) -> None:
    """The path is that outside, the folder that inside of the container."""
    names = {
        "limit": "memory.limit_in_bytes",
        "usage": "memory.usage_in_bytes",
        "cache": "total_inactive_file",
    }
    limited(tmp_path / "trees" / "memory", str(9 * MEGABYTE), 2 * MEGABYTE, **names)
    groups = "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n0::/\n"
    assert room(tmp_path, groups) == 8 * MEGABYTE


def test_a_group_that_has_used_more_than_it_may(tmp_path: Path) -> None:
    """Nothing is left."""
    limited(tmp_path / "trees", "1000", 30 * MEGABYTE)
    assert room(tmp_path, "0::/\n") == 0


@pytest.mark.parametrize("groups", ["", "0::/\n", "nonsense", "0::/../..\n"])
def test_no_limit(tmp_path: Path, groups: str) -> None:
    """A machine without groups, or with files that say nothing of memory."""
    limited(tmp_path / "trees", "max", 0)
    assert room(tmp_path, groups) is None


def test_a_container_has_no_more_than_its_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The lesser of the two is available."""
    free = process_memory.available_bytes()
    monkeypatch.setattr(process_memory, "group_bytes", lambda: 1000)
    assert process_memory.available_bytes() == 1000
    monkeypatch.setattr(process_memory, "group_bytes", lambda: 1 << 60)
    assert process_memory.available_bytes() > free // 4
