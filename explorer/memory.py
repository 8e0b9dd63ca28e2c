"""How much memory the process holds, and how much the machine still has."""

from __future__ import annotations

import resource
import sys

import psutil

# Linux counts kilobytes, macOS bytes.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def held() -> int:
    """Return the bytes of memory that the process holds."""
    return int(psutil.Process().memory_info().rss)


def private() -> int:
    """Return the bytes that the process holds alone, mapped files not counted."""
    info = psutil.Process().memory_info()
    return int(info.rss - getattr(info, "shared", 0))


def available() -> int:
    """Return the bytes of memory that the machine can still give."""
    return int(psutil.virtual_memory().available)


def peak() -> int:
    """Return the most bytes of memory that the process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
