"""The visited set holds what was put into it, however its tables had to grow."""

from __future__ import annotations

import mmap
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.frontier.visited_set import FULLEST, VisitedSet
from replicheck.explorer.native.kernels.arrays import PART_BITS, U64Array

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
    table = visited.table(PART)
    size = len(table)
    assert len(fingerprints) <= FULLEST * size
    taken = np.flatnonzero(table)
    homes = ((table[taken] & np.uint64(LOW - 1)) * np.uint64(size)) >> np.uint64(32)
    holes = np.concatenate([[0], np.cumsum(table == 0)])
    twice = np.concatenate([holes[:-1], holes[-1] + holes])
    ends = np.where(taken >= homes, taken, taken + size).astype(np.int64)
    assert (twice[ends] == twice[homes.astype(np.int64)]).all()
