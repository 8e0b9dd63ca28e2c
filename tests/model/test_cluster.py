"""The cluster: the document's runs, all interleavings of each, both engines, purity."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from attrs import frozen

from agreement import known_states
from engines import ENGINES, name_of
from replicheck.explorer.engine import Engine, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.instances import instances
from replicheck.explorer.properties import Property, always, every_step, sometimes
from replicheck.explorer.report import Report, Verdict
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.scenario import Scenario
from replicheck.invariants.catalogue.setup_steps import model_of, run, state_after
from replicheck.invariants.cluster import safety, steps, witnesses
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.cells.controller.state_machines import ReplicaState
from replicheck.model.cluster.protocols import KAFKA_2_5, cluster_model
from replicheck.model.cluster.state import Cluster, with_topic, without_topic
from replicheck.model.protocol import ProtocolModel
from replicheck.model.shared.replica import Hosting
from replicheck.model.vocabulary import BrokerId, PartitionId
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import decode, encode
from shipped import CATALOGUE
from slow import by_states

PROPERTIES = {
    claim.name: claim
    for claim in (
        *(always(predicate) for predicate in safety.SAFETY),
        *(every_step(predicate) for predicate in steps.STEPS),
        *(sometimes(predicate) for predicate in witnesses.WITNESSES),
    )
}


def scenarios() -> list[str]:
    """Return the names of all scenarios of the cluster."""
    return [
        n for n, scenario in CATALOGUE.scenarios.items() if scenario.model == "cluster"
    ]


@frozen
class Final:
    """What the document says of the end of a scenario; brokers count from 0.

    ``partition`` is leader, epoch, ISR and version of the stored state; ``offline`` are
    the offline replicas in the metadata of every live broker, whose ISR is ``shown``.
    ``number`` is that of the partition.
    """

    partition: tuple[int | None, int, set[int], int]
    offline: set[int]
    marked: set[int]
    shown: set[int]
    controller: tuple[int, int] = (2, 1)
    live: tuple[int, ...] = (0, 1, 2)
    number: int = 0


FINAL = [
    ("cluster-s1", Final((0, 0, {0, 1, 2}, 0), set(), set(), {0, 1, 2})),
    ("cluster-s1b", Final((0, 0, {0, 1, 2}, 0), set(), set(), {0, 1, 2})),
    ("cluster-s2", Final((1, 1, {1, 2}, 1), {0}, {0}, {1, 2})),
    ("cluster-s2-follower", Final((0, 1, {0, 2}, 1), {1}, {1}, {0, 2})),
    ("cluster-s2-sole", Final((None, 1, {0}, 3), {0}, {0}, {0})),
    ("cluster-s3", Final((1, 1, {1, 2}, 1), {0}, {0}, {1, 2})),
    ("cluster-s1c", Final((0, 1, {0, 2}, 1), {1}, {1}, {0, 2})),
    ("cluster-s1d", Final((0, 0, {0, 1, 2}, 1), set(), set(), {0, 2})),
    ("cluster-s2-all-dirs", Final((1, 1, {1, 2}, 1), {0}, set(), {1, 2}, live=(1, 2))),
    ("cluster-s3-sole", Final((None, 4, {0}, 6), {0}, {0}, {0})),
    ("cluster-s6-new", Final((0, 2, {0}, 2), {1, 2}, {1}, {0}, (0, 2), (0, 1))),
    ("cluster-session", Final((1, 1, {0, 1, 2}, 2), set(), set(), {1, 2})),
    ("cluster-s4-notified", Final((1, 1, {0, 1, 2}, 2), set(), set(), {0, 1, 2})),
    # Without ISR notifications the metadata keep the ISR of before (Z-ISRN-1).
    ("cluster-s4", Final((1, 1, {0, 1, 2}, 2), set(), set(), {1, 2})),
    ("cluster-s6", Final((1, 2, {1}, 2), {0, 2}, {0}, {1}, (1, 2), (0, 1))),
    ("cluster-s5", Final((2, 2, {2}, 2), {0, 1}, {0}, {2}, live=(0, 2))),
    ("cluster-s5-repaired", Final((2, 2, {0, 1, 2}, 4), set(), set(), {2})),
    ("cluster-shutdown", Final((1, 1, {1, 2}, 1), {0}, set(), {1, 2}, live=(1, 2))),
    ("cluster-s4-preferred", Final((0, 2, {0, 1, 2}, 3), set(), set(), {0, 1, 2})),
    ("cluster-s2-sole-unclean", Final((1, 2, {1, 2}, 5), {0}, {0}, {1})),
    ("cluster-t1", Final((1, 1, {1, 2}, 1), {0}, {0}, {1, 2})),
    ("cluster-t2", Final((1, 1, {1, 2}, 1), {0}, {0}, {1, 2})),
    ("cluster-t2", Final((0, 0, {0, 1, 2}, 0), set(), set(), {0, 1, 2}, number=1)),
    ("cluster-t2-alone", Final((0, 2, {0}, 2), {1, 2}, set(), {0}, (0, 2), (0,), 1)),
    ("cluster-t3", Final((0, 1, {0, 2}, 1), {1}, {1}, {0, 2})),
    ("cluster-t3", Final((0, 0, {0, 1, 2}, 0), set(), set(), {0, 1, 2}, number=1)),
    ("cluster-t3-alone", Final((1, 3, {1}, 3), {0, 2}, set(), {1}, (1, 2), (1,), 1)),
]


@pytest.mark.parametrize(("name", "expected"), FINAL)
def test_the_documents_run_ends_as_it_says(name: str, expected: Final) -> None:
    """Epochs, versions, ISR, markers and offline lists are those of KIP-112."""
    cluster, at = end_of(name), PartitionId(expected.number)
    content = cluster.partition_nodes[at].content
    assert content is not None
    leader, epoch, isr, version = expected.partition
    assert (content.leader, content.epoch, content.version) == (leader, epoch, version)
    assert content.isr == isr
    assert cluster.notifications.is_empty()
    nodes = cluster.controller_nodes
    assert (nodes.holder, nodes.epoch) == expected.controller
    context = cluster.contexts[expected.controller[0]]
    marked = {
        int(broker)
        for broker in cluster.bounds.broker_ids
        if cluster.replicas[broker][at].hosting is Hosting.OFFLINE
    }
    assert marked == expected.marked
    assert set(map(int, context.partitions[at].on_offline_dirs)) == expected.marked
    assert all(
        context.state_of(BrokerId(number), at) is ReplicaState.OFFLINE
        for number in marked
    )
    for broker in expected.live:
        partition = cluster.metadata[broker].partitions[at]
        assert partition is not None
        assert (partition.leader, partition.epoch) == (leader, epoch)
        assert set(map(int, partition.offline)) == expected.offline
        assert set(map(int, partition.isr)) == expected.shown


@pytest.mark.parametrize("name", ["cluster-s7", "s7-whole"])
def test_a_removed_replica_leaves_its_marker_and_its_log(name: str) -> None:
    """Scenario 7: the controller forgets it, whatever its broker answers."""
    cluster = end_of(name)
    content = cluster.partition_nodes[0].content
    assert content is not None
    assert (content.leader, content.epoch, content.version) == (1, 3, 4)
    assert content.isr == {1, 2, 3}
    assert cluster.topic_nodes[0].assignment.replicas == (1, 2, 3)
    assert not cluster.topic_nodes[0].requested
    context = cluster.contexts[2]
    assert context.state_of(BrokerId(0), PartitionId(0)) is ReplicaState.NON_EXISTENT
    assert cluster.replicas[0][0].hosting is Hosting.OFFLINE
    assert cluster.logs[0][0][0].exists
    told = [broker.partitions[0] for broker in cluster.metadata]
    assert all(
        partition is not None and partition.offline == set() for partition in told
    )


def test_a_replica_that_was_alone_in_sync_hands_over_to_the_added_one() -> None:
    """Scenario 7 with two replicas: the leader and its new follower are in sync."""
    cluster = end_of("s7-two-replicas")
    content = cluster.partition_nodes[0].content
    assert content is not None
    assert (content.leader, content.epoch, content.version) == (1, 3, 4)
    assert content.isr == {1, 2}
    assert cluster.topic_nodes[0].assignment.replicas == (1, 2)
    assert cluster.replicas[0][0].hosting is Hosting.OFFLINE


def test_a_topic_with_an_offline_replica_waits_for_it() -> None:
    """Scenario 8: the others are deleted, and only the epoch grew."""
    cluster = end_of("cluster-s8")
    content = cluster.partition_nodes[0].content
    assert content is not None
    assert (content.leader, content.epoch, len(content.isr)) == (None, 3, 1)
    assert (cluster.topic_nodes[0].exists, cluster.topic_nodes[0].is_marked) == (1, 1)
    logs = [any(log.exists for log in logs[0]) for logs in cluster.logs]
    assert logs == [True, False, False]
    assert [broker.partitions[0] for broker in cluster.metadata] == [None, None, None]


def test_a_topic_is_gone_once_its_last_broker_is_back() -> None:
    """Scenario 8: no znode and no log is left."""
    cluster = end_of("cluster-s8-repaired")
    assert not cluster.topic_nodes[0].exists
    assert not cluster.topic_nodes[0].is_marked
    assert cluster.partition_nodes[0].content is None
    assert not any(log.exists for logs in cluster.logs for log in logs[0])


def end_of(name: str) -> Cluster:
    """Return the state at the end of a scenario's sequence."""
    large = {
        scenario.name: scenario for scenario in CATALOGUE.suites["large"].scenarios
    }
    scenario = {**large, **CATALOGUE.scenarios}[name]
    system = CATALOGUE.systems["cluster"]
    found: Cluster = state_after(scenario, system, scenario.sequence, Place(name))
    return found


