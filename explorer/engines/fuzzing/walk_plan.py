"""Plans: what is drawn of one walk, the bounds of the model included.

A plan is drawn as bytes of a fixed length. Bytes of the same length shrink in the order
of an alphabet, so what comes first gets small first: faults, then steps,
then bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Self
from zlib import crc32

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

Ranges = Mapping[str, tuple[int, int]]
"""For each bound that is drawn its least and its greatest value."""

MOST_FAULTS = 15
SALT = 4
WEIGHTS = 40
"""So many bytes say what weighs more; actions and groups share them by a checksum."""
SHIFTS = np.array([0, 0, 0, 0, 1, 2, 3, 4], np.uint8)
"""Half of all weigh 1, the others 2, 4, 8 and 16."""


@frozen
class Plan:
    """One walk, before it is known what is enabled on the way.

    ``faults`` is the most that may happen; ``choices`` has a byte for each step, 0 to
    let it out; ``bounds`` are those in which the model differs from the scenario's.
    ``weighs_kinds`` says that first an action is chosen, and then its arguments.
    """

    faults: int
    choices: npt.NDArray[np.uint8] = field(eq=False)
    bounds: tuple[tuple[str, int], ...]
    weighs_kinds: bool
    salt: int
    weights: npt.NDArray[np.uint8] = field(eq=False)

    @classmethod
    def of(cls, drawn: bytes, ranges: Ranges) -> Self:
        """Decode a plan from `length_of` bytes."""
        steps = len(drawn) - length_of(ranges, 0)
        at = 1 + steps
        sizes = drawn[at : at + len(ranges)]
        at += len(ranges)
        return cls(
            faults=drawn[0] % (MOST_FAULTS + 1),
            choices=np.frombuffer(drawn, np.uint8, steps, 1).copy(),
            bounds=bounds_of(sizes, ranges),
            weighs_kinds=bool(drawn[at] & 1),
            salt=int.from_bytes(drawn[at + 1 : at + 1 + SALT]),
            weights=np.frombuffer(drawn, np.uint8, offset=at + 1 + SALT),
        )

    def shifts(self, indices: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        """The logarithms of the weights of what has these places."""
        found: npt.NDArray[np.uint8] = SHIFTS[self.weights[indices] & 7]
        return found


def bounds_of(sizes: bytes, ranges: Ranges) -> tuple[tuple[str, int], ...]:
    """The bounds that so many bytes as there are ranges stand for."""
    return tuple(
        (name, least + size % (greatest - least + 1))
        for (name, (least, greatest)), size in zip(ranges.items(), sizes, strict=True)
    )


def random_plan(random: Random, steps: int, sizes: Sequence[bytes]) -> bytes:
    """A plan of so many steps by chance, with one of some bounds."""
    size = random.choice(sizes)
    before, behind = random.randbytes(1 + steps), random.randbytes(1 + SALT + WEIGHTS)
    return before + size + behind


def places_of(names: Sequence[str]) -> npt.NDArray[np.intp]:
    """Hash of each name: which byte of the weights is its own."""
    return np.array([crc32(name.encode()) % WEIGHTS for name in names], np.intp)


def length_of(ranges: Ranges, steps: int) -> int:
    """Length in bytes of a plan of so many steps."""
    return 1 + steps + len(ranges) + 1 + SALT + WEIGHTS
