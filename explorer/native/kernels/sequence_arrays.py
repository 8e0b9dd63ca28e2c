"""A tree of sequences, in the arrays of the kernels of `sequence_growth`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from replicheck.explorer.native.kernels.arrays import Numbers

NO_NODE, NO_VALUE = -1, -1
NODES, VALUES, HEADS, LENGTH = range(4)
COUNTS = 4


class TreeArrays(NamedTuple):
    """Nodes, the values that some of them are, and what is known of heads.

    ``parents[n]`` is the node without the last element, ``lasts[n]`` the number of that
    element, ``depths[n]`` how many elements there are; ``heads[n]`` is the number of
    the node's head: its root and first element. ``numbers[n]`` is the number of the
    value that a node is, and ``nodes`` the node of each value. ``frames[head]`` is the
    number of what is in the other fields. ``slots`` finds a node by its parent and last
    element; an empty one is 0, which is a root. ``counts`` are those of nodes, values
    and heads, and the greatest depth.
    """

    parents: Numbers
    lasts: Numbers
    depths: Numbers
    heads: Numbers
    numbers: Numbers
    nodes: Numbers
    frames: Numbers
    slots: Numbers
    counts: npt.NDArray[np.int64]
