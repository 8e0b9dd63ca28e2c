"""The liveness engine: a search of all states, then the claims about runs for ever.

Another engine judges states and steps. If it has visited every state and found nothing
that ends its search, the states are visited once more, this time with their edges.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from attrs import evolve, frozen

from replicheck.explorer.engine import Engine, Resumable, Search, Stop
from replicheck.explorer.engines.liveness.graph_search import (
    SearchedGraph,
    search_graph,
)
from replicheck.explorer.engines.liveness.judgement import Judgement, judge_runs
from replicheck.explorer.errors import CheckpointError, ModelError
from replicheck.explorer.liveness.claims import ClaimInstance, claim_instances
from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.liveness.state_graph import StateGraph
from replicheck.explorer.model import Model, Predicate, S
from replicheck.explorer.properties import (
    LIVENESS,
    Property,
    require_distinct_names,
)
from replicheck.explorer.report import (
    Outcome,
    Report,
    Verdict,
    in_order,
    verdict_of,
)
from replicheck.explorer.statistics import Coverage, LivenessStatistics


@frozen
class LivenessEngine:
    """An engine that judges states and steps, and then runs for ever.

    Runs are those that are fair. ``engine`` is to visit every state, not only
    representatives; its report has the claims about runs added.
    """

    engine: Engine
    fairness: Fairness = Fairness()
    threads: int = 0

    @property
    def name(self) -> str:
        """The name of the engine that judges states and steps."""
        return self.engine.name

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Search the model's states, then its runs. See `Engine.explore`."""
        instances = _claim_instances(model, properties)
        report = self.engine.explore(model, _safety(properties), _whole(search))
        return self._with_runs(report, model, instances, properties, search)

    def resume(
        self, model: Model[S], properties: Sequence[Property], search: Search = Search()
    ) -> Report[S]:
        """Go on from the checkpoint of the search of states. See `Resumable`."""
        if not isinstance(self.engine, Resumable):
            raise CheckpointError(f"the engine {self.name} keeps no checkpoints")
        instances = _claim_instances(model, properties)
        report = self.engine.resume(model, _safety(properties), _whole(search))
        return self._with_runs(report, model, instances, properties, search)

    def _with_runs(
        self,
        report: Report[S],
        model: Model[S],
        instances: Sequence[ClaimInstance],
        properties: Sequence[Property],
        search: Search,
    ) -> Report[S]:
        """The report with what is found of runs for ever."""
        started = time.monotonic()
        undecided = {instance.claim.name: Outcome.UNDECIDED for instance in instances}
        outcomes = _ordered({**report.outcomes, **undecided}, properties)
        report = evolve(report, outcomes=outcomes)
        if not _visited_all_states(report, search):
            return report
        found = self._search(report, model, instances, search)
        seconds = report.seconds + time.monotonic() - started
        report = evolve(report, seconds=seconds)
        if found.graph is None:
            return _stopped(report, found)
        _require_same_states(found.graph, report)
        judged = judge_runs(found, found.graph, instances, self.fairness)
        seconds = time.monotonic() - started
        return _with_judgement(report, judged, found.graph, properties, seconds)

    def _search(
        self,
        report: Report[S],
        model: Model[S],
        instances: Sequence[ClaimInstance],
        search: Search,
    ) -> SearchedGraph[S]:
        """Visit the states once more, in what is left of the time."""
        seconds = search.limits.seconds
        if seconds is not None:
            seconds = max(0.0, seconds - report.seconds)
        limits = evolve(search.limits, seconds=seconds, states=None, depth=None)
        search = evolve(search, limits=limits, stop=Stop.EXHAUSTED)
        return search_graph(model, _predicates(instances), search, self.threads)


def _claim_instances(
    model: Model[S], properties: Sequence[Property]
) -> list[ClaimInstance]:
    """The instances of all claims about runs.

    Raises:
        ModelError: if the model has constraints, or a claim is not written right.
    """
    require_distinct_names(properties)
    if model.constraints:
        raise ModelError(
            f"the model {model.name} has constraints: what a run does beyond a state"
            " that is not expanded is not known, so nothing can be said of runs for"
            " ever; make the model finite by its guards"
        )
    return [
        instance
        for claim in properties
        if claim.kind in LIVENESS
        for instance in claim_instances(claim, model.domains)
    ]


def _safety(properties: Sequence[Property]) -> list[Property]:
    return [claim for claim in properties if claim.kind not in LIVENESS]


def _whole(search: Search) -> Search:
    """The search, which does not end because every claim but those is decided."""
    if search.stop is Stop.DECIDED:
        return evolve(search, stop=Stop.EXHAUSTED)
    return search


def _visited_all_states(report: Report[S], search: Search) -> bool:
    if report.cut is not None:
        return False
    if report.verdict is Verdict.VIOLATED:
        return search.stop is not Stop.FIRST_VIOLATION
    return report.verdict is Verdict.HOLDS


def _predicates(instances: Sequence[ClaimInstance]) -> list[Predicate]:
    """The functions of conditions and goals, each once."""
    parts = [
        part
        for instance in instances
        for part in (instance.condition, instance.goal)
        if part is not None
    ]
    return list(dict.fromkeys(part.function for part in parts))


def _require_same_states(graph: StateGraph, report: Report[S]) -> None:
    """Refuse a graph that is not of the states that were judged.

    Raises:
        ModelError: if it has more or fewer.
    """
    if graph.count != report.states:
        raise ModelError(
            f"the graph has {graph.count:,} states, and the search visited"
            f" {report.states:,}: two states have the same fingerprint, or an action"
            " reads what is no part of the state"
        )


def _stopped(report: Report[S], found: SearchedGraph[S]) -> Report[S]:
    """The report of a search that was stopped while it took down the graph."""
    verdict = Verdict.VIOLATED if report.violations else Verdict.INCOMPLETE
    if found.failure is not None:
        verdict = Verdict.ERROR
    return evolve(report, verdict=verdict, cut=found.stopped_by, failure=found.failure)


def _with_judgement(
    report: Report[S],
    judged: Judgement[S],
    graph: StateGraph,
    properties: Sequence[Property],
    seconds: float,
) -> Report[S]:
    known = {violation.property: violation for violation in report.violations}
    violations = {**known, **judged.violations}
    held = {c.name: Outcome.HOLDS for c in properties if c.kind in LIVENESS}
    broken = dict.fromkeys(judged.violations, Outcome.VIOLATED)
    outcomes = {**report.outcomes, **held, **broken}
    coverage = report.statistics.coverage or Coverage({})
    premises = {**coverage.premises, **judged.premises}
    liveness = LivenessStatistics(
        edges=len(graph.edges.targets),
        is_acyclic=judged.is_acyclic,
        resting=judged.resting,
        loops=judged.loops,
        looping=judged.looping,
        seconds=round(seconds, 3),
    )
    return evolve(
        report,
        verdict=verdict_of(violations, None, {}, None),
        outcomes=_ordered(outcomes, properties),
        violations=in_order(properties, violations),
        statistics=evolve(
            report.statistics,
            coverage=evolve(coverage, premises=premises),
            liveness=liveness,
        ),
    )


def _ordered(
    outcomes: dict[str, Outcome], properties: Sequence[Property]
) -> dict[str, Outcome]:
    """Outcomes in the order of the properties."""
    return {claim.name: outcomes[claim.name] for claim in properties}
