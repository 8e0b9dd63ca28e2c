"""Counts of the states that walks have seen, exactly or about."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.engines.simulation.coverage_estimate import (
    FIRST_SIZE,
    CoverageEstimate,
)


@given(st.lists(st.lists(st.integers(1, 40), max_size=50), max_size=6))
def test_the_census_counts(rounds: list[list[int]]) -> None:
    """Visits, distinct states, and those seen once and twice are exact."""
    estimate = CoverageEstimate()
    for round_counts in rounds:
        estimate.add(np.array(round_counts, np.uint64))
    counts = Counter(number for round_counts in rounds for number in round_counts)
    often = Counter(counts.values())
    seen = estimate.seen
    assert (seen.visits, seen.distinct) == (sum(map(len, rounds)), len(counts))
    assert (seen.once, seen.twice, seen.is_exact) == (often[1], often[2], True)


def test_a_census_without_room_counts_a_sample() -> None:
    """When the table may not grow, the number is about right, and it says so."""
    fingerprints = (
        np.random.default_rng(0).integers(1, 2**63, 400_000).astype(np.uint64)
    )
    estimate = CoverageEstimate(most_slots=FIRST_SIZE)
    estimate.add(fingerprints)
    seen = estimate.seen
    assert not seen.is_exact
    assert abs(seen.distinct - len(fingerprints)) < 0.03 * len(fingerprints)
    assert seen.covered < 0.03