def test_a_bad_directory_keeps_its_replica_from_being_created_elsewhere() -> None:
    """Scenario 3: no log of the partition is on the broker's good directory."""
    logs = end_of("cluster-s3").logs[0][0]
    assert [log.exists for log in logs] == [True, False]


def test_a_new_replica_is_created_beside_a_bad_directory() -> None:
    """Scenario 1: a new replica goes to the directory that is good."""
    logs = end_of("cluster-s1b").logs[1][0]
    assert [log.exists for log in logs] == [False, True]


@pytest.mark.parametrize(
    "name", by_states(scenarios(), partial(known_states, CATALOGUE))
)
def test_all_interleavings(name: str) -> None:
    """Verdict, counts and witnesses are those that the scenario expects."""
    scenario = CATALOGUE.scenarios[name]
    expect = scenario.expect
    assert expect is not None
    report = check(scenario)
    assert report.verdict is Verdict[expect.verdict.upper()]
    violations = {
        violation.property: len(violation.trace.states)
        for violation in report.violations
    }
    assert violations == expect.violations
    if expect.verdict == "holds":
        assert (report.states, report.depth) == (expect.states, expect.depth)
        assert set(scenario.witnesses) == set(report.reached)
        dead = {n for n, count in report.actions.items() if not count.generated}
        assert dead == set(scenario.dead_actions)


