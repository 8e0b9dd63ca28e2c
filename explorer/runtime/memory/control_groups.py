"""Control groups: how much memory Linux lets the processes of a container take.

A group may have a limit of its own, and so may each group around it. Version 2 has one
tree of groups; version 1 has a tree for memory. Within a container a tree often begins
at the group of the container, whatever ``/proc/self/cgroup`` calls it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

OWN = Path("/proc/self/cgroup")
"""The groups of this process, a line for each tree: number, kinds, path."""
TREES = Path("/sys/fs/cgroup")


class _Files(NamedTuple):
    """The names of a group's files: limits, usage, and cache that gives way."""

    limits: Sequence[str]
    usage: str
    cache: str


UNIFIED = _Files(("memory.max", "memory.high"), "memory.current", "inactive_file")
SEPARATE = _Files(
    ("memory.limit_in_bytes",), "memory.usage_in_bytes", "total_inactive_file"
)


def group_bytes(own: Path = OWN, trees: Path = TREES) -> int | None:
    """Memory that the groups of this process can still give; None without a limit."""
    left = [
        room
        for folder, files in _groups(own, trees)
        for limit in files.limits
        if (room := _room(folder, limit, files)) is not None
    ]
    return min(left, default=None)


def _groups(own: Path, trees: Path) -> Iterator[tuple[Path, _Files]]:
    """Yield the groups of this process and those around them, by their folders."""
    lines: list[str] = []
    with suppress(OSError):
        lines = own.read_text("utf-8", "replace").splitlines()
    for line in lines:
        _, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        place = PurePosixPath("/", path).relative_to("/")
        for group in (place, *place.parents):
            if not kinds:
                yield trees / group, UNIFIED
                yield trees / "unified" / group, UNIFIED
            elif "memory" in kinds.split(","):
                yield trees / "memory" / group, SEPARATE


def _room(folder: Path, limit: str, files: _Files) -> int | None:
    """The bytes that a limit leaves; None if it is none, or cannot be read."""
    try:
        most = int((folder / limit).read_text("utf-8"))
        used = int((folder / files.usage).read_text("utf-8"))
        stat = (folder / "memory.stat").read_text("utf-8").split()
        cache = dict(zip(stat[::2], map(int, stat[1::2]), strict=True))
    except (OSError, ValueError):
        # No such group or tree, or the limit "max".
        return None
    return max(0, most - used + cache.get(files.cache, 0))
