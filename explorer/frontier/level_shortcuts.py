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

ENTRIES_PER_STATE = 8
"""So many entries of the tables may be copied for each state."""
AT_ONCE = 1 << 16
"""Entries that are copied in one go."""
SAMPLE = 64
"""States that are looked at first: mostly they tell that no column is fixed."""


class LevelShortcuts:
    """Makes the shortcuts of a level, anew now and then when the trees have grown.

    Those that are out of date are sound as long as the arrays have their sizes: what
    has come since has no shortcut, and is walked the long way.
    """

    def __init__(self) -> None:
        self._fixed: npt.NDArray[np.uint8] | None = None
        self._numbers: list[int] = []
        self._states = 0
        self._made_for: tuple[int, ...] = ()
        self._made_at = 0
        self._shortcuts: Shortcuts | None = None
        self._spare: dict[str, Numbers] = {}

    def begin(self, level: Level) -> None:
        """Find out what is the same in all states of a level."""
        self._fixed = fixed_columns(level)
        self._numbers = RowView(level.rows)[0].tolist()
        self._states = len(level.fingerprints)
        self._made_for, self._made_at = (), 0
        self._shortcuts = None

    def applied(self, tables: Tables, arrays: Arrays, done: int) -> Arrays:
        """The arrays of some tables, with the shortcuts of the level.

        Args:
            done: the states of the level that are expanded.
        """
        entries = len(arrays.jumps) + len(arrays.children)
        if self._fixed is None or entries > ENTRIES_PER_STATE * self._states:
            return arrays
        trees = tables.trees
        sizes = tables.layouts, len(arrays.jumps), len(arrays.children)
        made_for = *sizes, trees.leaf_count, trees.children.used
        shortcuts = self._shortcuts
        is_usable = self._made_for[: len(sizes)] == sizes
        pays = entries <= ENTRIES_PER_STATE * (done - self._made_at)
        if shortcuts is None or not is_usable or (pays and self._made_for != made_for):
            shortcuts = self._shortcuts = self._made(arrays, trees.nodes.used)
            self._made_for, self._made_at = made_for, done
        return arrays._replace(shortcuts=shortcuts)

    def _made(self, arrays: Arrays, nodes: int) -> Shortcuts:
        assert self._fixed is not None
        onward = _onward(arrays, nodes, self._fixed, self._numbers)
        roots, jumps, children = (
            self._past(name, getattr(arrays, name), onward)
            for name in ("roots", "jumps", "children")
        )
        return Shortcuts(self._fixed, roots, jumps, children)

    def _past(self, name: str, places: Numbers, onward: Numbers) -> Numbers:
        """Nodes, leaves and marks, each node replaced by where a walk goes on."""
        past = self._spare.get(name)
        if past is None or len(past) != len(places):
            past = self._spare[name] = np.empty_like(places)
        for first in range(0, len(places), AT_ONCE):
            part = places[first : first + AT_ONCE]
            nodes = onward[np.maximum(part, 0)]
            past[first : first + AT_ONCE] = np.where(part > 0, nodes, part)
        return past


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
