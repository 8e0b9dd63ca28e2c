"""The arrays of a block, as they are written."""

from __future__ import annotations

import numpy as np
import pytest

from replicheck.explorer.engines.partitioned.store.blocks import (
    Array,
    indices_of,
    packed,
    unpacked,
)
from replicheck.explorer.errors import CheckpointError


@pytest.mark.parametrize(
    ("start", "size"), [(2**32 - 4, 4), (2**32 - 3, 8), (2**40, 8)]
)
def test_places_take_four_bytes_while_they_fit(start: int, size: int) -> None:
    """The last place of a level decides; none wraps around."""
    found = indices_of(np.array([0, 3], np.uint32), start, start + 4)
    assert found.itemsize == size
    assert found.tolist() == [start, start + 3]


def content(arrays: list[Array]) -> memoryview:
    """The content of a file that holds some arrays."""
    return memoryview(b"".join(bytes(part) for part in packed(arrays)))


def test_arrays_come_back_the_same() -> None:
    """Each with its type and its shape, also one of no element."""
    arrays: list[Array] = [
        np.arange(3, dtype=np.int64),
        np.zeros((0, 2), np.uint64),
        np.array([[1], [2]], np.uint16),
    ]
    found = unpacked(content(arrays), "level-00001/states")
    assert [array.tolist() for array in found] == [array.tolist() for array in arrays]
    assert [array.dtype for array in found] == [array.dtype for array in arrays]


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"rplblk1\n", "as another version of replicheck writes them; go on with that"),
        (b"PAR1....", "holds no states: it is another file"),
        (b"", "holds no states: it is another file"),
    ],
)
def test_a_file_of_something_else(start: bytes, message: str) -> None:
    """It is said whether it is states, which an earlier version wrote."""
    file = start + bytes(content([np.arange(3)]))[8:] if start else b""
    with pytest.raises(CheckpointError, match=f"level-00001/states .*{message}"):
        unpacked(memoryview(file), "level-00001/states")
