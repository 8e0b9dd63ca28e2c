"""Runs that tell the model and Kafka apart: those of mutants do, mended ones do not."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from checkout import VECTOR_FILES
from command_line.harnesses import SYSTEM, session
from replicheck.cli.conformance.harness.artifacts import versions
from replicheck.cli.conformance.lockstep import FAILED, Ending, Lockstep, replay
from replicheck.cli.conformance.recorded_runs import (
    RecordedRun,
    model_at_its_beginning,
)
from replicheck.cli.conformance.session import NotTaken, scenario_of
from replicheck.explorer.interpreter.stepper import Stepper


@pytest.fixture(scope="module", autouse=True)
def sessions_end() -> Iterator[None]:
    """End the processes after the tests."""
    yield
    session.cache_clear()


CREATION = """
append_records_to_leader(leader=0, partition=0)
maybe_shrink_isr(leader=0, partition=0, follower=1)
elect_leader(leader=0, partition=0)
stop_and_delete_replica(broker=1, partition=0)
fail_directory(broker=1, directory=0)
fail_to_create_log(broker=1, partition=0)
"""
FUTURE_LOG = """
alter_replica_log_dirs(broker=0, partition=0, directory=1)
crash(broker=0)
restart(broker=0)
fail_directory(broker=0, directory=1)
make_leaders(broker=0, partition=0)
make_leader(broker=0)
"""
DEAD_THREAD = """
break_thread(follower=1, leader=0, fetcher=0)
elect_leader(leader=0, partition=0)
make_followers(broker=1, partition=0)
replace_fetcher(broker=1)
clear_failure(broker=1)
stop_replica(broker=1, partition=0)
"""
LONE_APPEND = """
append_records_to_leader(leader=0, partition=0)
maybe_shrink_isr(leader=0, partition=0, follower=1)
catch_up(leader=0, partition=0, follower=1)
maybe_shrink_isr(leader=0, partition=0, follower=2)
fall_behind(leader=0, partition=0, follower=1)
append_records_to_leader(leader=0, partition=0)
"""
FOUND = {
    "a log that cannot be created": (
        CREATION,
        {"isr_shrinks": 1, "stops": 1, "failed_creations": 1},
    ),
    "a future log that cannot be read": (
        FUTURE_LOG,
        {"directories": 2, "moves": 1, "crashes": 1, "restarts": 1},
    ),
    "a dead thread": (DEAD_THREAD, {"thread_errors": 1, "stops": 1}),
    "an append that a request completes at its end": (
        LONE_APPEND,
        {"brokers": 3, "records": 2, "isr_shrinks": 2, "caught_up_followers": 1},
    ),
}
"""Runs that differed once, with the bounds that they need."""


@pytest.mark.parametrize("version", versions())
@pytest.mark.parametrize("name", FOUND)
def test_what_differed_once_is_the_same_in_kafka(name: str, version: str) -> None:
    """Each of these runs was a disagreement, and is taken alike to its end."""
    steps, bounds = FOUND[name]
    used = session(version)
    own = scenario_of(name, {"directory_failures": 1, **bounds}, used.protocol)
    known = {action.__name__ for action in used.protocol.actions}
    labels = tuple(
        label
        for label in steps.strip().splitlines()
        if label.partition("(")[0] in known
    )
    run = RecordedRun(name, model_at_its_beginning(own, SYSTEM), labels)
    ((_, outcome),) = used.replayed([run])
    assert not isinstance(outcome, NotTaken), outcome
    assert outcome.ending is Ending.SAME, (outcome.differences, outcome.error)


MUTANTS = tomllib.loads((VECTOR_FILES / "conformance" / "mutants.toml").read_text())[
    "run"
]


@pytest.mark.parametrize("run", MUTANTS, ids=[run["mutant"] for run in MUTANTS])
def test_a_mutant_is_told_apart(run: Mapping[str, Any]) -> None:
    """What a broken rule does, Kafka's own classes do not do."""
    used = session(run["kafka"])
    mutant = SYSTEM.protocols_by_name[run["mutant"]]
    scenario = scenario_of(run["mutant"], run["bounds"], mutant)
    trace = Stepper(model_at_its_beginning(scenario, SYSTEM)).take(run["steps"])
    lockstep = Lockstep(used.process, used.register, mutant)
    outcome = replay(lockstep, trace.start, trace.steps)
    assert outcome.ending in FAILED
    assert len(outcome.steps) == len(run["steps"])


def test_at_least_forty_mutants_are_told_apart() -> None:
    """The harness is not blind: so many broken rules are seen by it."""
    assert len({run["mutant"] for run in MUTANTS}) >= 40
