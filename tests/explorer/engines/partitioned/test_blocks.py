"""The arrays of a block, as they are written."""

from __future__ import annotations

import numpy as np
import pytest

from replicheck.explorer.engines.partitioned.store.blocks import indices_of


@pytest.mark.parametrize(
    ("start", "size"), [(2**32 - 4, 4), (2**32 - 3, 8), (2**40, 8)]
)
def test_places_take_four_bytes_while_they_fit(start: int, size: int) -> None:
    """The last place of a level decides; none wraps around."""
    found = indices_of(np.array([0, 3], np.uint32), start, start + 4)
    assert found.itemsize == size
    assert found.tolist() == [start, start + 3]
