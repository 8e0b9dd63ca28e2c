"""Choosing, state by state, an action whose steps are enough: decision 9."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.numba_support import NONE, ONE, compiled
from replicheck.explorer.native.kernels.reduction.accord import (
    conflicts,
    contains,
    has_bit,
    image_of,
    leaves_goal,
    meets,
    touch,
)
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    REDUCED_STATES,
    TRIED_LEAVES,
    UNKNOWN_STATES,
    Knowledge,
    Reached,
    StepGroups,
)


@compiled
def _start(know: Knowledge, reached: Reached, p: int) -> None:
    """Forget what was reached but the present state, and allow what leaf p does."""
    reached.acts[:] = 0
    reached.done[:] = 0
    reached.words[:] = NONE
    reached.allowed[:] = ~NONE
    for x in range(know.leaves.starts[p], know.leaves.starts[p + 1]):
        c = int64(know.leaves.columns[x])
        place = int64(know.leaves.places[p, c])
        first = know.first_words[c]
        for word in range(know.first_words[c + 1] - first):
            reached.allowed[first + word] = know.bits[place + word]
    for c in range(know.sizes.shape[0]):
        reached.counts[c] = 1
        now = int64(reached.values[know.first_values[c]])
        reached.words[know.first_words[c] + (now >> 6)] = ONE << uint64(now & 63)


@compiled
def _close(know: Knowledge, reached: Reached, p: int) -> bool:
    """Compute what can come to be without leaf p; False once a leaf conflicts."""
    leaves, writes = know.leaves, know.writes
    changed = True
    while changed:
        changed = False
        for q in range(writes.starts.shape[0] - 1):
            if reached.acts[q] == 0:
                if leaves.instances[q] == leaves.instances[p]:
                    continue
                if not meets(know, reached, leaves, q):
                    continue
                reached.acts[q] = 1
                if touch(know, p, q) and conflicts(know, reached, p, q):
                    return False
            for w in range(writes.starts[q], writes.starts[q + 1]):
                c = int64(writes.columns[w])
                start, first = know.first_values[c], know.first_words[c]
                now = int64(reached.values[start])
                k = reached.done[w]
                while k < reached.counts[c]:
                    v = int64(reached.values[start + k])
                    k += 1
                    if not contains(know, leaves, q, c, v, now):
                        continue
                    image = image_of(know, w, c, v, now)
                    if image < 0 or not has_bit(reached.allowed, first, image):
                        continue
                    if not has_bit(reached.words, first, image):
                        reached.words[first + (image >> 6)] |= ONE << uint64(image & 63)
                        reached.values[start + reached.counts[c]] = image
                        reached.counts[c] += 1
                        changed = True
                reached.done[w] = k
    return True


@compiled
def _is_enough(know: Knowledge, reached: Reached, p: int) -> bool:
    """Whether the steps of leaf p are enough in the present state."""
    _start(know, reached, p)
    if not _close(know, reached, p):
        return False
    for q in range(know.writes.starts.shape[0] - 1):
        may_conflict = reached.acts[q] != 0 and touch(know, p, q)
        if may_conflict and conflicts(know, reached, p, q):
            return False
    written, goals = know.writes.written, know.goals
    for goal in range(goals.starts.shape[0] - 1):
        is_written = NONE
        for word in range(written.shape[1]):
            is_written |= written[p, word] & goals.bounded[goal, word]
        if is_written == NONE or know.is_goal[goal] == 0:
            continue
        is_other = goals.instances[goal] != know.leaves.instances[p]
        if is_other and leaves_goal(know, reached, p, goal):
            return False
    return True


@compiled
def _begin(know: Knowledge, reached: Reached, row: Any) -> bool:
    """Take a state for the present one; False if it has a value that is not known."""
    for c in range(know.sizes.shape[0]):
        number = know.first_numbers[c] + int64(row[c])
        if number >= know.first_numbers[c + 1]:
            return False
        reached.values[know.first_values[c]] = know.values[number]
    return True


@compiled
def _leaf_of(know: Knowledge, reached: Reached, instance: int) -> int:
    """The leaf of an instance that has the present state; -1 if it is not known."""
    for p in range(know.first_leaves[instance], know.first_leaves[instance + 1]):
        has_state = True
        for x in range(know.leaves.starts[p], know.leaves.starts[p + 1]):
            c = int64(know.leaves.columns[x])
            v = int64(reached.values[know.first_values[c]])
            if not contains(know, know.leaves, p, c, v, v):
                has_state = False
                break
        if has_state:
            for w in range(know.writes.starts[p], know.writes.starts[p + 1]):
                c = int64(know.writes.columns[w])
                v = int64(reached.values[know.first_values[c]])
                if image_of(know, w, c, v, v) == know.sizes[c] - 1:
                    return -1
            return p
    return -1


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
            is_known = _leaf_of(know, reached, int64(steps.instances[at])) >= 0
            at += 1
        if not is_known:
            steps.counters[UNKNOWN_STATES] += 1
        at = begin
        while several and is_known and at < end:
            instance = int64(steps.instances[at])
            stop = at
            is_fresh = False
            while stop < end and steps.instances[stop] == instance:
                is_fresh |= steps.is_fresh[stop] != 0
                stop += 1
            if is_fresh:
                steps.counters[TRIED_LEAVES] += 1
                if _is_enough(know, reached, _leaf_of(know, reached, instance)):
                    steps.counters[REDUCED_STATES] += 1
                    for x in range(begin, end):
                        steps.kept[x] = at <= x < stop
                    break
            at = stop
        begin = end
