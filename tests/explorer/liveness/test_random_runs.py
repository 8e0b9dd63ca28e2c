"""The liveness engine finds what the definition of fair runs says, no less, no more."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from liveness.naive_liveness import graph_of, is_broken, require_lasso
from liveness.random_graphs import RandomGraph, random_graphs
from random_models.example_counts import by_profile
from random_models.systems import System, systems
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.liveness import edge_recorder
from replicheck.explorer.engines.liveness.engine import LivenessEngine
from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.properties import Kind, Property, eventually_always, leads_to
from replicheck.explorer.report import Outcome, Verdict
from toys import Toy

MOST_STATES = 60
EVERYTHING = Search(stop=Stop.EXHAUSTED)
Seen = Counter[tuple[Kind, bool]]
KINDS = (Kind.LEADS_TO, Kind.EVENTUALLY_ALWAYS)


def compare(
    model: Toy, properties: list[Property], fairness: Fairness, seen: Seen
) -> None:
    """Compare the engine with the definition, and take every lasso step by step."""
    graph = graph_of(model, MOST_STATES)
    if graph is None:
        return
    engine = LivenessEngine(BreadthFirst(threads=1), fairness, threads=1)
    report = engine.explore(model, properties, EVERYTHING)
    if report.failure is not None:
        return
    assert report.verdict in (Verdict.HOLDS, Verdict.VIOLATED)
    violations = {violation.property: violation for violation in report.violations}
    for claim in properties:
        broken = is_broken(graph, claim, model.domains, fairness)
        seen[claim.kind, broken] += 1
        expected = Outcome.VIOLATED if broken else Outcome.HOLDS
        assert report.outcomes[claim.name] is expected, claim.name
        assert broken is (claim.name in violations)
        if broken:
            violation = violations[claim.name]
            require_lasso(graph, claim, fairness, violation, model.domains)


def compare_graphs(examples: int) -> Seen:
    """Compare so many random graphs, the same ones in every run."""
    seen: Seen = Counter()

    @seed(26)
    @settings(max_examples=examples, deadline=None, database=None)
    @given(random_graphs())
    def agree(drawn: RandomGraph) -> None:
        compare(drawn.model, drawn.properties, drawn.fairness, seen)

    agree()
    return seen


def test_random_graphs() -> None:
    """On graphs with weak and strong fairness; claims of both kinds, broken and not."""
    seen = compare_graphs(by_profile(300))
    assert min(seen[kind, broken] for kind in KINDS for broken in (False, True)) > 100


@settings(deadline=None)
@given(random_graphs())
def test_the_order_of_edges(drawn: RandomGraph) -> None:
    """Edges of a state that has many are in the order of those of one that has few."""
    engine = LivenessEngine(BreadthFirst(threads=1), drawn.fairness, threads=1)
    expected = engine.explore(drawn.model, drawn.properties, EVERYTHING)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_recorder, "FEW", 0)
        assert engine.explore(drawn.model, drawn.properties, EVERYTHING) == expected


def test_random_systems() -> None:
    """On the random systems that all engines are compared on, but where one raises."""
    seen: Seen = Counter()

    @seed(26)
    @settings(
        max_examples=80,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(systems(), st.data())
    def agree(system: System, data: st.DataObject) -> None:
        system = evolve(system, constraints=())
        names = [action.__name__ for action in system.model.actions]
        chosen = st.frozensets(st.sampled_from(names))
        fairness = Fairness(environment=data.draw(chosen), strong=data.draw(chosen))
        predicates = [
            claim.predicate
            for claim in system.properties
            if claim.kind in (Kind.ALWAYS, Kind.SOMETIMES) and claim.predicate
        ]
        properties = [eventually_always(predicate) for predicate in predicates]
        properties += [leads_to(predicate, predicate) for predicate in predicates[:1]]
        with suppress(ArithmeticError, IndexError):
            compare(system.model, properties, fairness, seen)

    agree()
    assert seen[Kind.EVENTUALLY_ALWAYS, False] > 10
    assert seen[Kind.EVENTUALLY_ALWAYS, True] > 10
