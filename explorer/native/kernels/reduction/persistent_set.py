"""Choosing, state by state, an action whose steps are enough: decision 9."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.numba_support import compiled
from replicheck.explorer.native.kernels.reduction.accord import (
    conflicts,
    image_of,
    leaves_goal,
    touch,
)
from replicheck.explorer.native.kernels.reduction.closure import (
    close,
    sort_leaves,
    start,
)
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    UNKNOWN_STATES,
    UNKNOWN_STEPS,
    Knowledge,
    Reached,
    StepGroups,
)


@compiled
def _is_enough(know: Knowledge, reached: Reached, p: int) -> bool:
    """Whether the steps of leaf p are enough in the present state."""
    start(know, reached, p)
    if not close(know, reached, p):
        return False
    at = 0
    while reached.acting[at] >= 0:
        q = int64(reached.acting[at])
        if touch(know, p, q) and conflicts(know, reached, p, q):
            return False
        at += 1
    return not leaves_goal(know, reached, p)


@compiled
def _begin(know: Knowledge, reached: Reached, row: Any) -> bool:
    """Take a state for the present one; False if it has a value that is not known."""
    for c in range(know.sizes.shape[0]):
        number = know.first_numbers[c] + int64(row[c])
        if number >= know.first_numbers[c + 1]:
            return False
        reached.values[know.first_values[c]] = know.values[number]
    sort_leaves(know, reached)
    return True


@compiled
def _is_known(know: Knowledge, reached: Reached, instance: int) -> bool:
    """Whether the present state is in a leaf of an instance, with known results."""
    p = int64(reached.leaf_of[instance])
    if p < 0:
        return False
    for w in range(know.writes.starts[p], know.writes.starts[p + 1]):
        c = int64(know.writes.columns[w])
        v = int64(reached.values[know.first_values[c]])
        if image_of(know, w, c, v, v) == know.sizes[c] - 1:
            return False
    return True


@compiled
def choose(know: Knowledge, rows: Any, steps: StepGroups, reached: Reached) -> None:
    """Unmark the steps that can be left out."""
    count = steps.sources.shape[0]
    begin = 0
    while begin < count:
        source = uint64(steps.sources[begin])
        end = begin
        several = False
        while end < count and steps.sources[end] == source:
            several |= steps.instances[end] != steps.instances[begin]
            end += 1
        is_known = _begin(know, reached, rows[source])
        at = begin
        while is_known and at < end:
            is_known = _is_known(know, reached, int64(steps.instances[at]))
            at += 1
        if not is_known:
            steps.counters[UNKNOWN_STATES] += 1
            steps.counters[UNKNOWN_STEPS] += end - begin
        at = begin
        while several and is_known and at < end:
            instance = int64(steps.instances[at])
            stop = at
            is_fresh = False
            while stop < end and steps.instances[stop] == instance:
                is_fresh |= steps.is_fresh[stop] != 0
                stop += 1
            if is_fresh and _is_enough(know, reached, int64(reached.leaf_of[instance])):
                for x in range(begin, end):
                    steps.kept[x] = at <= x < stop
                break
            at = stop
        begin = end
