"""A process whose memory runs out after so many looks at it."""

from __future__ import annotations

from itertools import count

import pytest

from replicheck.explorer.runtime.memory import process_memory

ALL = 10**15
"""Bytes that are more than any limit."""


def exhaust_memory(monkeypatch: pytest.MonkeyPatch, looks: int) -> count[int]:
    """Let a process take all memory after so many looks; the looks are counted."""
    taken = count()
    monkeypatch.setattr(
        process_memory, "private_bytes", lambda: ALL if next(taken) >= looks else 0
    )
    return taken
