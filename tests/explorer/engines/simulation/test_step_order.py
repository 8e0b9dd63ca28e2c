"""Order of the steps of a walker, whichever functions yield them."""

from __future__ import annotations

from itertools import groupby
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.native.kernels.candidate_sort import order_by_target

STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-1, 2), st.integers(0, 5)), max_size=12
)
"""Each with a state, an action, or -1, and where it leads."""


@given(STEPS)
def test_neighbours_of_one_state_and_action_are_sorted(
    steps: list[tuple[int, int, int]],
) -> None:
    """And no step goes to those of another."""
    steps.sort(key=lambda step: step[0])
    sources, actions, fingerprints = (
        np.array([step[part] for step in steps], np.int64) for part in range(3)
    )
    chunk = SimpleNamespace(
        sources=sources, fingerprints=fingerprints, indices=np.arange(len(steps))
    )
    order_by_target.py_func(chunk, len(steps), np.arange(len(steps)), actions)
    expected: list[tuple[int, int, int]] = []
    for (_, action), block in groupby(steps, key=lambda step: step[:2]):
        neighbours = list(block)
        expected += neighbours if action < 0 else sorted(neighbours)
    found = [steps[index] for index in chunk.indices]
    assert found == expected
    assert chunk.fingerprints.tolist() == [step[2] for step in expected]
