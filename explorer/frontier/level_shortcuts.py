"""Shortcuts of a level: trees past the questions that all of its states answer alike.

Of the columns of a wide model few differ between the states of a level. A walk that
comes to a question about one of the others has only one way on: so the tables that the
kernels walk are copied with that way taken.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import (
    Arrays,
    Level,
    Numbers,
    PackedRows,
    Shortcuts,
)
from replicheck.explorer.native.library import find_onward, find_varying, lead_onward
from replicheck.explorer.native.packed_rows import RowView
from replicheck.explorer.tables.tables import Tables

ENTRIES_PER_STATE = 8
"""So many entries of the tables may be copied for each state."""


class LevelShortcuts:
    """Makes the shortcuts of a level, anew now and then when the trees have grown.

    Those that are out of date are sound as long as the arrays have their sizes: what
    has come since has no shortcut, and is walked the long way.
    """

    def __init__(self) -> None:
        self._fixed: npt.NDArray[np.uint8] | None = None
        self._numbers = np.zeros(0, np.uint32)
        self._states = 0
        self._made_for: tuple[int, ...] = ()
        self._made_at = 0
        self._shortcuts: Shortcuts | None = None
        self._spare: dict[str, Numbers] = {}

    def begin(self, level: Level) -> None:
        """Find out what is the same in all states of a level."""
        self._fixed = fixed_columns(level)
        self._numbers = RowView(level.rows)[0].astype(np.uint32)
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
        onward = np.empty(nodes, np.int32)
        find_onward(arrays, self._fixed, self._numbers, onward)
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
        lead_onward(places, onward, past)
        return past


def fixed_columns(level: Level) -> npt.NDArray[np.uint8] | None:
    """Which columns have one value in all states, or None if none has."""
    words, fields = level.rows
    varying = np.empty((1, words.shape[1]), np.uint64)
    find_varying(words, varying)
    fixed = RowView(PackedRows(varying, fields))[0] == 0
    return fixed.astype(np.uint8) if fixed.any() else None
