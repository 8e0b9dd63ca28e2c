"""The forecast: about how many states there will be, and what a user can do then."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from replicheck.cli.results.result import Result

ENOUGH = 10
"""Levels without which nothing is said."""
RECENT = 4
"""Levels that the growth and its change are taken from."""
MOST = 1e30
"""No forecast is larger."""
LARGE = 10**7
"""From here on only the power of ten is worth saying."""
FAR = 1.5
"""A forecast of so many times the visited states says that much is left."""
HOPELESS = 10**10
"""States that no search of hours visits."""


def forecast(levels: Sequence[int]) -> float | None:
    """Forecast of the number of states of a search; None if it cannot be told.

    Levels grow, ever more slowly, until they shrink: the logarithm of the growth falls
    by about the same amount from level to level. So it is taken to go on falling.
    """
    if len(levels) < ENOUGH or min(levels) < 1:
        return None
    growths = [
        math.log(levels[-first] / levels[-first - RECENT]) / RECENT
        for first in (1, 1 + RECENT // 2)
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


def in_words(states: float) -> str:
    """Number of states in words, in one or two digits."""
    if states >= LARGE:
        return f"about 10^{round(math.log10(states))} states"
    digits = max(0, math.floor(math.log10(states)) - 1)
    return f"about {round(states, -digits):,.0f} states"


def forecast_notes(result: Result) -> Iterator[str]:
    """Yield how far an incomplete search was from its end, if that can be told."""
    expected = forecast(result.report.levels)
    if expected is None or expected < FAR * result.report.states:
        return
    verb = "will probably not finish" if expected > HOPELESS else "not finished"
    largest = _largest(result.task.scenario.bounds)
    hint = f"; the largest bound, to lower first: {largest}" if largest else ""
    yield f"{verb}: {in_words(expected)} in all, by the growth of the levels{hint}"


def running_forecast(levels: Sequence[int], bounds: Mapping[str, int]) -> str:
    """Forecast from the levels of a running search, or nothing."""
    expected = forecast(levels)
    if expected is None:
        return ""
    words = f"{in_words(expected)} in all"
    if expected <= HOPELESS:
        return words
    largest = _largest(bounds)
    hint = f"; lower {largest} first" if largest else ""
    return f"will probably not finish: {words}{hint}"


def _largest(bounds: Mapping[str, int]) -> str:
    """The largest bounds, or nothing if all are equal."""
    largest = max(bounds.values(), default=0)
    names = [f"{name}={value}" for name, value in bounds.items() if value == largest]
    return " or ".join(names) if len(names) < len(bounds) else ""
