"""How much memory the process holds, and how much the machine still has.

Linux says so in files; elsewhere psutil asks the system, and is imported only there.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

# Linux counts kilobytes, macOS bytes.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
PROCESS, MACHINE = Path("/proc/self/status"), Path("/proc/meminfo")


def held() -> int:
    """Return the bytes of memory that the process holds."""
    return _read(PROCESS, "VmRSS") if PROCESS.exists() else _asked_process()


def private() -> int:
    """Return the bytes that the process holds, pages of mapped files not counted.

    These the system takes back when it needs them. Only Linux tells them apart.
    """
    if not PROCESS.exists():
        return held()
    return _read(PROCESS, "RssAnon", "RssShmem")


def available() -> int:
    """Return the bytes of memory that the machine can still give."""
    return _read(MACHINE, "MemAvailable") if MACHINE.exists() else _asked_machine()


def peak() -> int:
    """Return the most bytes of memory that the process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def _read(file: Path, *names: str) -> int:
    """Return the sum of what lines of a file say in kilobytes, in bytes."""
    text = file.read_text()
    numbers = (text.partition(f"\n{name}:")[2].split(maxsplit=1)[0] for name in names)
    return 1024 * sum(int(number) for number in numbers)


def _asked_process() -> int:
    import psutil

    return int(psutil.Process().memory_info().rss)


def _asked_machine() -> int:
    import psutil

    return int(psutil.virtual_memory().available)
