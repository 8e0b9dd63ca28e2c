"""Lassos: a run to a fair component, and a loop there that is fair."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np
import numpy.typing as npt
from attrs import frozen

from replicheck.explorer.liveness.state_graph import Marked, StateGraph
from replicheck.explorer.native.kernels.arrays import Numbers
from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    BEGINNING,
    NO_COMPONENT,
    NO_EDGE,
    NO_FAIRNESS,
    STRONG,
    Routes,
)
from replicheck.explorer.native.library import reach_fair, reach_within


@frozen
class Lasso:
    """A run for ever: a state, edges to where the loop begins, and those of the loop.

    The way to the state is the shortest one of the search. Without edges in the loop
    the run stands still.
    """

    start: int
    stem: tuple[int, ...]
    loop: tuple[int, ...]


def no_routes(graph: StateGraph) -> Routes:
    """Routes by which nothing is reached yet."""
    return Routes(
        edges=np.full(graph.count, NO_EDGE, np.int64),
        queue=np.empty(graph.count, np.int32),
    )


def shortest_stem(
    graph: StateGraph, is_start: Marked, is_kept: Marked, fair: Numbers
) -> tuple[int, tuple[int, ...]] | None:
    """The start and the edges of the shortest run that ends in a fair component.

    It goes through any states to a start, and from there through kept ones; None if
    there is no such run.
    """
    routes = no_routes(graph)
    end = reach_fair(graph.edges, graph.levels, is_start, is_kept, fair, routes)
    if end < 0:
        return None
    edges = _way(graph, routes, int(routes.edges[end]))
    return (graph.source(edges[0]) if edges else end), edges


def _way(graph: StateGraph, routes: Routes, edge: int) -> tuple[int, ...]:
    """The edges up to an edge, from where the routes begin."""
    edges: list[int] = []
    while edge != BEGINNING:
        edges.append(edge)
        edge = int(routes.edges[graph.source(edge)])
    return tuple(reversed(edges))


class LoopSearch:
    """The search for a loop through one fair component."""

    def __init__(
        self, graph: StateGraph, fairness: npt.NDArray[np.uint8], fair: Numbers
    ) -> None:
        self._graph, self._fairness, self._fair = graph, fairness, fair
        self._routes = no_routes(graph)
        self._edges: list[int] = []
        self._at = -1

    def loop(self, entry: int, visited: Marked | None = None) -> tuple[int, ...]:
        """A loop from a state of a component back to it, which is fair.

        Args:
            entry: the state.
            visited: marks states of which the loop is to visit one.
        """
        members = np.flatnonzero(self._fair == self._fair[entry])
        enabled = self._enabled(members)
        loops = [
            self._loop(entry, visited, members, enabled, preferred)
            for preferred in (lambda instance: instance, lambda instance: -1)
        ]
        return min(loops, key=len)

    def _loop(
        self,
        entry: int,
        visited: Marked | None,
        members: npt.NDArray[np.intp],
        enabled: Mapping[int, set[int]],
        preferred: Callable[[int], int],
    ) -> tuple[int, ...]:
        """A loop, one demand after the other.

        Args:
            preferred: of an instance with weak fairness, whose step is as good as a
                state that disables it.
        """
        self._edges, self._at = [], entry
        if visited is not None:
            self._go(-1, visited)
        for instance, states in sorted(enabled.items()):
            is_weak = self._fairness[instance] != STRONG
            disabling = set(members.tolist()) - states if is_weak else set[int]()
            if not self._does(entry, instance, disabling):
                wanted = preferred(instance) if disabling else instance
                self._go(wanted, self._marking(disabling))
        self._go(-1, self._marking({entry}))
        return tuple(self._edges)

    def _marking(self, states: Collection[int]) -> Marked:
        marked = np.zeros(self._graph.count, np.uint8)
        marked[list(states)] = 1
        return marked

    def _enabled(self, members: npt.NDArray[np.intp]) -> dict[int, set[int]]:
        """For each instance of which fairness is claimed the states that enable it."""
        enabled: dict[int, set[int]] = {}
        edges = self._graph.edges
        for state in members.tolist():
            low, high = edges.offsets[state], edges.offsets[state + 1]
            for instance in set(edges.instances[edges.steps[low:high]].tolist()):
                if self._fairness[instance] != NO_FAIRNESS:
                    enabled.setdefault(instance, set()).add(state)
        return enabled

    def _does(self, entry: int, instance: int, disabling: Collection[int]) -> bool:
        """Whether the loop so far takes an instance, or visits what disables it."""
        edges = self._graph.edges
        states = [entry, *(int(edges.targets[edge]) for edge in self._edges)]
        taken = {int(edges.instances[edges.steps[edge]]) for edge in self._edges}
        return instance in taken or any(state in disabling for state in states)

    def _go(self, instance: int, goals: Marked) -> None:
        """Go on to the nearest goal in the component."""
        reached = np.zeros(3, np.int64)
        reach_within(
            self._graph.edges,
            self._fair,
            self._at,
            instance,
            goals,
            self._routes,
            reached,
        )
        goal, edge, count = (int(number) for number in reached)
        assert goal != NO_COMPONENT, "a fair component has all that is demanded of it"
        self._edges += _way(self._graph, self._routes, edge)
        self._at = goal
        self._routes.edges[self._routes.queue[:count]] = NO_EDGE
