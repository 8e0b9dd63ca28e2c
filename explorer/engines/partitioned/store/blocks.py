"""Blocks: arrays of equally many states in one file, and the buckets of fingerprints.

A bucket is a range of fingerprints. So the buckets of a level, one after the other, are
the level in the order of fingerprints, whatever their number.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.native.kernels.arrays import U64Array

Array = npt.NDArray[Any]
UnsignedArray = npt.NDArray[np.unsignedinteger[Any]]

KIND, FORM = b"rplblk", b"2\n"
MAGIC = KIND + FORM
ALIGNMENT = 8
WHICH_BITS = 16


class Block(NamedTuple):
    """States in the order of their fingerprints, each with how it was found.

    ``rows`` are words as in `arrays.PackedRows`, whose fields stand before them in a
    file; ``disabled`` as in `arrays.Level`, ``keys`` as in `Marks`. ``parents``
    are places in the level before, counted over all buckets; ``steps`` tell the step
    from there: the instance, shifted by `WHICH_BITS`, and which of its steps it is.
    """

    rows: U64Array
    fingerprints: U64Array
    keys: U64Array
    disabled: U64Array
    parents: UnsignedArray
    steps: npt.NDArray[np.uint32]


class Marks(NamedTuple):
    """What tells states apart: fingerprints in ascending order, and the key of each.

    A key has no word where fingerprints are enough; see `frontier.state_keys`.
    """

    fingerprints: U64Array
    keys: U64Array


def first_fingerprints(buckets: int) -> U64Array:
    """The least fingerprint of each bucket."""
    return np.array(
        [-(-(number << 64) // buckets) for number in range(buckets)], np.uint64
    )


def bucket_of(fingerprint: int, buckets: int) -> int:
    """The bucket that a fingerprint belongs to."""
    return fingerprint * buckets >> 64


def packed(arrays: Sequence[Array]) -> list[Any]:
    """The content of a file that holds these arrays."""
    shapes = [[str(content.dtype), *content.shape] for content in arrays]
    head = json.dumps(shapes).encode()
    head += b" " * (-(len(MAGIC) + 4 + len(head)) % ALIGNMENT)
    content: list[Any] = [MAGIC, len(head).to_bytes(4, "little"), head]
    for array in arrays:
        if array.size:
            content.append(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            content.append(b"\0" * (-array.nbytes % ALIGNMENT))
    return content


def unpacked(content: memoryview, where: str) -> list[Array]:
    """The arrays of a file; they are parts of its content.

    Raises:
        CheckpointError: if it is no such file.
    """
    start = len(MAGIC) + 4
    if bytes(content[: len(KIND)]) != KIND:
        raise CheckpointError(f"{where} holds no states: it is another file")
    if bytes(content[: len(MAGIC)]) != MAGIC:
        raise CheckpointError(
            f"{where} holds states as another version of replicheck writes them; go on"
            " with that version, or start again"
        )
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    at = start + length
    arrays = []
    for name, *shape in json.loads(bytes(content[start:at])):
        dtype = np.dtype(name)
        count = int(np.prod(shape))
        arrays.append(np.frombuffer(content, dtype, count, at).reshape(shape))
        at += count * dtype.itemsize
        at += -at % ALIGNMENT
    return arrays


def indices_of(within: Array, start: int, end: int) -> UnsignedArray:
    """Places in a level of states from one place to another of it.

    Args:
        within: their places counted from ``start``.
    """
    dtype = np.uint32 if end <= 1 << 32 else np.uint64
    return np.add(within, start, dtype=dtype)


def joined(blocks: Sequence[Block]) -> Block:
    """Blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    columns: Sequence[Any] = list(zip(*blocks, strict=True))
    return Block(*(np.concatenate(column) for column in columns))


def block_slice(block: Block, low: int, high: int) -> Block:
    """The states from one place to another."""
    arrays: Sequence[Any] = block
    return Block(*(array[low:high] for array in arrays))


def picked(block: Block, indices: npt.NDArray[np.intp]) -> Block:
    """The states at some places."""
    arrays: Sequence[Any] = block
    return Block(*(array[indices] for array in arrays))


def bucket_slices(fingerprints: U64Array, buckets: int) -> list[tuple[int, int, int]]:
    """Bucket, start and end of each bucket that has one of some fingerprints."""
    starts = np.searchsorted(fingerprints, first_fingerprints(buckets)).tolist()
    ends = [*starts[1:], len(fingerprints)]
    return [
        (bucket, low, high)
        for bucket, (low, high) in enumerate(zip(starts, ends, strict=True))
        if low < high
    ]
