"""Candidates in order: by state, by instance, by part."""

from __future__ import annotations

from typing import Any

from numba import uint64

from replicheck.explorer.arrays import CANDIDATES, PART_BITS, Candidates, Chunk, Scratch
from replicheck.explorer.kernels.words import ONE, compiled


@compiled
def sort_by_source(
    chunk: Chunk, low: int, high: int, spare: Chunk, scratch: Scratch
) -> None:
    """Copy candidates to ``spare`` in the order of their states, stably."""
    starts = scratch.starts
    count = chunk.counters[CANDIDATES]
    starts[: high - low + 1] = 0
    for number in range(count):
        starts[uint64(chunk.sources[uint64(number)]) - uint64(low) + ONE] += 1
    for state in range(high - low):
        starts[state + 1] += starts[state]
    for number in range(count):
        source = uint64(chunk.sources[uint64(number)])
        place = uint64(starts[source - uint64(low)])
        starts[source - uint64(low)] += 1
        spare.prints[place] = chunk.prints[uint64(number)]
        spare.sources[place] = source
        spare.places[place] = chunk.places[uint64(number)]


@compiled
def settle(spare: Chunk, count: int, leaves: Any, instances: Any) -> None:
    """Bring candidates of the same state in the order of their instances, stably.

    Those that were missed at first stand behind the others of their state. By
    insertion, since almost all stand right. ``instances`` tells that of each step.
    """
    for number in range(1, count):
        source = spare.sources[number]
        if source != spare.sources[number - 1]:
            continue
        place, printed = spare.places[number], spare.prints[number]
        instance = instances[leaves[place]]
        to = number
        while (
            to > 0
            and spare.sources[to - 1] == source
            and instances[leaves[spare.places[to - 1]]] > instance
        ):
            spare.places[to] = spare.places[to - 1]
            spare.prints[to] = spare.prints[to - 1]
            to -= 1
        spare.places[to] = place
        spare.prints[to] = printed


@compiled
def count_parts(chunk: Chunk, count: int, counts: Any) -> None:
    """Count the candidates of each part."""
    prints = chunk.prints
    counts[:] = 0
    for number in range(count):
        counts[prints[uint64(number)] >> uint64(64 - PART_BITS)] += 1


@compiled
def scatter(chunk: Chunk, count: int, starts: Any, candidates: Candidates) -> None:
    """Move candidates to their parts, stably; ``starts`` is where each part goes on."""
    prints, sources, places = candidates.prints, candidates.sources, candidates.places
    for number in range(count):
        printed = chunk.prints[uint64(number)]
        part = printed >> uint64(64 - PART_BITS)
        to = uint64(starts[part])
        starts[part] += 1
        prints[to] = printed
        sources[to] = chunk.sources[uint64(number)]
        places[to] = chunk.places[uint64(number)]
