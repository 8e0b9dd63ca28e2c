"""The judgement of claims about runs for ever, as a report has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic

import numpy as np
from attrs import frozen

from replicheck.explorer.engines.liveness.graph_search import SearchedGraph
from replicheck.explorer.liveness.claims import ClaimInstance, LivenessJudge
from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.liveness.lasso import Lasso
from replicheck.explorer.liveness.state_graph import StateGraph
from replicheck.explorer.model import S
from replicheck.explorer.native.kernels.liveness.graph_arrays import NO_COMPONENT
from replicheck.explorer.report import Violation


@frozen
class Judgement(Generic[S]):
    """Violations of claims about runs, and what the graph is like.

    ``premises`` tells of each claim that something leads to something whether that
    something is ever there.
    """

    violations: Mapping[str, Violation[S]]
    premises: Mapping[str, bool]
    is_acyclic: bool
    resting: int
    loops: int
    looping: int


def judge_runs(
    found: SearchedGraph[S],
    graph: StateGraph,
    instances: Sequence[ClaimInstance],
    fairness: Fairness,
) -> Judgement[S]:
    """Judge instances on the graph of a search; the first that breaks is told."""
    judge = LivenessJudge.of(graph, fairness.of(graph.instances))
    violations: dict[str, Violation[S]] = {}
    premises: dict[str, bool] = {}
    for instance in instances:
        name = instance.claim.name
        if instance.goal is not None:
            premises[name] = premises.get(name, False) or judge.is_ever_asked(instance)
        if name in violations:
            continue
        lasso = judge.lasso(instance)
        if lasso is not None:
            violations[name] = _violation(found, instance, lasso)
    sizes = np.bincount(judge.fair[judge.fair != NO_COMPONENT])
    loops = sizes[sizes > 1]
    return Judgement(
        violations,
        premises,
        judge.graph.is_acyclic,
        int((sizes == 1).sum()),
        len(loops),
        int(loops.sum()),
    )


def _violation(
    found: SearchedGraph[Any], instance: ClaimInstance, lasso: Lasso
) -> Violation[Any]:
    trace = found.trace(lasso.start, (*lasso.stem, *lasso.loop))
    begin = len(trace.states) - 1 - len(lasso.loop)
    return Violation(
        instance.claim.name, instance.claim.kind, instance.label, trace, begin
    )
