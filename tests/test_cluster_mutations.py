"""Mutations of the cluster: which property catches each, and how soon."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from attrs import evolve, field, frozen

from replicheck.explorer.breadth_first import BreadthFirst
from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.properties import Property, always, every_step
from replicheck.explorer.report import Verdict
from replicheck.invariants.catalogue import Catalogue
from replicheck.invariants.cluster import safety, steps
from replicheck.invariants.errors import Place
from replicheck.invariants.scenario import Names, Scenario
from replicheck.invariants.sequences import model_of
from replicheck.model.cluster.mutations import MUTATIONS
from replicheck.model.protocol import Protocol


@frozen
class Exposure:
    """Where a mutation shows: bounds, a start, and steps before the search.

    ``start`` is a scenario or an initial state; ``length`` counts the states of the
    shortest run that violates the property.
    """

    mutation: str
    start: str
    violates: str
    length: int
    bounds: dict[str, int] = field(factory=dict)
    setup: Names = ()


FORGOTTEN = "a_handled_failure_is_not_forgotten"
LEADERLESS = "at_rest_a_healthy_member_of_the_isr_means_a_leader"
KILLED = [
    Exposure("m-1", "cluster-s3", "a_broker_has_one_log_of_the_partition", 11),
    Exposure("m-2", "cluster-s3", "a_broker_has_one_log_of_the_partition", 11),
    Exposure(
        "m-3",
        "cluster-s1b",
        "at_rest_a_broker_with_a_good_directory_has_a_replica",
        31,
        {"records": 0, "metadata": 0},
    ),
    Exposure("m-4-take", "cluster-s2", LEADERLESS, 31),
    Exposure(
        "m-4-elect", "cluster-s2", "an_elected_leader_is_online_for_its_controller", 12
    ),
    Exposure("m-6", "cluster-s2", LEADERLESS, 47, {"records": 0, "metadata": 0}),
    Exposure("m-8", "cluster-s2-sole", "the_stored_isr_is_never_empty", 13),
    Exposure("m-9", "cluster-s2-follower", "the_leader_knows_the_stored_isr", 12),
    Exposure(
        "m-13",
        "without-topic",
        "a_stale_request_changes_nothing",
        15,
        {"brokers": 2, "metadata": 1, "controller_moves": 1},
    ),
    Exposure(
        "m-15",
        "with-topic",
        "the_leader_knows_the_stored_isr",
        10,
        {"records": 1, "isr_shrinks": 1, "directory_failures": 1},
    ),
    Exposure(
        "m-16",
        "with-topic",
        "a_stale_request_changes_nothing",
        11,
        {"crashes": 1, "restarts": 1, "directory_failures": 1},
    ),
    Exposure(
        "m-17",
        "with-topic",
        "the_true_leader_holds_what_is_committed",
        15,
        {
            "records": 1,
            "crashes": 1,
            "restarts": 1,
            "directory_failures": 1,
            "replacements": 1,
        },
    ),
    Exposure("m-18", "cluster-s2", FORGOTTEN, 6),
    Exposure("m-19", "with-topic", FORGOTTEN, 12, {"directory_failures": 2}),
    Exposure(
        "m-20",
        "with-topic",
        FORGOTTEN,
        14,
        {"brokers": 2, "directory_failures": 1, "controller_moves": 1},
    ),
    Exposure(
        "m-21",
        "with-topic",
        FORGOTTEN,
        14,
        {"brokers": 2, "directory_failures": 1, "controller_moves": 1},
    ),
    Exposure(
        "m-25",
        "with-topic",
        "the_leader_knows_the_stored_isr",
        3,
        {"records": 1, "isr_shrinks": 1},
    ),
    Exposure(
        "m-26",
        "with-topic",
        "every_member_of_the_isr_holds_what_is_committed",
        10,
        {"brokers": 4, "records": 2, "isr_shrinks": 1, "crashes": 1},
        (
            "append(leader=0, partition=0)",
            "append(leader=0, partition=0)",
            "fetch(leader=0, follower=1, partition=0)",
            "fetch(leader=0, follower=3, partition=0)",
            "fetch(leader=0, follower=1, partition=0)",
            "fetch(leader=0, follower=3, partition=0)",
            "fetch(leader=0, follower=1, partition=0)",
            "fetch(leader=0, follower=3, partition=0)",
            "shrink_isr(leader=0, follower=2, partition=0)",
            "crash(broker=0)",
            "end_session(broker=0)",
        ),
    ),
    Exposure(
        "m-27",
        "with-topic",
        "every_member_of_the_isr_holds_what_is_committed",
        2,
        {"records": 1},
    ),
    Exposure(
        "m-31",
        "with-topic",
        "a_running_broker_has_a_directory",
        8,
        {"directory_failures": 2},
    ),
]
EQUIVALENT = {
    "m-7": "A replica that is marked offline never answers that it knows the epoch."
}
PROPERTIES = {
    each.name: each
    for each in (
        *(always(predicate) for predicate in safety.SAFETY),
        *(every_step(predicate) for predicate in steps.STEPS),
    )
}


@cache
def shipped() -> Catalogue:
    """Return what comes with replicheck."""
    return Catalogue.shipped()


def mutated(name: str) -> Protocol:
    """Return the mutation whose name begins so."""
    (found,) = [
        protocol
        for full, protocol in MUTATIONS.items()
        if full == name or full.startswith(f"{name}-")
    ]
    return found


def model(exposure: Exposure) -> Any:
    """Return the model, not mutated, at the start that the exposure names."""
    scenario = shipped().scenarios.get(exposure.start)
    if scenario is None:
        scenario = Scenario(
            name=exposure.mutation,
            summary="",
            model="cluster",
            protocol="kafka-2.5.1",
            initial=exposure.start,
            setup=exposure.setup,
        )
    bounds = {**scenario.bounds, **exposure.bounds}
    system = shipped().systems["cluster"]
    return model_of(evolve(scenario, bounds=bounds), system, Place(exposure.mutation))


def prop(exposure: Exposure) -> Property:
    """Return the property that catches the mutation."""
    return PROPERTIES[exposure.violates]


@pytest.mark.parametrize("exposure", KILLED, ids=lambda each: each.mutation)
def test_a_mutation_is_caught(exposure: Exposure) -> None:
    """The shortest run to a violation has the length of the table."""
    changed = model(exposure)
    (start,) = changed.initial_states()
    changed = evolve(changed, protocol=mutated(exposure.mutation), start=start)
    report = BreadthFirst(threads=1).explore(changed, [prop(exposure)], Search())
    violations = {each.property: len(each.trace.states) for each in report.violations}
    assert violations == {exposure.violates: exposure.length}


@pytest.mark.parametrize("exposure", KILLED, ids=lambda each: each.mutation)
def test_the_original_is_not_caught(exposure: Exposure) -> None:
    """At least up to the depth at which the mutation is, the property holds."""
    limited = Search(limits=Limits(depth=exposure.length))
    report = BreadthFirst(threads=1).explore(model(exposure), [prop(exposure)], limited)
    assert not report.violations


@pytest.mark.parametrize("name", EQUIVALENT)
def test_an_equivalent_mutation_is_not_caught(name: str) -> None:
    """It leads to the same verdict, and here to as many states."""
    scenario = shipped().scenarios["cluster-s2"]
    changed = model_of(scenario, shipped().systems["cluster"], Place(name))
    changed = evolve(changed, protocol=mutated(name))
    report = BreadthFirst(threads=1).explore(
        changed, list(PROPERTIES.values()), Search()
    )
    assert report.verdict is Verdict.HOLDS
    assert scenario.expect is not None
    assert report.states == scenario.expect.states


def test_every_mutation_is_in_a_table() -> None:
    """None is forgotten."""
    known = {mutated(each.mutation).name for each in KILLED}
    known |= {mutated(each).name for each in EQUIVALENT}
    assert known == set(MUTATIONS)
