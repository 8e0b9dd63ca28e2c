"""Shortcuts of a level: which columns are fixed, and where walks go on."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.frontier.level_shortcuts import fixed_columns
from replicheck.explorer.frontier.levels import fresh_level
from replicheck.explorer.native.disabled_bits import bits_of_all
from replicheck.explorer.native.kernels.arrays import Level
from replicheck.explorer.native.packed_rows import fields_for, pack_rows

SIZES = (1, 2, 300, 1 << 20, 5)
"""How many values each column may have."""


def level_of(rows: list[tuple[int, ...]]) -> Level:
    """A level of states with some numbers."""
    numbers = np.array(rows, np.uint32)
    fingerprints = np.arange(1, len(rows) + 1, dtype=np.uint64)
    return fresh_level(
        pack_rows(numbers, fields_for(SIZES)), fingerprints, bits_of_all(1)
    )


ROWS = st.tuples(*(st.integers(0, size - 1) for size in SIZES))


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_a_column_is_fixed_if_all_states_have_one_number_there(
    rows: list[tuple[int, ...]],
) -> None:
    """Wherever its field is in the words of a row."""
    fixed = fixed_columns(level_of(rows))
    expected = [len(set(column)) == 1 for column in zip(*rows, strict=True)]
    assert fixed is not None
    assert fixed.tolist() == expected


def test_no_column_is_fixed_where_all_differ() -> None:
    """Then the tables are walked as they are."""
    sizes = (2, 3)
    rows = pack_rows(np.array([(0, 1), (1, 2)]), fields_for(sizes))
    fingerprints = np.arange(1, 3, dtype=np.uint64)
    assert fixed_columns(fresh_level(rows, fingerprints, bits_of_all(1))) is None