def check(scenario: Scenario) -> Report[Any]:
    """The fast engine's report on a scenario."""
    model = model_of(scenario, CATALOGUE.systems["cluster"], Place(scenario.name))
    chosen = [PROPERTIES[claim] for claim in scenario.properties]
    stop = {"decided": Stop.DECIDED}.get(scenario.stop, Stop.FIRST_VIOLATION)
    return BreadthFirst(threads=1).explore(model, chosen, Search(stop=stop))


SMALL = {
    "topic": without_topic(Bounds(brokers=2, metadata=1, records=1)),
    "directory": with_topic(Bounds(brokers=2, directory_failures=1, records=1)),
    "crash": with_topic(Bounds(brokers=2, crashes=1, restarts=1)),
    "replacement": with_topic(
        Bounds(brokers=1, directory_failures=1, crashes=1, restarts=1, replacements=1)
    ),
    "failover": with_topic(Bounds(brokers=2, controller_moves=1)),
    "shutdown": with_topic(Bounds(brokers=2, shutdowns=1)),
    "elections": with_topic(
        Bounds(brokers=2, crashes=1, preferred_elections=1, unclean_elections=1)
    ),
    "deletion": with_topic(
        Bounds(brokers=2, partitions=2, metadata=1, topic_deletions=1)
    ),
    "partitions": with_topic(Bounds(brokers=2, partitions=2, directory_failures=1)),
}


