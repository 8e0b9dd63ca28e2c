"""The cluster: all interleavings of each scenario, both engines, purity."""

from __future__ import annotations

import pytest

from engines import ENGINES, name_of
from kafka_tests.interleavings import (
    require_actions_by_budget,
    require_counts,
    require_expected_report,
    scenarios_of,
)
from kafka_tests.model_contract import (
    require_pure_actions,
    require_rules_and_sources,
    require_summaries,
)
from replicheck.explorer.engine import Engine
from replicheck.explorer.properties import Property
from replicheck.invariants.catalogue.errors import Place
from replicheck.invariants.catalogue.setup_steps import run
from replicheck.invariants.cluster import safety, steps, witnesses
from replicheck.model.cluster.bounds import Bounds
from replicheck.model.cluster.protocols import KAFKA_2_5, cluster_model
from replicheck.model.cluster.state import Cluster, with_topic, without_topic
from replicheck.model.protocol import ProtocolModel
from searches.properties import properties_of
from shipped import CATALOGUE
from slow import by_states

pytestmark = pytest.mark.slow

PROPERTIES = properties_of(safety.SAFETY, steps.STEPS, witnesses.WITNESSES)


@pytest.mark.parametrize("name", scenarios_of("cluster"))
def test_all_interleavings(name: str) -> None:
    """Verdict, counts and witnesses are those that the scenario expects."""
    require_expected_report(name, PROPERTIES)


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
    """The state when the replica that is added has just come into sync."""
    scenario = CATALOGUE.scenarios["partition-is-reassigned"]
    upto = scenario.sequence.index("fetch(leader=0, follower=1, partition=0)")
    steps = scenario.sequence[: upto + 1]
    model = cluster_model(KAFKA_2_5, Bounds(**scenario.bounds))
    (start,) = model.initial_states()
    found: Cluster = run(model, start, steps, Place("partition-is-reassigned"))
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
    require_counts(engine, small(name), PROPERTIES, COUNTS[name])


def small(name: str) -> ProtocolModel:
    """A small instance of the cluster."""
    return cluster_model(KAFKA_2_5, SMALL[name].bounds, SMALL[name])


@pytest.mark.parametrize("name", SMALL)
def test_actions_are_pure(name: str) -> None:
    """An action gives the same steps again, also for an equal state made otherwise."""
    require_pure_actions(small(name), Cluster)


def test_every_action_names_its_rules_and_its_source() -> None:
    """A Kafka engineer finds each function by rule id and by Kafka's method."""
    require_rules_and_sources(KAFKA_2_5.actions)


def test_every_property_has_summary_and_status() -> None:
    """Sentences begin with a capital; invariants say whether they hold."""
    require_summaries((*safety.SAFETY, *steps.STEPS))


def test_a_fault_without_budget_is_no_action() -> None:
    """It does not cost a look, and need not be declared dead."""
    model = cluster_model(bounds=Bounds())
    with_crashes = cluster_model(bounds=Bounds(crashes=1))
    faults = {"fail_directory", "start_broker", "append"}
    require_actions_by_budget(model, with_crashes, faults)


def test_properties_are_as_declared() -> None:
    """Nothing is claimed twice under one name."""
    every = (*safety.SAFETY, *steps.STEPS, *witnesses.WITNESSES)
    assert len(PROPERTIES) == len(every)
    assert all(isinstance(claim, Property) for claim in PROPERTIES.values())
