"""Packed rows as another process reads them: the same values, by other numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.engines.partitioned.exchange.value_numbering import renumbered
from replicheck.explorer.native.packed_rows import RowView, fields_for, pack_rows

BITS = st.integers(0, 20)
"""Of the numbers of one dictionary: some columns of a row share a word, some not."""


@given(
    bits=st.lists(BITS, min_size=1, max_size=8),
    states=st.sampled_from([1, 3, 511, 512, 1200]),
    seed=st.integers(0, 1 << 16),
)
def test_each_number_becomes_that_of_its_value(
    bits: list[int], states: int, seed: int
) -> None:
    """What has a global number keeps it; what has none gets the one agreed on."""
    random = np.random.default_rng(seed)
    of_column = np.concatenate([np.arange(len(bits)), [0]])
    sizes = [1 << width for width in bits]
    offsets = [int(random.integers(0, size + 1)) for size in sizes]
    numbers = [
        offset + random.permutation(size - offset)
        for offset, size in zip(offsets, sizes, strict=True)
    ]
    rows = np.column_stack(
        [random.integers(0, sizes[family], states) for family in of_column]
    )
    fields = fields_for([sizes[family] for family in of_column])
    room = fields_for([2 * sizes[family] for family in of_column])
    agreed = renumbered(pack_rows(rows, fields), of_column, offsets, numbers, room)
    tables = [
        np.concatenate([np.arange(offset), of_family])
        for offset, of_family in zip(offsets, numbers, strict=True)
    ]
    expected = [tables[family][rows[:, c]] for c, family in enumerate(of_column)]
    assert (agreed.fields == room).all()
    assert RowView(agreed)[:].tolist() == np.column_stack(expected).tolist()
