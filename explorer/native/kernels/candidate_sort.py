"""Candidates in order: by state, by instance, by part."""

from __future__ import annotations

from typing import Any

from numba import uint64

from replicheck.explorer.native.kernels.arrays import (
    CANDIDATES,
    PART_BITS,
    Candidates,
    ChunkArrays,
    Scratch,
)
from replicheck.explorer.native.kernels.numba_support import ONE, compiled


@compiled
def sort_by_source(
    chunk: ChunkArrays,
    low: int,
    high: int,
    late: int,
    leaves: Any,
    instances: Any,
    spare: ChunkArrays,
    scratch: Scratch,
) -> None:
    """Copy candidates to ``spare`` in the order of states, then instances, stably.

    Args:
        late: the first candidate of a pair that was missed at first. Those before have
            their instances in order, of each state.
        instances: of each step, the one whose it is.
    """
    starts = scratch.starts
    count = chunk.counters[CANDIDATES]
    if late < count:
        _sort_by_instance(chunk, count, leaves, instances, spare, scratch.filled)
    starts[: high - low + 1] = 0
    for number in range(count):
        starts[uint64(chunk.sources[uint64(number)]) - uint64(low) + ONE] += 1
    for state in range(high - low):
        starts[state + 1] += starts[state]
    for number in range(count):
        source = uint64(chunk.sources[uint64(number)])
        place = uint64(starts[source - uint64(low)])
        starts[source - uint64(low)] += 1
        spare.fingerprints[place] = chunk.fingerprints[uint64(number)]
        spare.sources[place] = source
        spare.indices[place] = chunk.indices[uint64(number)]


@compiled
def _sort_by_instance(
    chunk: ChunkArrays,
    count: int,
    leaves: Any,
    instances: Any,
    spare: ChunkArrays,
    ends: Any,
) -> None:
    """Bring all candidates in the order of their instances, stably.

    Args:
        ends: room for a number of each instance.
    """
    ends[:] = 0
    for number in range(count):
        place = uint64(number)
        spare.fingerprints[place] = chunk.fingerprints[place]
        spare.sources[place] = chunk.sources[place]
        spare.indices[place] = chunk.indices[place]
        ends[instances[leaves[chunk.indices[place]]]] += 1
    for instance in range(1, ends.shape[0]):
        ends[instance] += ends[instance - 1]
    for number in range(count - 1, -1, -1):
        place = uint64(number)
        instance = instances[leaves[spare.indices[place]]]
        ends[instance] -= 1
        to = uint64(ends[instance])
        chunk.fingerprints[to] = spare.fingerprints[place]
        chunk.sources[to] = spare.sources[place]
        chunk.indices[to] = spare.indices[place]


@compiled
def order_by_target(chunk: ChunkArrays, count: int, leaves: Any, actions: Any) -> None:
    """Sort neighbours of one state and action by where they lead, by insertion.

    Args:
        actions: of each step, the number of its action; -1 keeps it where it is.
    """
    for number in range(1, count):
        place, fingerprint = chunk.indices[number], chunk.fingerprints[number]
        source, action = chunk.sources[number], actions[leaves[place]]
        to = number
        while (
            action >= 0
            and to > 0
            and chunk.sources[to - 1] == source
            and actions[leaves[chunk.indices[to - 1]]] == action
            and chunk.fingerprints[to - 1] > fingerprint
        ):
            chunk.indices[to] = chunk.indices[to - 1]
            chunk.fingerprints[to] = chunk.fingerprints[to - 1]
            to -= 1
        chunk.indices[to] = place
        chunk.fingerprints[to] = fingerprint


@compiled
def count_parts(chunk: ChunkArrays, count: int, counts: Any) -> None:
    """Count the candidates of each part."""
    fingerprints = chunk.fingerprints
    counts[:] = 0
    for number in range(count):
        counts[fingerprints[uint64(number)] >> uint64(64 - PART_BITS)] += 1


@compiled
def scatter(
    chunk: ChunkArrays, count: int, starts: Any, candidates: Candidates
) -> None:
    """Move candidates to their parts, stably; ``starts`` is where each part goes on."""
    fingerprints, sources, indices = (
        candidates.fingerprints,
        candidates.sources,
        candidates.indices,
    )
    for number in range(count):
        fingerprint = chunk.fingerprints[uint64(number)]
        part = fingerprint >> uint64(64 - PART_BITS)
        to = uint64(starts[part])
        starts[part] += 1
        fingerprints[to] = fingerprint
        sources[to] = chunk.sources[uint64(number)]
        indices[to] = chunk.indices[uint64(number)]
