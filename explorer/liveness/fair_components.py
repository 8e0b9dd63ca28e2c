"""Fair components: sets of states that a fair run can visit for ever."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from replicheck.explorer.liveness.state_graph import Marked, StateGraph
from replicheck.explorer.native.kernels.arrays import Numbers
from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    FAIR,
    NO_COMPONENT,
    Components,
    FairnessScratch,
    TarjanScratch,
)
from replicheck.explorer.native.library import find_components, judge_components


def fair_components(
    graph: StateGraph, fairness: npt.NDArray[np.uint8], is_kept: Marked
) -> Numbers:
    """For each state its fair component among the kept states, or `NO_COMPONENT`.

    A component is a set of states; a run stays in it by steps between them, or stands
    still in its only state. A set in which a fair run can stay is part of one of these.

    Args:
        graph: the graph.
        fairness: for each of its instances what is claimed of it.
        is_kept: marks the states in which a run is to stay.
    """
    fair = np.full(graph.count, NO_COMPONENT, np.int32)
    is_kept, known = is_kept.copy(), 0
    while True:
        components, count = _components(graph, is_kept)
        verdicts = np.zeros(max(1, count), np.uint8)
        instances = max(1, len(fairness))
        scratch = FairnessScratch(
            enabled=np.zeros(instances, np.int64),
            taken=np.zeros(instances, np.uint8),
            last=np.full(instances, -1, np.int64),
            seen=np.zeros(instances, np.int32),
        )
        splits = judge_components(
            graph.edges, components, count, fairness, is_kept, verdicts, scratch
        )
        is_fair = verdicts == FAIR
        numbers = np.full(len(verdicts) + 1, NO_COMPONENT, np.int32)
        numbers[:-1][is_fair] = known + np.arange(is_fair.sum(), dtype=np.int32)
        found = numbers[components.of]
        np.copyto(fair, found, where=found != NO_COMPONENT)
        known += int(is_fair.sum())
        if splits == 0:
            return fair


def has_cycle(graph: StateGraph) -> bool:
    """Tell whether a run can come back to a state that it has left."""
    _, count = _components(graph, np.ones(graph.count, np.uint8))
    return count < graph.count


def _components(graph: StateGraph, is_kept: Marked) -> tuple[Components, int]:
    """Strongly connected components of the kept states, and their number."""
    count = graph.count
    if graph.is_acyclic:
        return _single_states(count, is_kept)
    components = Components(
        of=np.full(count, NO_COMPONENT, np.int32),
        members=np.empty(count, np.int32),
        starts=np.zeros(count + 1, np.int64),
    )
    scratch = TarjanScratch(
        found=np.zeros(count, np.int32),
        low=np.empty(count, np.int32),
        cursors=np.empty(count, np.int64),
        pending=np.empty(count, np.int32),
        calls=np.empty(count, np.int32),
    )
    return components, find_components(graph.edges, is_kept, components, scratch)


def _single_states(count: int, is_kept: Marked) -> tuple[Components, int]:
    """The components of a graph without cycles: each state alone."""
    members = np.flatnonzero(is_kept).astype(np.int32)
    of = np.full(count, NO_COMPONENT, np.int32)
    of[members] = np.arange(len(members), dtype=np.int32)
    starts = np.arange(len(members) + 1, dtype=np.int64)
    return Components(of, members, starts), len(members)
