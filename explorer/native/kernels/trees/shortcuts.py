"""Shortcuts of a level: past the nodes that ask what all of its states answer alike."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import REQUESTED, Arrays, Numbers
from replicheck.explorer.native.kernels.numba_support import NONE, ONE, compiled


@compiled
def find_varying(words: Any, varying: Any) -> None:
    """Write a row that has the bits in which some rows differ."""
    varying[:] = NONE
    for state in range(words.shape[0]):
        for word in range(words.shape[1]):
            differing = words[uint64(state), uint64(word)] ^ words[NONE, uint64(word)]
            varying[NONE, uint64(word)] |= differing


@compiled
def find_onward(tables: Arrays, fixed: Any, values: Any, onward: Numbers) -> None:
    """Write for each node where a walk goes on from it without a choice, or itself.

    Args:
        fixed: which columns have one value in the level.
        values: that value's number, by column.
    """
    nodes, lookups, children = tables.nodes, tables.lookups, tables.children
    onward[NONE] = 0
    for start in range(1, onward.shape[0]):
        at = int64(start)
        while at > 0:
            node = uint64(at)
            column = uint64(nodes[node, NONE])
            if fixed[column] == 0:
                break
            value = uint64(values[column])
            answer = int64(lookups[uint64(nodes[node, ONE]) + value])
            if answer < 0 or answer >= nodes[node, uint64(3)]:
                break
            child = int64(children[uint64(nodes[node, uint64(2)]) + uint64(answer)])
            if child == 0 or child == REQUESTED:
                break
            at = child
        onward[uint64(start)] = at


@compiled
def lead_onward(places: Numbers, onward: Numbers, past: Numbers) -> None:
    """Copy nodes, leaves and marks, each node replaced by where a walk goes on."""
    for entry in range(places.shape[0]):
        place = int64(places[uint64(entry)])
        past[uint64(entry)] = onward[uint64(place)] if place > 0 else place
