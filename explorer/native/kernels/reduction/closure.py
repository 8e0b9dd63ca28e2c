"""What can come to be from a state without a leaf: R of decision 9."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    inlined,
)
from replicheck.explorer.native.kernels.reduction.accord import (
    conflicts,
    contains,
    has_bit,
    image_of,
    missing,
    touch,
)
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    Knowledge,
    Reached,
    Waits,
)


@inlined
def _wait(know: Knowledge, waits: Waits, q: int, x: int) -> None:
    """Let a leaf wait for the column of one of its bounds."""
    c = int64(know.leaves.columns[x])
    waits.at[q] = x
    waits.following[q] = waits.first[c]
    waits.first[c] = q


@compiled
def sort_leaves(know: Knowledge, reached: Reached) -> None:
    """Find the leaves that have the present state, and what the others wait for."""
    leaves = know.leaves
    reached.present.first[:] = -1
    reached.leaf_of[:] = -1
    count = 0
    for q in range(know.writes.starts.shape[0] - 1):
        x, end = leaves.starts[q], leaves.starts[q + 1]
        while x < end:
            c = int64(leaves.columns[x])
            now = int64(reached.values[know.first_values[c]])
            if not has_bit(know.bits, int64(leaves.places[q, c]), now):
                break
            x += 1
        if x < end:
            _wait(know, reached.present, q, x)
        else:
            reached.leaf_of[leaves.instances[q]] = q
            reached.enabled[count] = q
            count += 1
    reached.enabled[count] = -1


@compiled
def start(know: Knowledge, reached: Reached, p: int) -> None:
    """Forget what was reached but the present state, and allow what leaf p does."""
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
    reached.waits.first[:] = reached.present.first
    reached.waits.following[:] = reached.present.following
    reached.waits.at[:] = reached.present.at
    reached.first_writes[:] = -1
    reached.is_changed[:] = 0


@inlined
def _write(know: Knowledge, reached: Reached, w: int) -> Any:
    """Add what a write makes of values that it has not seen; whether that is new."""
    writes = know.writes
    q, c = int64(writes.leaves[w]), int64(writes.columns[w])
    begin, first = know.first_values[c], know.first_words[c]
    now = int64(reached.values[begin])
    is_new = False
    k = reached.done[w]
    while k < reached.counts[c]:
        v = int64(reached.values[begin + k])
        k += 1
        if not contains(know, know.leaves, q, c, v, now):
            continue
        image = image_of(know, w, c, v, now)
        if image < 0 or not has_bit(reached.allowed, first, image):
            continue
        if not has_bit(reached.words, first, image):
            reached.words[first + (image >> 6)] |= ONE << uint64(image & 63)
            reached.values[begin + reached.counts[c]] = image
            reached.counts[c] += 1
            is_new = True
    reached.done[w] = k
    return is_new


@inlined
def _note(reached: Reached, c: int, changed: int) -> Any:
    """Note that a column has values more; the number of columns that have."""
    count = changed
    if reached.is_changed[c] == 0:
        reached.is_changed[c] = 1
        reached.changed[count] = c
        count += 1
    return count


@inlined
def _write_all(know: Knowledge, reached: Reached, c: int) -> None:
    """Let the leaves that act write a column until nothing is new."""
    is_new = True
    while is_new:
        is_new = False
        w = int64(reached.first_writes[c])
        while w >= 0:
            is_new |= _write(know, reached, w)
            w = int64(reached.following_writes[w])


@inlined
def _wake(know: Knowledge, reached: Reached, p: int, c: int, count: int) -> Any:
    """Let leaves act that waited for a column; the number of those that act."""
    leaves, waits, acting = know.leaves, reached.waits, count
    q = int64(waits.first[c])
    waits.first[c] = -1
    while q >= 0:
        following = int64(waits.following[q])
        if leaves.instances[q] != leaves.instances[p]:
            x = missing(know, reached, leaves, q, waits.at[q])
            if x < leaves.starts[q + 1]:
                _wait(know, waits, q, x)
            else:
                reached.acting[acting] = q
                acting += 1
        q = following
    return acting


@compiled
def close(know: Knowledge, reached: Reached, p: int) -> bool:
    """Compute what can come to be without leaf p; False once a leaf conflicts."""
    leaves, writes = know.leaves, know.writes
    acting = taken = changed = at = 0
    while reached.enabled[at] >= 0:
        q = int64(reached.enabled[at])
        if leaves.instances[q] != leaves.instances[p]:
            reached.acting[acting] = q
            acting += 1
        at += 1
    while taken < acting or changed > 0:
        while taken < acting:
            q = int64(reached.acting[taken])
            taken += 1
            if touch(know, p, q) and conflicts(know, reached, p, q):
                return False
            for w in range(writes.starts[q], writes.starts[q + 1]):
                c = int64(writes.columns[w])
                reached.done[w] = 0
                reached.following_writes[w] = reached.first_writes[c]
                reached.first_writes[c] = w
                if _write(know, reached, w):
                    changed = _note(reached, c, changed)
        if changed > 0:
            changed -= 1
            c = int64(reached.changed[changed])
            reached.is_changed[c] = 0
            _write_all(know, reached, c)
            acting = _wake(know, reached, p, c, acting)
    reached.acting[acting] = -1
    return True
