"""Fairness of components: whether a fair run can stay in one for ever."""

from __future__ import annotations

from typing import Any

from numba import int64

from replicheck.explorer.native.kernels.liveness.graph_arrays import (
    FAIR,
    NO_FAIRNESS,
    SPLIT,
    STRONG,
    UNFAIR,
    Components,
    Edges,
    FairnessScratch,
)
from replicheck.explorer.native.kernels.numba_support import compiled


@compiled
def judge_components(
    edges: Edges,
    components: Components,
    count: int,
    fairness: Any,
    is_kept: Any,
    verdicts: Any,
    scratch: FairnessScratch,
) -> int:
    """Judge each component; return how many are to be split.

    A run that visits all of a component for ever is fair if each instance with
    fairness is taken in it, or is disabled somewhere in it (weak) or everywhere in it
    (strong). Where only strong fairness is in the way, a fair run can stay in the part
    of the component that never enables those instances: the other states lose their
    place in ``is_kept``, as do all states of components that are decided.

    Args:
        edges: of the whole graph: an instance is enabled by a step to anywhere.
        components: to be judged, ``count`` of them.
        count: of components.
        fairness: for each instance what is claimed of it.
        is_kept: changed, see above.
        verdicts: filled, for each component.
        scratch: ``enabled``, ``taken`` are 0 everywhere, ``last`` -1.
    """
    offsets, targets = edges.offsets, edges.targets
    steps, instances = edges.steps, edges.instances
    of, members, starts = components.of, components.members, components.starts
    enabled, taken = scratch.enabled, scratch.taken
    last, seen = scratch.last, scratch.seen
    splits = int64(0)
    for component in range(count):
        first, end = starts[component], starts[component + 1]
        known = int64(0)
        for place in range(first, end):
            state = int64(members[place])
            for edge in range(offsets[state], offsets[state + 1]):
                instance = int64(instances[int64(steps[edge])])
                if fairness[instance] == NO_FAIRNESS:
                    continue
                if enabled[instance] == 0:
                    seen[known] = instance
                    known += 1
                if last[instance] != state:
                    last[instance] = state
                    enabled[instance] += 1
                if of[int64(targets[edge])] == component:
                    taken[instance] = 1
        verdict = FAIR
        for number in range(known):
            instance = int64(seen[number])
            if taken[instance] != 0:
                continue
            if enabled[instance] == end - first:
                verdict = UNFAIR
                break
            if fairness[instance] == STRONG:
                verdict = SPLIT
        verdicts[component] = verdict
        for place in range(first, end):
            state = int64(members[place])
            stays = verdict == SPLIT
            if stays:
                for edge in range(offsets[state], offsets[state + 1]):
                    instance = int64(instances[int64(steps[edge])])
                    if fairness[instance] == STRONG and taken[instance] == 0:
                        stays = False
                        break
            is_kept[state] = 1 if stays else 0
        splits += 1 if verdict == SPLIT else 0
        for number in range(known):
            instance = int64(seen[number])
            enabled[instance] = 0
            taken[instance] = 0
            last[instance] = -1
    return int(splits)
