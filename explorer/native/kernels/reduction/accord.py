"""Whether leaves accord with one another, and whether one leaves a goal.

`conflicts` and `leaves_goal` are the conditions on accord and on goals of decision 9.
"""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.native.kernels.numba_support import (
    NONE,
    ONE,
    compiled,
    inlined,
)
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    AT_END,
    AT_HEAD,
    COMMUTING,
    Boxes,
    Knowledge,
    Reached,
)


@inlined
def has_bit(bits: U64Array, place: int, v: int) -> Any:
    """Whether a set has a value."""
    return (bits[uint64(place + (v >> 6))] >> uint64(v & 63)) & ONE != NONE


@inlined
def contains(know: Knowledge, boxes: Boxes, box: int, c: int, v: int, now: int) -> Any:
    """Whether a box has a value of a column; a longer queue by its head, as now."""
    place = int64(boxes.places[box, c])
    found = place < 0
    if not found:
        is_longer = v == know.sizes[c] - 2
        found = has_bit(know.bits, place, v) and (
            not is_longer or has_bit(know.bits, int64(boxes.heads[box, c]), now)
        )
    return found


@inlined
def has_head(know: Knowledge, c: int, v: int) -> Any:
    """Whether a value is surely a queue that is not empty."""
    return v == know.sizes[c] - 2 or know.has_head[know.first_values[c] + v] != 0


@inlined
def image_of(know: Knowledge, write: int, c: int, v: int, now: int) -> Any:
    """What a write makes of a value of its column; RAISING_IMAGE if it raises."""
    longer = know.sizes[c] - 2
    is_at_end = know.writes.laws[write] == AT_END
    is_longer = v == longer or (
        v == now and know.has_head[know.first_values[c] + v] != 0
    )
    image = int64(know.images[know.writes.places[write] + v])
    return longer if is_at_end and is_longer else image


@inlined
def stays(
    know: Knowledge, boxes: Boxes, box: int, write: int, c: int, v: int, now: int
) -> Any:
    """Whether a write of a column with a value that the box has stays in the box."""
    place = int64(boxes.places[box, c])
    found = place < 0
    if not found:
        is_at_end = know.writes.laws[write] == AT_END
        found = is_at_end and boxes.head_only[box, c] != 0 and has_head(know, c, v)
    if not found:
        image = image_of(know, write, c, v, now)
        is_known = 0 <= image < know.sizes[c] - 2
        found = is_known and has_bit(know.bits, place, image)
    return found


@inlined
def commute(know: Knowledge, write: int, rival: int, c: int, v: int) -> Any:
    """Whether two writes of a column do in any order the same to a value."""
    writes = know.writes
    mine, theirs = int64(writes.laws[write]), int64(writes.laws[rival])
    at_both_ends = (mine == AT_END and theirs == AT_HEAD) or (
        mine == AT_HEAD and theirs == AT_END
    )
    found = mine == COMMUTING and theirs == COMMUTING
    found = found or (at_both_ends and has_head(know, c, v))
    if not found:
        images, longer = know.images, know.sizes[c] - 2
        first = int64(images[writes.places[write] + v])
        second = int64(images[writes.places[rival] + v])
        if 0 <= first < longer and 0 <= second < longer:
            last = int64(images[writes.places[rival] + first])
            is_same = last == images[writes.places[write] + second]
            found = 0 <= last < longer and is_same
    return found


@inlined
def leaves_bound(
    know: Knowledge, reached: Reached, boxes: Boxes, box: int, left: int, write: int
) -> Any:
    """Whether a write takes a reached value of a box out of the box left."""
    c = int64(know.writes.columns[write])
    start = know.first_values[c]
    now = int64(reached.values[start])
    found = False
    for k in range(reached.counts[c]):
        v = int64(reached.values[start + k])
        if not has_bit(reached.words, know.first_words[c], v):
            continue
        if not contains(know, boxes, box, c, v, now):
            continue
        if not stays(know, boxes, left, write, c, v, now):
            found = True
            break
    return found


