"""The forecast: about how many states there will be, from the growth of the levels."""

from __future__ import annotations

import math
from collections.abc import Sequence

ENOUGH = 10
"""Levels without which nothing is said."""
RECENT = 4
"""Levels that the growth and its change are taken from."""
MOST = 1e30
"""No forecast is larger."""


def forecast(levels: Sequence[int]) -> float | None:
    """Return about how many states a search will find, or None if nobody can tell.

    Levels grow, ever more slowly, until they shrink: the logarithm of the growth falls
    by about the same amount from level to level. So it is taken to go on falling.
    """
    if len(levels) < ENOUGH or min(levels) < 1:
        return None
    growths = [
        math.log(levels[-each] / levels[-each - RECENT]) / RECENT
        for each in (1, 1 + RECENT // 2)
    ]
    growth, before = growths
    fall = (before - growth) / (RECENT // 2)
    if fall <= 0:
        return None
    total, level = float(sum(levels)), float(levels[-1])
    growth -= fall * RECENT / 2
    while level >= 1 and total < MOST:
        growth -= fall
        level *= math.exp(growth)
        total += level
    return min(total, MOST)
