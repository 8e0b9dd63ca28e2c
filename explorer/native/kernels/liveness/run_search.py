"""Runs: the shortest one to a fair component, and within one to what it must visit."""

from __future__ import annotations

from typing import Any

from numba import int64

from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    BEGINNING,
    NO_COMPONENT,
    NO_EDGE,
    Edges,
    Routes,
)
from replicheck.explorer.native.kernels.numba_support import compiled


@compiled
def reach_fair(
    edges: Edges,
    levels: Any,
    is_start: Any,
    is_kept: Any,
    fair: Any,
    routes: Routes,
) -> int:
    """Find the nearest state of a fair component, or -1.

    A run goes from an initial state to some start, and from there through kept states
    only. It is the shortest one, as states are numbered by levels.

    Args:
        edges: of the whole graph.
        levels: the first state of each level, and behind the last one their number.
        is_start: marks the states where the way through kept states may begin.
        is_kept: marks the kept states, all starts among them.
        fair: for each state its fair component or `NO_COMPONENT`.
        routes: ``edges`` has `NO_EDGE` everywhere.
    """
    offsets, targets = edges.offsets, edges.targets
    came_by, queue = routes.edges, routes.queue
    head = int64(0)
    tail = int64(0)
    depth = int64(0)
    last = int64(levels.shape[0] - 1)
    while depth < last or head < tail:
        if depth < last:
            for state in range(levels[depth], levels[depth + 1]):
                if is_start[state] != 0 and came_by[state] == NO_EDGE:
                    came_by[state] = BEGINNING
                    queue[tail] = state
                    tail += 1
        end = tail
        for place in range(head, end):
            state = int64(queue[place])
            if fair[state] != NO_COMPONENT:
                return int(state)
            for edge in range(offsets[state], offsets[state + 1]):
                target = int64(targets[edge])
                if is_kept[target] != 0 and came_by[target] == NO_EDGE:
                    came_by[target] = edge
                    queue[tail] = target
                    tail += 1
        head = end
        depth += 1
    return -1


@compiled
def reach_within(
    edges: Edges,
    fair: Any,
    begin: int,
    instance: int,
    goals: Any,
    routes: Routes,
    reached: Any,
) -> None:
    """Find the nearest goal in the fair component of a state.

    It is a state that is marked, or the target of a step of an instance.

    Args:
        edges: of the whole graph.
        fair: for each state its fair component.
        begin: the state; a goal is found there only if it is marked.
        instance: whose step is a goal, or -1.
        goals: marks states.
        routes: ``edges`` has `NO_EDGE` for the states of the component.
        reached: filled: the goal or -1, the edge to it or `BEGINNING`, and how many
            states were reached, which are the first of the queue.
    """
    offsets, targets = edges.offsets, edges.targets
    steps, instances = edges.steps, edges.instances
    came_by, queue = routes.edges, routes.queue
    component = fair[begin]
    came_by[begin] = BEGINNING
    queue[0] = begin
    head = int64(0)
    tail = int64(1)
    reached[0] = -1
    reached[1] = BEGINNING
    while head < tail:
        state = int64(queue[head])
        head += 1
        if goals[state] != 0:
            reached[0] = state
            reached[1] = came_by[state]
            break
        for edge in range(offsets[state], offsets[state + 1]):
            target = int64(targets[edge])
            if fair[target] != component:
                continue
            if int64(instances[int64(steps[edge])]) == instance:
                reached[0] = target
                reached[1] = edge
                head = tail
                break
            if came_by[target] == NO_EDGE:
                came_by[target] = edge
                queue[tail] = target
                tail += 1
    reached[2] = tail
