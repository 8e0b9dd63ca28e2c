"""Enabled parts: an action with parts is enabled where any of them is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicheck.explorer.learning.learned_functions import parts_of
from replicheck.explorer.learning.learned_model import LearnedModel
from replicheck.explorer.native.kernels.arrays import CANDIDATES, ChunkArrays


def count_enabled(
    learned: LearnedModel, arrays: ChunkArrays, states: range
) -> npt.NDArray[np.int64]:
    """Number of the states of a chunk in which each function is enabled.

    An action with parts is counted with the first of them.
    """
    count = int(arrays.counters[CANDIDATES])
    firsts = _first_parts(learned)
    enabled = arrays.enabled.copy()
    enabled[firsts >= 0] = 0
    leaves = learned.tables.trees.leaves.array
    steps = leaves[arrays.indices[:count]]
    of_steps = firsts[np.array([number for number, _ in learned.steps], np.intp)][steps]
    of_parts = of_steps >= 0
    sources = arrays.sources[:count][of_parts] - np.uint32(states.start)
    for first in np.unique(firsts[firsts >= 0]).tolist():
        is_enabled = np.zeros(len(states), np.bool_)
        is_enabled[sources[of_steps[of_parts] == first]] = True
        enabled[first] = np.count_nonzero(is_enabled)
    return enabled


def _first_parts(learned: LearnedModel) -> npt.NDArray[np.intp]:
    """The first part of what each function is a part of, or -1 if it is none."""
    return np.array(
        [
            -1 if function.part is None else parts_of(learned.functions, number).start
            for number, function in enumerate(learned.functions)
        ],
        np.intp,
    )
