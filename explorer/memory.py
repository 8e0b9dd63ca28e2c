"""How much memory the process holds, and how much the machine still has."""

from __future__ import annotations

import psutil


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
