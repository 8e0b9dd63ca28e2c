"""What is new of all that was found for a bucket, by fingerprints and keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.engines.partitioned.store.blocks import Block, Marks
from replicheck.explorer.engines.partitioned.worker.merge import new_states

State = tuple[int, int]
"""A fingerprint and a key."""
STATES = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3)), max_size=12)
"""Few of each, so that many states share a fingerprint."""


def marks_of(states: Sequence[State]) -> Marks:
    """Marks of states, in the order of their fingerprints."""
    pairs = np.array(states, np.uint64).reshape(-1, 2)
    return Marks(pairs[:, 0].copy(), pairs[:, 1:].copy())


def block_of(states: Sequence[State], first: int) -> Block:
    """A block of states, whose parents are numbered from one on."""
    marks, count = marks_of(states), len(states)
    parents = np.arange(first, first + count, dtype=np.uint32)
    nothing = np.zeros((count, 1), np.uint64)
    steps = np.zeros(count, np.uint32)
    return Block(nothing, marks.fingerprints, marks.keys, nothing, parents, steps)


def by_fingerprint(states: Sequence[State]) -> list[State]:
    """States without repetition, those of one fingerprint as they were found."""
    return sorted(dict.fromkeys(states), key=lambda state: state[0])


@given(st.lists(STATES, min_size=1, max_size=4), STATES, STATES)
def test_new_is_what_no_run_has(
    found: list[list[State]], one_run: list[State], another_run: list[State]
) -> None:
    """Each state once, as it was found first, in the order of fingerprints."""
    blocks, places = [], dict[State, int]()
    count = 0
    for states in map(by_fingerprint, found):
        blocks.append(block_of(states, count))
        for place, state in enumerate(states, count):
            places.setdefault(state, place)
        count += len(states)
    runs = [marks_of(by_fingerprint(run)) for run in (one_run, another_run)]
    new = new_states(blocks, runs)
    known = {*one_run, *another_run}
    expected = by_fingerprint([state for state in places if state not in known])
    pairs = zip(new.fingerprints.tolist(), new.keys[:, 0].tolist(), strict=True)
    assert list(pairs) == expected
    assert new.parents.tolist() == [places[state] for state in expected]


@pytest.mark.parametrize("ratio", [0, 1, 5, 15, 17, 200])
@pytest.mark.parametrize("blocks", [1, 2, 3, 7])
def test_runs_of_any_length(ratio: int, blocks: int) -> None:
    """Half of what was found is known, whether by a long run or a short one."""
    random = np.random.default_rng(ratio)
    numbers = random.integers(0, 1 << 63, (2 + ratio) * 500, np.uint64)
    run = np.unique(numbers[: 500 * (1 + ratio)])
    found = np.array_split(random.permutation(numbers[-1000:]), blocks)
    stretches = [[(number, 0) for number in np.unique(part).tolist()] for part in found]
    new = new_states(
        [block_of(states, 0) for states in stretches],
        [marks_of([(number, 0) for number in run.tolist()])],
    )
    expected = np.setdiff1d(np.unique(numbers[-1000:]), run)
    assert new.fingerprints.tolist() == expected.tolist()
