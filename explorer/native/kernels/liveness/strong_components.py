"""Strongly connected components, by Tarjan's algorithm without recursion."""

from __future__ import annotations

from typing import Any

from numba import int64

from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    NO_COMPONENT,
    Components,
    Edges,
    TarjanScratch,
)
from replicheck.explorer.native.kernels.numba_support import compiled


@compiled
def find_components(
    edges: Edges, is_kept: Any, components: Components, scratch: TarjanScratch
) -> int:
    """Find the components of those states that are kept; return their number.

    Args:
        edges: of the whole graph; those to states that are not kept are left out.
        is_kept: 0 for the states that are left out.
        components: filled; ``of`` has `NO_COMPONENT` everywhere, ``starts`` one entry
            more than there are states.
        scratch: ``found`` has 0 everywhere.
    """
    offsets, targets = edges.offsets, edges.targets
    of, members, starts = components.of, components.members, components.starts
    found, low, cursors = scratch.found, scratch.low, scratch.cursors
    pending, calls = scratch.pending, scratch.calls
    clock = int64(0)
    waiting = int64(0)
    count = int64(0)
    placed = int64(0)
    starts[0] = 0
    for root in range(is_kept.shape[0]):
        if found[root] != 0 or is_kept[root] == 0:
            continue
        depth = int64(1)
        calls[0] = root
        clock += 1
        found[root] = low[root] = clock
        cursors[root] = offsets[root]
        pending[waiting] = root
        waiting += 1
        while depth > 0:
            state = int64(calls[depth - 1])
            cursor = cursors[state]
            if cursor < offsets[state + 1]:
                cursors[state] = cursor + 1
                target = int64(targets[cursor])
                if is_kept[target] == 0:
                    continue
                if found[target] == 0:
                    clock += 1
                    found[target] = low[target] = clock
                    cursors[target] = offsets[target]
                    pending[waiting] = target
                    waiting += 1
                    calls[depth] = target
                    depth += 1
                elif of[target] == NO_COMPONENT:
                    low[state] = min(low[state], found[target])
                continue
            depth -= 1
            if depth > 0:
                parent = int64(calls[depth - 1])
                low[parent] = min(low[parent], low[state])
            if low[state] != found[state]:
                continue
            while True:
                waiting -= 1
                member = int64(pending[waiting])
                of[member] = count
                members[placed] = member
                placed += 1
                if member == state:
                    break
            count += 1
            starts[count] = placed
    return int(count)
