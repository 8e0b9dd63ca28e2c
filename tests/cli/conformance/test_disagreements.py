"""Runs that tell the model and Kafka apart: mutants do, corrections do not."""

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
    RareRun,
    model_at_its_beginning,
    rare_runs,
)
from replicheck.cli.conformance.session import NotTaken, rare_runs_of, scenario_of
from replicheck.explorer.interpreter.stepper import Stepper


@pytest.fixture(scope="module", autouse=True)
def sessions_end() -> Iterator[None]:
    """End the processes after the tests."""
    yield
    session.cache_clear()


RARE_RUNS = [
    pytest.param(rare, version, id=f"{rare.name}-{version}")
    for rare in rare_runs()
    for version in versions()
    if rare.is_of(version)
]


@pytest.mark.parametrize(("rare", "version"), RARE_RUNS)
def test_a_rare_run_is_the_same_in_kafka_or_ends_as_it_says(
    rare: RareRun, version: str
) -> None:
    """What differed once is taken alike; a difference that is known is met."""
    used = session(version)
    runs = rare_runs_of(version, used.protocol, SYSTEM)
    (run,) = (run for run in runs if run.name == rare.name)
    used.lockstep.met.clear()
    ((_, outcome),) = used.replayed([run])
    assert not isinstance(outcome, NotTaken), outcome
    ending = Ending.KNOWN if rare.meets else Ending.SAME
    assert outcome.ending is ending, (outcome.differences, outcome.error)
    assert not rare.meets or used.lockstep.met[rare.meets]


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
