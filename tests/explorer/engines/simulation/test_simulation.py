"""Random walks: laws on generated systems, and the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command_line.processes import interrupted
from random_models.systems import System, systems
from replicheck.cli.console import start_notice
from replicheck.cli.main import main
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.simulation import simulation
from replicheck.explorer.engines.simulation.shrinking import shrink
from replicheck.explorer.engines.simulation.simulation import WalkLimits, simulate
from replicheck.explorer.engines.simulation.simulation_result import Simulation
from replicheck.explorer.engines.simulation.strategies import Uniform
from replicheck.explorer.engines.simulation.walk_progress import WalkProgress
from replicheck.explorer.instances import instances
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.model import Model
from replicheck.explorer.properties import (
    Kind,
    Property,
    always,
    every_step,
    no_deadlock,
)
from replicheck.explorer.report import Trace, Verdict, Violation
from searches.exhausted_memory import exhaust_memory
from searches.walks import is_run, strategies
from shipped import CATALOGUE
from toys import (
    add,
    counter,
    hole,
    is_below_two,
    is_within_its_limit,
    never_goes_down,
    ring,
    start_again,
)

SMALL = WalkLimits(steps=30, walks=60)


STRATEGIES = strategies(lambda name: name < "m")


def do_nothing(state: Any) -> Iterator[Any]:
    """Lead nowhere from any state."""
    yield from ()


def violates(model: Model[Any], claim: Property, trace: Trace[Any]) -> bool:
    """Tell whether the end of a trace breaks a property, by the plain functions."""
    if claim.kind is Kind.DEADLOCK:
        actions = instances(model.actions, model.domains)
        return not any(list(action(trace.states[-1])) for action in actions)
    states = trace.states[-2:] if claim.kind is Kind.STEP else trace.states[-1:]
    return any(not instance(*states) for instance in claim.instances(model.domains))


def is_real(model: Model[Any], claim: Property, found: Violation[Any]) -> bool:
    """Tell whether a violation is one."""
    return is_run(model, found.trace) and violates(model, claim, found.trace)


slowly = settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@slowly
@given(systems(), st.sampled_from(sorted(STRATEGIES)), st.integers(0, 2**62))
def test_walks_find_nothing_but_what_is_there(
    system: System, strategy: str, seed: int
) -> None:
    """What walks find the plain model has, on any number of threads."""
    model, properties = system.model, system.properties
    with patch.object(simulation, "FIRST_WALKERS", 4):
        found, again = (
            simulate(model, properties, STRATEGIES[strategy], seed, SMALL, threads)
            for threads in (1, 3)
        )
    assert found == again
    expected = Naive().explore(model, properties)
    claims = {claim.name: claim for claim in properties}
    for violation in found.violations:
        claim = claims[violation.property]
        assert is_real(model, claim, violation)
        shorter = shrink(model, claim, violation, most_states=100)
        assert len(shorter.trace.states) <= len(violation.trace.states)
        assert is_real(model, claim, shorter)
    for trace in found.reached.values():
        assert is_run(model, trace)
    if expected.verdict is Verdict.HOLDS:
        assert (found.violations, found.failure) == ((), None)
        assert found.seen.distinct <= expected.states


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_whole_small_space_is_seen(strategy: str) -> None:
    """Walks round a ring meet every place, and the estimates say so."""
    found = simulate(ring(12), [], STRATEGIES[strategy], limits=SMALL)
    assert (found.walks, found.steps, found.cut) == (60, 60 * 30, "walks")
    assert (found.seen.distinct, found.seen.once) == (12, 0)
    assert (found.seen.covered, found.seen.at_least) == (1.0, 12)
    assert found.actions == {"go": 60 * 30}


@pytest.mark.parametrize(
    ("most", "begun"),
    [(8_192, [64, 576, 1_000]), (100, [64, 164, *range(264, 999, 100), 1_000])],
)
def test_few_walk_side_by_side_until_walks_end(most: int, begun: list[int]) -> None:
    """Each that ends is followed by eight, as long as there is room."""
    seen: list[int] = []

    def watch(progress: WalkProgress) -> None:
        if progress.walks not in seen:
            seen.append(progress.walks)

    with patch.object(simulation, "MOST_WALKERS", most):
        found = simulate(
            ring(12),
            [],
            lambda functions: Uniform(),
            limits=WalkLimits(steps=10, walks=1_000),
            watch=watch,
        )
    assert seen == begun
    assert (found.walks, found.ended, found.steps) == (1_000, 1_000, 10_000)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_walks_end_where_no_action_ever_does_anything(strategy: str) -> None:
    """Each ends in its first state."""
    model = counter(do_nothing, limit=1)
    found = simulate(model, [], STRATEGIES[strategy], limits=SMALL)
    assert (found.walks, found.steps, found.seen.distinct) == (60, 0, 1)


@pytest.mark.parametrize(
    ("claim", "length"),
    [(always(is_below_two), 2), (every_step(never_goes_down), 5), (no_deadlock(), 4)],
)
def test_a_walk_is_minimised_to_the_shortest_run(claim: Property, length: int) -> None:
    """The bounded search finds what delta debugging cannot."""
    model = counter(add, *([start_again] if claim.kind is Kind.STEP else []), limit=6)
    found = simulate(model, [claim], STRATEGIES["uniform"], seed=3, limits=SMALL)
    (violation,) = found.violations
    shorter = shrink(model, claim, violation)
    assert is_real(model, claim, shorter)
    shortest = Naive().explore(model, [claim]).violations[0]
    assert len(shorter.trace.states) == len(shortest.trace.states) == length


def test_an_action_that_raises_is_a_failure() -> None:
    """The walk to it is told, as a search tells it."""
    found = simulate(hole(), [], STRATEGIES["uniform"], limits=SMALL)
    assert found.failure is not None
    assert (found.failure.function, len(found.failure.trace.states)) == (
        "go_or_fall",
        4,
    )


def test_a_state_beyond_a_constraint_is_judged_and_ends_the_walk() -> None:
    """A walk goes on from no state that a search would not expand."""
    model = counter(add, limit=6, constraints=(is_below_two,))
    found = simulate(
        model, [always(is_within_its_limit)], STRATEGIES["uniform"], limits=SMALL
    )
    expected = Naive().explore(model, [always(is_within_its_limit)])
    assert found.seen.distinct == expected.states
    assert found.violations == ()


def test_the_same_seed_gives_the_same_run_and_another_another() -> None:
    """Chance is the seed alone."""

    def walked(seed: int) -> Simulation[Any]:
        model = counter(add, start_again, limit=9)
        return simulate(model, [], STRATEGIES["uniform"], seed, SMALL)

    assert walked(1) == walked(1)
    assert walked(1) != walked(2)


def test_the_command_finds_saves_and_repeats(tmp_path: Path) -> None:
    """A violation ends with its own code, and its trace is that of every other run."""
    arguments = ["simulate", "replication", "--protocol", "kip-101", "--bounds"]
    arguments += ["brokers=2", "--traces", str(tmp_path), "--json", "-", "--seed", "7"]
    first, second = (CliRunner().invoke(main, arguments) for _ in range(2))
    assert first.exit_code == second.exit_code == 12
    report = json.loads(first.stdout)
    assert report["verdict"] == "violated"
    assert report["violation"] == json.loads(second.stdout)["violation"]
    saved = read_trace(CATALOGUE, Path(report["violation"]["trace"]))
    assert len(saved.trace.states) == report["violation"]["states"] == 12
    assert "minimised, has 12 states" in first.stderr


def test_the_command_does_not_say_that_it_holds() -> None:
    """Without a violation it is not refuted, and too little coverage can fail."""
    arguments = ["simulate", "replication", "--bounds", "brokers=2", "--walks", "900"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "not refuted" in done.stdout
    assert "Good-Turing" in done.stdout
    done = CliRunner().invoke(main, [*arguments, "--require-covered", "0.9999"])
    assert done.exit_code == 10


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_was_learned_before_leaves_no_mark(strategy: str) -> None:
    """A learner that knows the whole space leads to the same walks as a fresh one."""
    model, make = counter(add, start_again, limit=9), STRATEGIES[strategy]
    learner = Learner(model, [])
    simulate(model, [], make, 1, SMALL, learner=learner)
    again = simulate(model, [], make, 2, SMALL, learner=learner)
    assert again == simulate(model, [], make, 2, SMALL)


def test_ctrl_c_ends_the_walks(tmp_path: Path) -> None:
    """What was seen until then is told, and the code says that it was cut short."""
    arguments = ["simulate", "replication", "--json", "-", "--strategy", "uniform"]
    code, out, err = interrupted(arguments, tmp_path)
    assert code == 77
    assert err.startswith("walking: replication")
    assert "Traceback" not in err
    assert json.loads(out)["simulations"][0]["cut"] == "interrupted"


def test_what_takes_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the first step is taken, one line says what one waits for."""
    monkeypatch.setattr(start_notice, "PATIENCE", 0.0)
    done = CliRunner().invoke(main, ["simulate", "replication", "--walks", "1"])
    assert done.exit_code == 0
    assert done.stderr.count("compiling kernels") == 1
    assert "compiling kernels" not in done.stdout


@pytest.mark.parametrize("command", ["simulate", "fuzz"])
def test_what_makes_a_run_short_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    """A violation is found by then, so one may end the rest."""
    monkeypatch.setattr(start_notice, "PATIENCE", 0.0)
    arguments = [command, "replication", "--protocol", "kip-101"]
    done = CliRunner().invoke(main, [*arguments, "--traces", str(tmp_path)])
    assert done.exit_code == 12
    assert done.stderr.count("looking for a shorter run") == 1


@pytest.mark.parametrize("looks", [1, 2, 3])
def test_a_simulation_ends_when_memory_runs_out(
    monkeypatch: pytest.MonkeyPatch, looks: int
) -> None:
    """While functions are learned, too; and the command says that it is incomplete."""
    taken = exhaust_memory(monkeypatch, looks)
    found = simulate(counter(add), [], lambda functions: Uniform(), limits=SMALL)
    assert found.cut == "memory"
    assert next(taken) <= looks + 2
