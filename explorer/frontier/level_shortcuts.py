"""Shortcuts of a level: trees past the questions that all of its states answer alike.

Of the columns of a wide model few differ between the states of a level. A walk that
comes to a question about one of the others has only one way on: so the tables that the
kernels walk are copied with that way taken.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import (
    FIELD_BITS,
    REQUESTED,
    Arrays,
    Fields,
    Level,
    Numbers,
    Shortcuts,
    U64Array,
)
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.tables.tables import Tables

WORTH = 4096
"""States of a level for which shortcuts are made at least."""
ENTRIES_PER_STATE = 16
"""So many entries of the tables may be copied for each state."""
SAMPLE = 64
"""States that are looked at first: mostly they tell that no column is fixed."""


class LevelShortcuts:
    """Makes the shortcuts of one level, anew when the trees have grown."""

    def __init__(self, level: Level) -> None:
        self._fixed = fixed_columns(level) if len(level.fingerprints) >= WORTH else None
        self._numbers: list[int] = []
        self._most = ENTRIES_PER_STATE * len(level.fingerprints)
        if self._fixed is not None:
            self._numbers = RowView(level.rows)[0].tolist()
        self._made_for: tuple[int, ...] = ()
        self._shortcuts: Shortcuts | None = None

    def applied(self, tables: Tables, arrays: Arrays) -> Arrays:
        """The arrays of some tables, with the shortcuts of the level."""
        if self._fixed is None or len(arrays.jumps) > self._most:
            return arrays
        trees = tables.trees
        sizes = trees.nodes.used, trees.children.used, trees.leaf_count
        made_for = tables.layouts, *sizes
        if self._shortcuts is None or made_for != self._made_for:
            self._made_for = made_for
            self._shortcuts = self._made(arrays, trees.nodes.used)
        return arrays._replace(shortcuts=self._shortcuts)

    def _made(self, arrays: Arrays, nodes: int) -> Shortcuts:
        assert self._fixed is not None
        onward = _onward(arrays, nodes, self._fixed, self._numbers)
        roots, jumps, children = (
            np.where(places > 0, onward[np.maximum(places, 0)], places)
            for places in (arrays.roots, arrays.jumps, arrays.children)
        )
        return Shortcuts(self._fixed, roots, jumps, children)


def fixed_columns(level: Level) -> npt.NDArray[np.uint8] | None:
    """Which columns have one value in all states, or None if none has."""
    words, fields = level.rows.words, level.rows.fields
    step = max(1, len(words) // SAMPLE)
    if not _constant(words[::step], fields).any():
        return None
    fixed = _constant(words, fields)
    return fixed if fixed.any() else None


def _constant(words: U64Array, fields: Fields) -> npt.NDArray[np.uint8]:
    """Which fields have the same bits in all rows."""
    varying = [
        int(np.bitwise_or.reduce(column) & ~np.bitwise_and.reduce(column))
        for column in words.T
    ]
    part = (1 << FIELD_BITS) - 1
    return np.array(
        [
            not varying[field >> 2 * FIELD_BITS] >> (field >> FIELD_BITS & part)
            & ((1 << (field & part)) - 1)
            for field in fields.tolist()
        ],
        np.uint8,
    )


def _onward(
    arrays: Arrays, nodes: int, fixed: npt.NDArray[np.uint8], numbers: list[int]
) -> Numbers:
    """For each node where a walk goes on from it without a choice, or itself."""
    column, lookup, children, room = arrays.nodes[:nodes].T
    itself = np.arange(nodes, dtype=np.int32)
    answers = arrays.lookups[lookup + np.array(numbers, np.int32)[column]]
    known = (fixed[column] != 0) & (answers >= 0) & (answers < room)
    known[0] = False
    ways = arrays.children[children + np.where(known, answers, 0)]
    known &= (ways != 0) & (ways != REQUESTED)
    onward: Numbers = np.where(known, ways, itself)
    while True:
        further = np.where(onward > 0, onward[np.maximum(onward, 0)], onward)
        if (further == onward).all():
            return onward
        onward = further