def halfway_through_a_reassignment() -> Cluster:
    """Return the state when the replica that is added has just come into sync."""
    scenario = CATALOGUE.scenarios["cluster-reassignment"]
    upto = scenario.sequence.index("fetch(leader=0, follower=1, partition=0)")
    steps = scenario.sequence[: upto + 1]
    model = cluster_model(KAFKA_2_5, Bounds(**scenario.bounds))
    (start,) = model.initial_states()
    found: Cluster = run(model, start, steps, Place("cluster-reassignment"))
    return found


SMALL["reassignment"] = halfway_through_a_reassignment()


COUNTS = {
    "topic": (281, 817, 18),
    "directory": (861, 1_736, 25),
    "crash": (903, 2_257, 29),
    "replacement": (733, 1_246, 36),
    "failover": (197, 443, 18),
    "shutdown": (181, 301, 23),
    "elections": (634, 1_219, 21),
    "deletion": (373, 654, 31),
    "reassignment": (2_394, 6_573, 26),
    "partitions": (297, 536, 23),
}
"""States, steps and depth."""


@pytest.mark.parametrize("engine", ENGINES, ids=name_of)
@pytest.mark.parametrize("name", by_states(SMALL, lambda name: COUNTS[name][0]))
def test_engines_agree(engine: Engine, name: str) -> None:
    """Every engine finds the same counts and violations."""
    report = engine.explore(
        small(name), list(PROPERTIES.values()), Search(stop=Stop.DECIDED)
    )
    assert report.verdict is Verdict.HOLDS
    assert (report.states, report.generated, report.depth) == COUNTS[name]


def small(name: str) -> ProtocolModel:
    """Return a small instance of the cluster."""
    return cluster_model(KAFKA_2_5, SMALL[name].bounds, SMALL[name])


@pytest.mark.parametrize("name", SMALL)
def test_actions_are_pure(name: str) -> None:
    """An action gives the same steps again, also for an equal state made otherwise."""
    model = small(name)
    report = Naive().explore(model, [], Search())
    assert report.states
    (state,) = model.initial_states()
    seen = {state}
    todo = [state]
    actions = instances(model.actions, model.domains)
    while todo and len(seen) < 300:
        before = todo.pop(0)
        copy = decode(encode(before), value_classes(Cluster))
        for action in actions:
            after = list(action(before))
            assert list(action(copy)) == after
            new = [successor for successor in after if successor not in seen]
            seen |= set(new)
            todo += new


def test_every_action_names_its_rules_and_its_source() -> None:
    """A Kafka engineer finds each function by rule id and by Kafka's method."""
    for action in KAFKA_2_5.actions:
        text = action.__doc__ or ""
        assert "Rules: " in text, action.__name__
        assert "Source: " in text, action.__name__


def test_every_property_is_sentence_and_status() -> None:
    """Sentences begin with a capital; invariants say whether they hold."""
    for predicate in (*safety.SAFETY, *steps.STEPS):
        text = predicate.__doc__ or ""
        assert text[0].isupper(), predicate.__name__
        assert "hold" in text.lower(), predicate.__name__


def test_a_fault_without_budget_is_no_action() -> None:
    """It does not cost a look, and need not be declared dead."""
    names = {action.__name__ for action in cluster_model(bounds=Bounds()).actions}
    assert not names & {"crash", "fail_directory", "start_broker", "append"}
    assert "crash" in {
        action.__name__ for action in cluster_model(bounds=Bounds(crashes=1)).actions
    }


def test_properties_are_as_declared() -> None:
    """Nothing is claimed twice under one name."""
    every = (*safety.SAFETY, *steps.STEPS, *witnesses.WITNESSES)
    assert len(PROPERTIES) == len(every)
    assert all(isinstance(claim, Property) for claim in PROPERTIES.values())
