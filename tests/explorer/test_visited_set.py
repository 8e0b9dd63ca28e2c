"""The visited set holds what was put into it, however its tables had to grow."""

from __future__ import annotations

import mmap
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toys
from replicheck.explorer.frontier import table_shapes
from replicheck.explorer.frontier.levels import fresh_level
from replicheck.explorer.frontier.state_keys import KeyPrecision, StateKeys
from replicheck.explorer.frontier.table_shapes import (
    FIRST_SIZE,
    NARROW,
    WIDE,
    Shape,
    grown,
)
from replicheck.explorer.frontier.visited_set import VisitedSet
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native.disabled_bits import bits_of_all
from replicheck.explorer.native.kernels.arrays import (
    PART_BITS,
    PARTS,
    WORD_BITS,
    Candidates,
    Found,
    U64Array,
)
from replicheck.explorer.native.library import insert
from replicheck.explorer.native.packed_rows import fields_for, pack_rows
from replicheck.explorer.runtime.thread_pool import map_in_turn

LOW = 1 << 32
"""A fingerprint's slot depends on its value modulo this number."""
PART = 5

sizes = st.lists(st.integers(1, 1500), min_size=1, max_size=4)
narrow = st.tuples(st.integers(0, LOW - 1), st.sampled_from((1, 300, 10**6, LOW)))


def crowded_fingerprints(count: int, slots: tuple[int, int], seed: int) -> U64Array:
    """So many different ones of a part, whose slots lie close together."""
    first, width = slots
    draw = np.random.default_rng(seed)
    high = np.arange(1, count + 1, dtype=np.uint64) << np.uint64(32)
    low = (first + draw.integers(0, width, count)) % LOW
    part = np.uint64(PART << (64 - PART_BITS))
    return draw.permutation(part | high | low.astype(np.uint64))


def keys_of(fingerprints: U64Array, words: int) -> U64Array:
    """Words for each fingerprint, by which it can be recognised."""
    return np.stack(
        [fingerprints + np.uint64(word + 1) for word in range(words)], axis=-1
    )


@given(sizes, narrow, st.integers(0, 2**32), st.integers(0, 2))
def test_nothing_is_lost_or_added(
    sizes: list[int], slots: tuple[int, int], seed: int, words: int
) -> None:
    """Fingerprints, each with its own key, also where many share a slot."""
    visited = VisitedSet(words)
    fingerprints = crowded_fingerprints(sum(sizes), slots, seed)
    for low, high in pairwise(np.cumsum([0, *sizes])):
        more = np.sort(fingerprints[low:high])
        none = np.empty((len(more), 0), np.uint64)
        visited.load(more, keys_of(more, words) if words else none)
        expected = np.sort(fingerprints[:high])
        held, keys = visited.settled(PART, None)
        assert held.tolist() == expected.tolist()
        if words:
            assert (keys == keys_of(expected, words)).all()
        assert_each_is_found(visited, expected)
        assert visited.counts.tolist().count(0) == len(visited.counts) - 1


class Rigid(mmap.mmap):
    """Memory of a system that cannot have it grow."""

    def resize(self, newsize: int) -> None:
        """Say so, as Python does."""
        raise SystemError


