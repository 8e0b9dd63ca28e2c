"""How much memory the process holds, and how much it can still have.

Linux says so in files; elsewhere psutil asks the system, and is imported only there.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from replicheck.explorer.runtime.memory.control_groups import group_bytes

# Linux counts kilobytes, macOS bytes.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
PROCESS, MACHINE = Path("/proc/self/status"), Path("/proc/meminfo")


def resident_bytes() -> int:
    """Resident set size: the bytes of memory that the process holds."""
    return _read(PROCESS, b"\nVmRSS:") if PROCESS.exists() else _psutil_resident()


def private_bytes() -> int:
    """Anonymous memory: the bytes that the process holds, without mapped files.

    These the system takes back when it needs them. Only Linux tells them apart.
    """
    if not PROCESS.exists():
        return resident_bytes()
    return _read(PROCESS, b"\nRssAnon:", b"\nRssShmem:")


def available_bytes() -> int:
    """Available memory: the bytes that the machine, or a container, can still give."""
    if not MACHINE.exists():
        return _psutil_available()
    free = _read(MACHINE, b"\nMemAvailable:")
    of_groups = group_bytes()
    return free if of_groups is None else min(free, of_groups)


def peak_bytes() -> int:
    """Peak resident set size: the most bytes that the process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def _read(file: Path, *names: bytes) -> int:
    """The sum of what lines of a file say in kilobytes, in bytes.

    The file is read often, so it is read without a buffer and not decoded.
    """
    with file.open("rb", buffering=0) as stream:
        text = stream.read()
    numbers = [text.partition(name)[2].split(maxsplit=1)[0] for name in names]
    return 1024 * sum(map(int, numbers))


def _psutil_resident() -> int:
    import psutil

    return int(psutil.Process().memory_info().rss)


def _psutil_available() -> int:
    import psutil

    return int(psutil.virtual_memory().available)
