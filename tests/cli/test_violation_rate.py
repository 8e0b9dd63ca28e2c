"""The share of walks that violate is bounded as a binomial test bounds it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicheck.cli.results.violation_rate import most_frequent, rate_text


@given(walks=st.integers(1, 10**6), confidence=st.floats(0.5, 0.999))
def test_at_the_bound_the_sample_is_as_rare_as_allowed(
    walks: int, confidence: float
) -> None:
    """So many walks without a violation have the probability 1 - confidence there."""
    share = most_frequent(walks, confidence)
    assert (1 - share) ** walks == pytest.approx(1 - confidence, rel=1e-6)


def test_the_rule_of_three() -> None:
    """Of many walks without a violation, three divided by their number."""
    assert most_frequent(3_000) == pytest.approx(3 / 3_000, rel=0.01)
    assert "fewer than 1 in 1,001 such walks do" in rate_text(3_000, "walks")


def test_few_walks() -> None:
    """They say little, and that in percent."""
    assert "fewer than 26% of such walks do" in rate_text(10, "walks")
    assert "fewer than 1 in 10 such walks do" in rate_text(30, "walks")