@inlined
def may_leave(
    know: Knowledge, reached: Reached, boxes: Boxes, box: int, left: int, leaf: int
) -> Any:
    """Whether a write of a leaf takes a reached value of a box out of the box left."""
    writes = know.writes
    found = False
    for write in range(writes.starts[leaf], writes.starts[leaf + 1]):
        if boxes.places[left, writes.columns[write]] < 0:
            continue
        if leaves_bound(know, reached, boxes, box, left, write):
            found = True
            break
    return found


@inlined
def commute_all(know: Knowledge, reached: Reached, p: int, q: int) -> Any:
    """Whether the writes of two leaves commute on the values at which q is enabled."""
    writes = know.writes
    found = True
    for mine in range(writes.starts[p], writes.starts[p + 1]):
        c = int64(writes.columns[mine])
        for rival in range(writes.starts[q], writes.starts[q + 1]):
            if writes.columns[rival] != c:
                continue
            start = know.first_values[c]
            now = int64(reached.values[start])
            for k in range(reached.counts[c]):
                v = int64(reached.values[start + k])
                if not has_bit(reached.words, know.first_words[c], v):
                    continue
                if not contains(know, know.leaves, q, c, v, now):
                    continue
                found = found and commute(know, mine, rival, c, v)
    return found


@compiled
def conflicts(know: Knowledge, reached: Reached, p: int, q: int) -> Any:
    """Whether two leaves fail to accord on the values that are reached."""
    return (
        may_leave(know, reached, know.leaves, q, q, p)
        or may_leave(know, reached, know.leaves, q, p, q)
        or not commute_all(know, reached, p, q)
    )


@inlined
def touch(know: Knowledge, p: int, q: int) -> Any:
    """Whether one of two leaves writes a column that the other one writes or bounds."""
    written, bounded = know.writes.written, know.leaves.bounded
    found = NONE
    for word in range(written.shape[1]):
        found |= written[p, word] & (written[q, word] | bounded[q, word])
        found |= written[q, word] & bounded[p, word]
    return found != NONE


@inlined
def hits(know: Knowledge, reached: Reached, boxes: Boxes, box: int, x: int) -> Any:
    """Whether a value that is reached, and that the leaf allows, is in one bound."""
    c = int64(boxes.columns[x])
    place = int64(boxes.places[box, c])
    first, longer = know.first_words[c], know.sizes[c] - 2
    found = False
    for word in range(know.first_words[c + 1] - first):
        common = reached.words[first + word] & know.bits[place + word]
        if common != NONE and word == longer >> 6:
            is_longer = ONE << uint64(longer & 63)
            now = int64(reached.values[know.first_values[c]])
            if not has_bit(know.bits, int64(boxes.heads[box, c]), now):
                common &= ~is_longer
        found |= common != NONE
    return found


@inlined
def missing(
    know: Knowledge, reached: Reached, boxes: Boxes, box: int, begin: int
) -> Any:
    """The first bound of a box, from ``begin`` on, that no value is in; or the end."""
    x = begin
    while x < boxes.starts[box + 1] and hits(know, reached, boxes, box, x):
        x += 1
    return x


@inlined
def meets(know: Knowledge, reached: Reached, boxes: Boxes, box: int) -> Any:
    """Whether values that are reached, and that the leaf allows, are in a box."""
    begin, end = boxes.starts[box], boxes.starts[box + 1]
    return missing(know, reached, boxes, box, begin) == end


@compiled
def leaves_goal(know: Knowledge, reached: Reached, p: int) -> bool:
    """Whether a goal can be met without leaf p, and a step of p may leave it."""
    writes, goals, bounds = know.writes, know.goals, know.bounds
    for w in range(writes.starts[p], writes.starts[p + 1]):
        c = int64(writes.columns[w])
        for bound in range(bounds.first[c], bounds.first[c + 1]):
            begin, end = bounds.starts[bound], bounds.starts[bound + 1]
            any_goal = int64(bounds.goals[begin])
            if not leaves_bound(know, reached, goals, any_goal, any_goal, w):
                continue
            for x in range(begin, end):
                goal = int64(bounds.goals[x])
                is_other = goals.instances[goal] != know.leaves.instances[p]
                if (
                    is_other
                    and know.is_goal[goal] != 0
                    and meets(know, reached, goals, goal)
                ):
                    return True
    return False
