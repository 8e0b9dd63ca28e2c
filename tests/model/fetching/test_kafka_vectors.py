"""Kafka's own tests of the fetchers, on the model: what they expect comes about."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import pytest
from attrs import evolve

from kafka_tests.fetcher_bench import Bench
from kafka_tests.vectors import Vector, vectors

VECTORS = vectors()
APPLICABLE = [vector for vector in VECTORS if not vector.inapplicable]
BROKEN = (
    "kip-101",
    "kafka-2.2",
    "kafka-2.8.0",
    "g-trunc-1-keep-the-high-watermark",
    "f-fetch-4-fail-for-corrupt-records",
    "f-fail-1-remove-without-failing",
    "k-2-begin-to-fetch-at-the-end",
    "k-5b-answer-in-an-unknown-epoch",
)
"""Other versions of Kafka, and rules broken on purpose."""
UNTOUCHED = {
    "testMetricsRemovedOnShutdown": "breaks only if a thread that ended has a lag",
    "testConsumerLagRemovedWithPartition": "breaks only if removing does nothing",
    "testSimpleFetch": "breaks only if nothing is copied",
    "testDeadThreadCountMetric": "breaks only if the metric is wrong",
}
"""Vectors that pass under all of these, and why."""


@pytest.mark.parametrize("vector", APPLICABLE, ids=attrgetter("name"))
def test_a_test_of_kafka(vector: Vector) -> None:
    """After every step the model is as Kafka's test expects."""
    for where, seen, expected in replay(vector):
        assert seen == expected, where


def replay(vector: Vector) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Return, for each step, where it is, what is seen, and what is expected."""
    bench = Bench(vector)
    outcome = []
    for number, step in enumerate(vector.steps, 1):
        bench.run(step)
        where = f"after step {number}, {step.do}"
        counts = bench.counts()
        seen = {count: counts[count] for count in step.counts}
        outcome.append((where, seen, dict(step.counts)))
        for name, expected in step.expect.items():
            of_name = bench.seen(name)
            seen = {key: of_name[key] for key in expected}
            outcome.append((f"{where}, {name}", seen, dict(expected)))
    return outcome


@pytest.mark.parametrize("vector", APPLICABLE, ids=attrgetter("name"))
def test_a_vector_can_fail(vector: Vector) -> None:
    """Another version of Kafka, or a broken rule, makes it fail; or it is listed."""
    fails = any(not is_passed(evolve(vector, protocol=name)) for name in BROKEN)
    assert fails is (vector.test not in UNTOUCHED)


def is_passed(vector: Vector) -> bool:
    """Tell whether the model does all that a vector expects."""
    try:
        return all(seen == expected for _, seen, expected in replay(vector))
    except AssertionError:
        return False


def test_every_vector_is_replayed_or_says_why_not() -> None:
    """One without steps has a reason, and each expects something."""
    for vector in VECTORS:
        assert bool(vector.inapplicable) is not bool(vector.steps), vector.name
        if vector.steps:
            assert any(step.expect or step.counts for step in vector.steps), vector.name


def test_all_tests_of_kafka_are_there() -> None:
    """As many as the three classes have in Kafka 2.5.1."""
    tests = {(vector.suite, vector.test) for vector in VECTORS}
    suites = [suite for suite, _ in tests]
    assert {suite: suites.count(suite) for suite in suites} == {
        "AbstractFetcherThreadTest": 23,
        "ReplicaFetcherThreadTest": 15,
        "AbstractFetcherManagerTest": 3,
    }