def test_memory_that_cannot_grow_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that all is there that was."""
    monkeypatch.setattr(mmap, "mmap", Rigid)
    visited, none = VisitedSet(), np.empty((2000, 0), np.uint64)
    fingerprints = np.sort(crowded_fingerprints(2000, (0, LOW), seed=1))
    visited.load(fingerprints[:1000], none[:1000])
    visited.load(fingerprints[1000:], none[1000:])
    held, _ = visited.settled(PART, None)
    assert held.tolist() == fingerprints.tolist()
    assert_each_is_found(visited, fingerprints)


def assert_each_is_found(visited: VisitedSet, fingerprints: U64Array) -> None:
    """From its own slot on, without an empty one between."""
    table, shape = visited.table(PART), visited.shape(PART)
    size = shape.size
    assert len(fingerprints) <= shape.room
    assert shape.width == WORD_BITS
    taken = np.flatnonzero(table)
    homes = ((table[taken] & np.uint64(LOW - 1)) * np.uint64(size)) >> np.uint64(32)
    holes = np.concatenate([[0], np.cumsum(table == 0)])
    twice = np.concatenate([holes[:-1], holes[-1] + holes])
    ends = np.where(taken >= homes, taken, taken + size).astype(np.int64)
    assert (twice[ends] == twice[homes.astype(np.int64)]).all()


def spread_fingerprints(count: int, seed: int) -> U64Array:
    """So many different ones of a part, as those of states are."""
    draw = np.random.default_rng(seed)
    part = np.uint64(PART << (64 - PART_BITS))
    drawn = draw.integers(1, 1 << (64 - PART_BITS), 2 * count, np.uint64)
    return draw.permutation(np.unique(drawn | part))[:count]


@given(st.lists(st.integers(49, 4000), min_size=1, max_size=4), st.integers(0, 2**32))
def test_buckets_hold_whole_fingerprints(sizes: list[int], seed: int) -> None:
    """Of slots with 48 bits, from the first fingerprint on."""
    assert_buckets_hold(spread_fingerprints(sum(sizes), seed), sizes, WIDE)


def test_narrow_buckets_hold_whole_fingerprints() -> None:
    """Of slots with 40 bits, until the table has grown twice."""
    sizes = [1_000_000, 400_000, 200_000]
    assert_buckets_hold(spread_fingerprints(sum(sizes), seed=1), sizes, NARROW)


def test_fingerprints_that_are_alike_go_to_an_open_table() -> None:
    """Where more share a low half than eight buckets have slots."""
    visited, none = VisitedSet(), np.empty((0, 0), np.uint64)
    fingerprints = np.sort(crowded_fingerprints(1000, (7, 1), seed=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_shapes, "ORDER", (WIDE._replace(worth=1),))
        visited.load(fingerprints, none)
        assert visited.settled(PART, None)[0].tolist() == fingerprints.tolist()
        assert_each_is_found(visited, fingerprints)


def test_a_large_table_takes_at_most_seven_bytes_a_fingerprint() -> None:
    """Right after it grew, too; and slots become narrower, never wider."""
    shape = Shape(WORD_BITS, FIRST_SIZE)
    while shape.room < 2 * NARROW.worth:
        needed = int(shape.room) + 1
        larger = grown(shape, needed, bucketed=True)
        assert larger.room >= needed
        assert larger.width <= shape.width
        if needed > NARROW.worth:
            assert 8 * larger.words <= 7 * needed
        shape = larger


def assert_buckets_hold(fingerprints: U64Array, sizes: list[int], kind: Any) -> None:
    """Put fingerprints into buckets, some at a time, as a level of states."""
    visited, none = VisitedSet(), np.empty((0, 0), np.uint64)
    worth = kind._replace(worth=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_shapes, "ORDER", (worth,))
        for low, high in pairwise(np.cumsum([0, *sizes])):
            visited.load(np.sort(fingerprints[low:high]), none)
            held, _ = visited.settled(PART, None)
            assert (held == np.sort(fingerprints[:high])).all()
            assert visited.widths[PART] == kind.width
        again = np.concatenate([fingerprints, spread_fingerprints(500, seed=2**33)])
        found = inserted(visited, again)
    assert set(found.tolist()) == set(again.tolist()) - set(fingerprints.tolist())


def inserted(visited: VisitedSet, fingerprints: U64Array) -> U64Array:
    """Insert the fingerprints of a part as candidates; return the new ones."""
    count = len(fingerprints)
    begins, ends, counts = (np.zeros(PARTS, np.int64) for _ in range(3))
    ends[PART] = count
    sources, indices = np.zeros(count, np.uint32), np.zeros(count, np.int32)
    candidates = Candidates(fingerprints, sources, indices, begins, ends)
    room = np.zeros(PARTS * count, np.uint64)
    found = Found(
        room, np.zeros(len(room), np.uint32), np.zeros(len(room), np.int32), counts
    )
    visited.make_room(ends, map_in_turn)
    learner = Learner(toys.counter(), ())
    rows = pack_rows(np.zeros((1, 1), np.uint16), fields_for([1]))
    level = fresh_level(rows, np.zeros(1, np.uint64), bits_of_all(1))
    known = StateKeys(KeyPrecision.BITS_64, learner).known(visited.addresses[1])
    tables = learner.tables.arrays()
    while (begins < ends).any() or visited.homeless.any():
        visited.house_all(map_in_turn)
        insert(0, PARTS, visited.slots, candidates, tables, level, found, known, 1)
    return found.fingerprints[PART * count :][: counts[PART]]
