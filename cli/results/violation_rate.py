"""How often random walks violate: exact bounds from walks that did not."""

from __future__ import annotations

CONFIDENCE = 0.95
SHARE_OF_FEW = 0.1
"""A larger share is told in percent."""


def most_frequent(walks: int, confidence: float = CONFIDENCE) -> float:
    """Upper bound of the share of walks that violate, where none of some did.

    It is that of Clopper and Pearson: with a larger share, a sample of so many walks
    without a violation is less probable than 1 - confidence.

    Args:
        walks: independent walks that came to their end; at least one.
        confidence: between 0 and 1.
    """
    return float(1 - (1 - confidence) ** (1 / walks))


def rate_text(walks: int, unit: str) -> str:
    """What some walks without a violation tell of the share that has one."""
    share = most_frequent(walks)
    of_few = share > SHARE_OF_FEW
    often = f"{share:.0%} of" if of_few else f"1 in {int(1 / share):,}"
    return (
        f"none of the {walks:,} {unit} that came to their end violates: with"
        f" {CONFIDENCE:.0%} confidence fewer than {often} such {unit} do"
        " (Clopper-Pearson); of a real cluster that says nothing"
    )
