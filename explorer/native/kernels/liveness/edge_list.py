"""Edges of one level: from fingerprints to numbers of states, state by state."""

from __future__ import annotations

from typing import Any

from numba import int64, uint64

from replicheck.explorer.native.kernels.arrays import U64Array
from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    LevelEdges,
    NumberedStates,
    StepMeanings,
)
from replicheck.explorer.native.kernels.numba_support import NONE, ONE, compiled


@compiled
def number_states(states: NumberedStates, fingerprints: U64Array, first: int) -> None:
    """Give states the numbers from ``first`` on; the table has room for them."""
    keys, numbers = states.fingerprints, states.numbers
    mask = uint64(keys.shape[0] - 1)
    for place in range(fingerprints.shape[0]):
        fingerprint = fingerprints[place]
        slot = fingerprint & mask
        while keys[slot] != NONE:
            slot = (slot + ONE) & mask
        keys[slot] = fingerprint
        numbers[slot] = first + place


@compiled
def count_edges(
    edges: LevelEdges,
    fingerprints: U64Array,
    meanings: StepMeanings,
    marks: Any,
    offsets: Any,
) -> None:
    """Count the edges of each state into ``offsets[state + 1]``, and add them up.

    A step that changes nothing is none; one of a mark marks its state.

    Args:
        edges: the steps from the level.
        fingerprints: those of the level.
        meanings: of the numbers of steps.
        marks: ``marks[state, word]``.
        offsets: zeros, one more than states.
    """
    for edge in range(edges.sources.shape[0]):
        source = int64(edges.sources[edge])
        if edges.fingerprints[edge] != fingerprints[source]:
            offsets[source + 1] += 1
            continue
        mark = int64(meanings.marks[int64(edges.steps[edge])])
        if mark >= 0:
            marks[source, mark >> 6] |= ONE << uint64(mark & 63)
    for state in range(fingerprints.shape[0]):
        offsets[state + 1] += offsets[state]


@compiled
def place_edges(
    edges: LevelEdges,
    fingerprints: U64Array,
    states: NumberedStates,
    meanings: StepMeanings,
    offsets: Any,
    cursors: Any,
    targets: Any,
    steps: Any,
    insertion_limit: int,
) -> int:
    """Write the edges state by state; return the least number of a target.

    Those of a state are sorted by instance and target, however they were found; if it
    has more than the limit, they stay in that order.

    Args:
        edges: the steps from the level.
        fingerprints: those of the level.
        states: the numbers of all states that are known.
        meanings: of the numbers of steps.
        offsets: where the edges of each state of the level begin.
        cursors: the same, but moved on with each edge.
        targets: for each edge the number of its target.
        steps: for each edge the number of its step.
        insertion_limit: so many of a state are sorted.
    """
    keys, numbers = states.fingerprints, states.numbers
    mask = uint64(keys.shape[0] - 1)
    instances = meanings.instances
    least = int64(1) << int64(40)
    for edge in range(edges.sources.shape[0]):
        source = int64(edges.sources[edge])
        fingerprint = edges.fingerprints[edge]
        if fingerprint == fingerprints[source]:
            continue
        slot = fingerprint & mask
        while keys[slot] != fingerprint:
            slot = (slot + ONE) & mask
        target, step = numbers[slot], edges.steps[edge]
        instance = instances[int64(step)]
        place = cursors[source]
        cursors[source] = place + 1
        are_few = offsets[source + 1] - offsets[source] <= insertion_limit
        while are_few and place > offsets[source]:
            other = instances[int64(steps[place - 1])]
            if other < instance or (other == instance and targets[place - 1] <= target):
                break
            targets[place], steps[place] = targets[place - 1], steps[place - 1]
            place -= 1
        targets[place] = target
        steps[place] = step
        least = min(least, int64(target))
    return int(least)
