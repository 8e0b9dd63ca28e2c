"""Sets of changes, as the bits of a number, by where in the streams they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from changed_observations import CORRUPTION, SWAP, Change
from replicheck.explorer.engines.trace_validation.observations import Streams

Changes = int
"""A bit set of changes."""


def numbers(changes: Changes) -> Iterator[int]:
    """Yield the number of each change of a set."""
    while changes:
        lowest = changes & -changes
        yield lowest.bit_length() - 1
        changes ^= lowest


class ChangesByPlace:
    """Bit sets of changes by stream and position."""

    def __init__(self, streams: Streams, changes: Sequence[Change]) -> None:
        self.streams, self.changes = streams, changes
        self.index = {name: i for i, name in enumerate(streams.names)}
        self.all: Changes = (1 << len(changes)) - 1
        sizes = [len(seen) + 1 for seen in streams.observations]
        self.at: list[list[Changes]] = [[0] * size for size in sizes]
        self.altering: list[list[Changes]] = [[0] * size for size in sizes]
        self.of: list[Changes] = [0] * len(sizes)
        self.corruptions: list[Changes] = [0] * len(sizes)
        self.swaps: list[Changes] = [0] * len(sizes)
        for number, change in enumerate(changes):
            stream, bit = self.index[change.stream], 1 << number
            seen = streams.observations[stream]
            self.at[stream][change.position] |= bit
            self.of[stream] |= bit
            if change.kind == CORRUPTION:
                self.corruptions[stream] |= bit
            if change.kind == SWAP:
                self.swaps[stream] |= bit
            for place in range(change.position, len(seen)):
                if change.changed[place : place + 1] != seen[place : place + 1]:
                    self.altering[stream][place] |= bit
        self.later = [[sum(bits[p:]) for p in range(len(bits))] for bits in self.at]

    def altering_between(self, stream: int, begin: int, end: int) -> Changes:
        """Changes that alter what is observed at some positions of a stream."""
        found = 0
        for bits in self.altering[stream][begin:end]:
            found |= bits
        return found
