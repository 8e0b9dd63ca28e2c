"""Stretches of parts of the visited set, each for one call of a kernel."""

from __future__ import annotations

from replicheck.explorer.native.kernels.arrays import PARTS

PARTS_AT_ONCE = 8
FEW = 1 << 14
"""States that one thread has placed before a second one is awake."""


def parts_at_once(states: int) -> int:
    """Parts that one call takes, where all have so many states together."""
    return PARTS if states < FEW else PARTS_AT_ONCE
