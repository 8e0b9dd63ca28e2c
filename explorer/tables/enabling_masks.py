"""Enabling masks: which values of a single cell disable which instances."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import DISABLED, UNKNOWN, U64Array
from replicheck.explorer.tables.decision_trees import DecisionTrees

ALL_ONES = np.uint64(2**64 - 1)


def masks_of(
    trees: DecisionTrees, first: npt.NDArray[np.int64], width: int
) -> U64Array:
    """The ``masks`` of `tables` as the trees are now.

    Masks that are out of date are sound: they let the trees be walked in vain.
    """
    masks = np.full((int(first[-1]), width), ALL_ONES, np.uint64)
    for instance, root in enumerate(trees.roots.tolist()):
        word, bit = instance >> 6, ~np.uint64(1 << (instance & 63))
        for query, answers in _disabling(trees, root).items():
            column, lookup = trees.queries[query]
            known = lookup.known[: len(lookup.dictionary)]
            # UNKNOWN, being negative, takes the place at the end.
            disabling = np.zeros(max(UNKNOWN, int(known.max())) + 2, np.bool_)
            disabling[[answer for answer in answers if answer < len(disabling) - 1]] = (
                True
            )
            start = int(first[column])
            masks[start : start + len(known), word][disabling[known]] &= bit
    return masks.reshape(-1)


def _disabling(trees: DecisionTrees, at: int) -> dict[int, set[int]]:
    """The answers, by query, that alone disable the instance from a node on.

    What the children agree on counts if every answer that the node can get has a
    child: a closed question. Of an open question its own answers count alone.
    """
    if at <= 0:
        return {}
    _, query, children = trees.node(at)
    found = {query: set(np.flatnonzero(children == DISABLED).tolist())}
    if not trees.queries[query][1].is_closed:
        return found
    others = [int(child) for child in children[:2] if child != DISABLED]
    if len(others) != 1 or others[0] <= 0:
        return found
    for other, answers in _disabling(trees, others[0]).items():
        found.setdefault(other, set()).update(answers)
    return found
