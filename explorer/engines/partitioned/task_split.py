"""Task split: into which tasks the work on a level is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TypeVar

from replicheck.explorer.engines.partitioned.exchange.messages import Part
from replicheck.explorer.engines.partitioned.manifest import LevelManifest

T = TypeVar("T")

TASKS_PER_SLOT = 2
"""So that a slow task does not hold up the others for long."""
FEWEST_STATES = 4096
"""A task with fewer takes longer to be sent than to be done."""
LONG = 64 * FEWEST_STATES
"""A task with so many states is long. Fewer tasks find less of the same twice."""


def parts_of(level: LevelManifest) -> list[Part]:
    """The buckets of a level that have states, in their order."""
    starts = accumulate((bucket.count for bucket in level.buckets), initial=0)
    return [
        Part(bucket.bucket, start, bucket.count, bucket.states, bucket.fingerprints)
        for bucket, start in zip(level.buckets, starts, strict=False)
        if bucket.states is not None and bucket.fingerprints is not None
    ]


def tasks_for(states: int, slots: int) -> int:
    """Number of tasks into which the work on so many states is cut."""
    if slots == 1:
        return 1
    short = min(slots, states // FEWEST_STATES)
    return max(1, short, min(TASKS_PER_SLOT * slots, states // LONG))


def grouped(
    items: Sequence[T], weights: Iterable[int], groups: int
) -> Iterator[list[T]]:
    """Yield neighbouring items in groups of about the same weight."""
    weighed = list(weights)
    total, sofar = sum(weighed), 0
    group: list[T] = []
    ended = 0
    for item, weight in zip(items, weighed, strict=True):
        group.append(item)
        sofar += weight
        if sofar * groups >= (ended + 1) * total:
            yield group
            group, ended = [], sofar * groups // max(1, total)
    if group:
        yield group
