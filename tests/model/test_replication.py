"""The abstract partition: counts, known bugs, mutants, and actions that are pure."""

from __future__ import annotations

import json
from functools import cache
from operator import attrgetter
from typing import Any

import pytest

from checkout import GOLDEN_FILES
from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.instances import instances
from replicheck.explorer.properties import Property, always
from replicheck.explorer.report import Outcome, Report
from replicheck.invariants.replication.properties import SAFETY, STEPS, WITNESSES
from replicheck.model.protocol import Protocol
from replicheck.model.replication.bounds import ReplicationBounds
from replicheck.model.replication.mutations import MUTATIONS
from replicheck.model.replication.protocols import KIP_320, PROTOCOLS, replication_model
from replicheck.model.replication.state import AbstractCluster
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import decode, encode
from searches.properties import properties_of
from searches.reachable_states import reachable
from shipped import CATALOGUE
from tlc_counting import AS_TLC_COUNTS

PROPERTIES = properties_of(SAFETY, STEPS, WITNESSES)
RUN_CLAIMS = {*CATALOGUE.systems["replication"].run_claims_by_name}
BREAKING_PROPERTIES = [
    mutation
    for mutation in MUTATIONS
    if CATALOGUE.mutants[mutation.name].violates not in RUN_CLAIMS
]
"""Mutants of claims about runs are caught by `tests/invariants/test_mutants.py`."""
GOLDEN = [
    json.loads(line)
    for line in (GOLDEN_FILES / "state_counts.jsonl").read_text("utf-8").splitlines()
]
SMALL = ReplicationBounds(brokers=2, log_size=1, records=1, max_leader_epoch=1)


def explore(
    engine: Engine, protocol: Protocol, bounds: ReplicationBounds, *properties: Property
) -> Report[AbstractCluster]:
    """An engine's report on all properties."""
    model = replication_model(protocol, bounds)
    return engine.explore(model, properties, Search(stop=Stop.DECIDED))


@cache
def by_name(name: str) -> Protocol:
    """A protocol."""
    return next(protocol for protocol in PROTOCOLS if protocol.name == name)


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda line: line["protocol"])
def test_golden_counts(engine: Engine, golden: dict[str, Any]) -> None:
    """Counts, verdicts and lengths are those of the file."""
    protocol, bounds = (
        by_name(golden["protocol"]),
        ReplicationBounds(**golden["bounds"]),
    )
    report = explore(engine, protocol, bounds, *PROPERTIES.values())
    found = {
        "states": report.states,
        "generated": report.generated,
        "depth": report.depth,
        "violated": {v.property: len(v.trace.states) for v in report.violations},
    }
    assert found == {key: golden[key] for key in found}


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
def test_every_witness_is_reached(engine: Engine) -> None:
    """Two brokers are enough to see what the invariants speak of."""
    witnesses = [PROPERTIES[predicate.__name__] for predicate in WITNESSES]
    report = explore(engine, KIP_320, ReplicationBounds(brokers=2), *witnesses)
    assert set(report.outcomes.values()) == {Outcome.REACHED}


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
@pytest.mark.parametrize("mutation", BREAKING_PROPERTIES, ids=attrgetter("name"))
def test_a_mutant_is_caught_by_every_engine(engine: Engine, mutation: Protocol) -> None:
    """Each finds the same property violated, after as many states."""
    mutant = CATALOGUE.mutants[mutation.name]
    model = replication_model(mutation, ReplicationBounds(brokers=2))
    report = engine.explore(model, [PROPERTIES[mutant.violates]], Search())
    found = {
        violation.property: len(violation.trace.states)
        for violation in report.violations
    }
    assert found == {mutant.violates: mutant.length}


def test_every_property_has_a_mutant() -> None:
    """A property, or a claim about runs, that no mutation breaks would say nothing."""
    mutants = CATALOGUE.mutants.values()
    caught = {
        mutant.violates for mutant in mutants if mutant.scenario.model == "replication"
    }
    properties = {predicate.__name__ for predicate in (*SAFETY, *STEPS)}
    assert caught == properties | RUN_CLAIMS


def test_how_tlc_counts_steps() -> None:
    """TLC counts the initial state, and a shrink once for each reason that holds."""
    bounds = ReplicationBounds(brokers=2)
    ours = explore(Naive(), KIP_320, bounds)
    theirs = explore(Naive(), AS_TLC_COUNTS, bounds)
    assert (theirs.states, theirs.depth) == (ours.states, ours.depth)
    both = sum(
        shrinks_for_both_reasons(state)
        for state in reachable(replication_model(KIP_320, bounds))
    )
    assert both > 0
    assert theirs.generated + 1 == ours.generated + 1 + both


def test_the_counts_of_tlc_for_three_brokers() -> None:
    """What TLC reports of Kip320.tla: states, depth, and generated states."""
    ours = explore(BreadthFirst(), KIP_320, ReplicationBounds())
    theirs = explore(BreadthFirst(), AS_TLC_COUNTS, ReplicationBounds())
    assert (ours.states, ours.depth, ours.generated) == (737_794, 26, 1_929_153)
    assert (theirs.states, theirs.depth) == (737_794, 26)
    assert theirs.generated + 1 == 1_967_560


SHORTEST = {
    "truncate-to-high-watermark": (9, 9),
    "kip-101": (11, 11),
    "kip-279": (11, 11),
    "kip-320-first-try": (12, 13),
}


@pytest.mark.parametrize("name", SHORTEST)
def test_the_shortest_violations_for_three_brokers(name: str) -> None:
    """The weak and the strong ISR invariant break after as many states as for TLC."""
    weak, strong = SAFETY[:2]
    report = explore(
        BreadthFirst(), by_name(name), ReplicationBounds(), always(weak), always(strong)
    )
    found = {
        violation.property: len(violation.trace.states)
        for violation in report.violations
    }
    expected = dict(zip((weak.__name__, strong.__name__), SHORTEST[name], strict=True))
    assert found == expected


def shrinks_for_both_reasons(cluster: AbstractCluster) -> int:
    """Number of followers that a leader can remove for either of the reasons."""
    return sum(
        cluster.is_true_leader(leader)
        and leader != follower
        and follower in cluster.replicas[leader].isr
        and not cluster.is_following_epoch(leader, follower)
        and cluster.logs[follower].end_offset < cluster.logs[leader].end_offset
        for leader in cluster.bounds.broker_ids
        for follower in cluster.bounds.broker_ids
    )


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=attrgetter("name"))
def test_actions_are_pure(protocol: Protocol) -> None:
    """An action gives the same steps again, and for an equal state made otherwise.

    The other state has its sets built in another order, so an action that iterates one
    without sorting is likely to be caught.
    """
    model = replication_model(protocol, SMALL)
    for state in reachable(model):
        copy = decode(encode(state), value_classes(AbstractCluster))
        for action in instances(model.actions, model.domains):
            steps = list(action(state))
            assert list(action(state)) == steps
            assert list(action(copy)) == steps
        assert state == copy


@pytest.mark.parametrize("name", list(PROPERTIES))
def test_every_property_has_a_summary(name: str) -> None:
    """A property has a line that `replicheck show` can print."""
    predicate = PROPERTIES[name].predicate
    assert predicate is not None
    assert (predicate.__doc__ or "").strip()
