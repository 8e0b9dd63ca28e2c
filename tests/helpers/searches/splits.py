"""What tests of split sets share: to split whatever reads a set."""

from __future__ import annotations

from contextlib import AbstractContextManager
from unittest.mock import patch

from hypothesis import strategies as st

from replicheck.explorer.learning import crowded_sets

ROOMS = st.sampled_from([-3, 0, 5])
"""Spare columns; with so few a search begins anew when another element comes."""


def split_whatever_reads(spare: int) -> AbstractContextManager[object]:
    """Sets are split that are read as a whole, too."""
    return patch.multiple(
        crowded_sets,
        _are_by_element=lambda *arguments: True,
        WHOLE_READS=1 << 40,
        SPARE=spare,
    )
