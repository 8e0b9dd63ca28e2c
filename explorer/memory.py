"""How much memory the process holds, and how much the machine still has."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import psutil

STATUS = Path("/proc/self/status")
OWN = ("RssAnon:", "RssShmem:")

# Linux counts kilobytes, macOS bytes.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def held() -> int:
    """Return the bytes of memory that the process holds."""
    return int(psutil.Process().memory_info().rss)


def private() -> int:
    """Return the bytes that the process holds, pages of mapped files not counted.

    These the system takes back when it needs them. Only Linux tells them apart.
    """
    if not STATUS.exists():
        return held()
    lines = (line.split() for line in STATUS.read_text().splitlines())
    return sum(int(words[1]) * 1024 for words in lines if words[0] in OWN)


def available() -> int:
    """Return the bytes of memory that the machine can still give."""
    return int(psutil.virtual_memory().available)


def peak() -> int:
    """Return the most bytes of memory that the process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
