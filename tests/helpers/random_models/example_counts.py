"""How many random examples a test draws: more by night than in CI."""

from __future__ import annotations

from hypothesis import settings

IN_CI = 40
"""Examples of a property in the profile of CI, of which others are multiples."""


def by_profile(in_ci: int) -> int:
    """Number of examples in the present profile of a test with so many in CI."""
    return in_ci * settings().max_examples // IN_CI
