"""The forecast: about how many states there will be, and what a user can do then."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from replicheck.cli.results.result import Result

ENOUGH = 10
"""Levels without which nothing is said."""
FLATTENING = 3
"""The fall of the growth was so many times as much at half of the levels if these grow
as a power of the depth does, without end: it is 4 times then, else at most about 2."""
RECENT = 4
"""Levels that the growth and its change are taken from."""
MOST = 1e30
"""No forecast is larger."""
LARGE = 10**7
"""From here on only the power of ten is worth saying."""
MANY = 1_000
"""Levels of which none is smaller than those before tell that a cell has no bound."""
FAR = 1.5
"""A forecast of so many times the visited states says that much is left."""
HOPELESS = 10**10
"""States that no search of hours visits."""


def forecast(levels: Sequence[int]) -> float | None:
    """Forecast of the number of states of a search; None if it cannot be told.

    Levels grow, ever more slowly, until they shrink: the logarithm of the growth falls
    by about the same amount from level to level. So it is taken to go on falling, but
    where it hardly falls any more: then nothing tells that levels will shrink.
    """
    if len(levels) < ENOUGH or min(levels) < 1:
        return None
    growth, fall = _growth(levels)
    half = levels[: len(levels) // 2]
    if fall <= 0 or (len(half) >= 2 * RECENT and _growth(half)[1] > FLATTENING * fall):
        return None
    total, level = float(sum(levels)), float(levels[-1])
    growth -= fall * RECENT / 2
    while level >= 1 and total < MOST:
        growth -= fall
        level *= math.exp(growth)
        total += level
    return min(total, MOST)


def _growth(levels: Sequence[int]) -> tuple[float, float]:
    """The logarithm of the growth at the end, and by how much it falls each level."""
    growth, before = (
        math.log(levels[-first] / levels[-first - RECENT]) / RECENT
        for first in (1, 1 + RECENT // 2)
    )
    return growth, (before - growth) / (RECENT // 2)


def in_words(states: float) -> str:
    """Number of states in words, in one or two digits."""
    if states >= LARGE:
        return f"about 10^{round(math.log10(states))} states"
    digits = max(0, math.floor(math.log10(states)) - 1)
    return f"about {round(states, -digits):,.0f} states"


def forecast_notes(result: Result) -> Iterator[str]:
    """Yield how far an incomplete search was from its end, if that can be told."""
    levels = result.report.levels
    expected = forecast(levels)
    if expected is None and len(levels) >= ENOUGH and _is_level(levels):
        yield from _endless_cell(result.report.statistics.values or {}, len(levels))
    if expected is None or expected < FAR * result.report.states:
        return
    verb = "will probably not finish" if expected > HOPELESS else "not finished"
    largest = _largest(result.task.scenario.bounds)
    hint = f"; the largest bound, to lower first: {largest}" if largest else ""
    yield f"{verb}: {in_words(expected)} in all, by the growth of the levels{hint}"


def _is_level(levels: Sequence[int]) -> bool:
    """Tell whether the last of many levels are no smaller than those before them."""
    return levels[-1] >= levels[-RECENT]


def _endless_cell(values: Mapping[str, int], levels: int) -> Iterator[str]:
    """Yield which cell may take new values for ever, if one had so many values."""
    most = max(values, key=lambda cell: values[cell], default="")
    if values and values[most] >= levels:
        yield (
            f"not finished, and no level is smaller than those before: `{most}` took"
            f" {values[most]:,} values in {levels} levels; bound it, if nothing does"
        )


def running_forecast(levels: Sequence[int], bounds: Mapping[str, int]) -> str:
    """Forecast from the levels of a running search, or nothing."""
    expected = forecast(levels)
    if expected is None and len(levels) >= MANY and _is_level(levels):
        return (
            "no level is smaller than those before: if nothing bounds a cell, this does"
            " not end"
        )
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
