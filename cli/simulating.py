"""Simulations of a task: with which strategies, and what is told of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import attrs
import numpy as np
from attrs import frozen

from replicheck.cli.exit_codes import ExitCode, most_severe
from replicheck.cli.judging import CODES
from replicheck.cli.tasks import Task
from replicheck.explorer.functions import Learnt
from replicheck.explorer.learning import Learner
from replicheck.explorer.report import Violation
from replicheck.explorer.simulating.minimising import minimised
from replicheck.explorer.simulating.simulation import (
    Extent,
    MakeStrategy,
    Simulation,
    Watch,
    simulate,
)
from replicheck.explorer.simulating.strategies import (
    Priorities,
    SpreadFaults,
    Strategy,
    Uniform,
    group_numbers,
)
from replicheck.invariants.describing.models import VOICES

ALL = "all"
STRATEGIES = ("uniform", "priorities", "faults")
SCHEMA = 1


@frozen
class Outcome:
    """What the simulations of one task found, and where its trace is.

    ``violation`` is by the minimised run, ``walked`` the number of states of the walk.
    """

    task: Task
    seed: int
    simulations: tuple[Simulation[Any], ...]
    violation: Violation[Any] | None = None
    walked: int = 0
    file: Path | None = None
    covered: float = 0.0
    """The least share that each simulation was to cover."""

    @property
    def code(self) -> ExitCode:
        """Return the exit code; not to have refuted anything is as expected."""
        return most_severe(self._codes())

    def _codes(self) -> Iterator[ExitCode]:
        if self.violation is not None:
            yield CODES[self.violation.kind]
        for each in self.simulations:
            if each.failure is not None:
                yield ExitCode.MODEL_ERROR
            if each.cut == "interrupted":
                yield ExitCode.INCOMPLETE
            elif each.cut is not None and each.seen.covered < self.covered:
                yield ExitCode.EXPECTATION


def makers(task: Task, name: str) -> list[MakeStrategy]:
    """Return what makes the strategies of a name, in the order of their use."""
    names = STRATEGIES if name == ALL else (name,)
    return [_maker(task, each) for each in names]


def _maker(task: Task, name: str) -> MakeStrategy:
    voice = VOICES[task.system.name]
    environment = {each.__name__ for each in task.system.environment}

    def make(functions: Sequence[Learnt]) -> Strategy:
        every = [each.instance for each in functions]
        if name == "priorities":
            return Priorities(
                group_numbers(
                    [voice.actor(each.name, dict(each.arguments)) for each in every]
                )
            )
        if name == "faults":
            marks = [each.name in environment for each in every]
            return SpreadFaults(np.array(marks, np.int32))
        return Uniform()

    return make


def simulated(
    task: Task, name: str, seed: int, extent: Extent, threads: int, watch: Watch
) -> Outcome:
    """Return what the strategies of a name find, each with its part of the extent.

    The first that finds a violation is the last.

    Raises:
        ModelError: if the model breaks the contract.
    """
    chosen, model = makers(task, name), task.model
    learner = Learner(model, task.properties)
    part = attrs.evolve(
        extent,
        walks=extent.walks and -(-extent.walks // len(chosen)),
        seconds=extent.seconds and extent.seconds / len(chosen),
    )
    done: list[Simulation[Any]] = []
    for make in chosen:
        found = simulate(
            model, task.properties, make, seed, part, threads, watch, learner
        )
        done.append(found)
        if found.violations:
            return _with_violation(task, seed, done, threads)
        if found.failure is not None or found.cut == "interrupted":
            break
    return Outcome(task, seed, tuple(done))


def _with_violation(
    task: Task, seed: int, done: Sequence[Simulation[Any]], threads: int
) -> Outcome:
    first = done[-1].violations[0]
    claim = next(each for each in task.properties if each.name == first.property)
    walked = len(first.trace.states)
    shorter = minimised(task.model, claim, first, threads)
    return Outcome(task, seed, tuple(done), shorter, walked)


def told(outcome: Outcome) -> Iterator[str]:
    """Yield what a person is told, line by line, but for the story."""
    yield f"{outcome.task.title}, seed {outcome.seed}"
    for each in outcome.simulations:
        yield f"  {each.strategy}: {_extent(each)}"
        yield f"      {_coverage(each)}"
    if outcome.violation is None and outcome.simulations[-1].failure is None:
        yield "  not refuted: no walk met a violation; that does not mean it holds"
    counts = _together(outcome)
    yield "  steps by action"
    width = max(map(len, counts), default=0)
    for name, count in counts.items():
        yield f"      {name:{width}}  {count:>14,}"
    yield from _witnesses(outcome)


def _extent(each: Simulation[Any]) -> str:
    rate = each.steps / each.seconds if each.seconds else 0
    ended = f"ended by the limit on {each.cut}" if each.cut else "ended by a finding"
    if each.cut == "interrupted":
        ended = "interrupted"
    return (
        f"{each.walks:,} walks, {each.steps:,} steps in {each.seconds:.1f} s"
        f" ({rate:,.0f} a second), {ended}"
    )


def _coverage(each: Simulation[Any]) -> str:
    seen, about = each.seen, "" if each.seen.is_exact else "about "
    return (
        f"{about}{seen.distinct:,} distinct states, {seen.once:,} of them seen once;"
        f" by Good-Turing {seen.covered:.2%} of what such walks visit was seen; at"
        f" least {seen.at_least:,} states exist (Chao's estimate)"
    )


def _witnesses(outcome: Outcome) -> Iterator[str]:
    reached = {name for each in outcome.simulations for name in each.reached}
    for name in outcome.task.scenario.witnesses:
        if name not in reached:
            yield f"  never seen: {name}"


def _together(outcome: Outcome) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for each in outcome.simulations:
        for name, count in each.actions.items():
            counts[name] = counts.get(name, 0) + count
    return counts


def document(outcome: Outcome) -> str:
    """Return the outcome as a JSON document."""
    scenario, violation = outcome.task.scenario, outcome.violation
    whole = {
        "schema": SCHEMA,
        "replicheck": version("replicheck"),
        "exit_code": int(outcome.code),
        "scenario": scenario.name,
        "protocol": scenario.protocol,
        "bounds": dict(scenario.bounds),
        "seed": outcome.seed,
        "verdict": "not refuted" if violation is None else "violated",
        "violation": violation
        and {
            "property": violation.property,
            "clause": violation.clause,
            "states": len(violation.trace.states),
            "walked": outcome.walked,
            "trace": str(outcome.file) if outcome.file else None,
        },
        "simulations": [_entry(each) for each in outcome.simulations],
    }
    return json.dumps(whole, indent=2) + "\n"


def _entry(each: Simulation[Any]) -> dict[str, Any]:
    return {
        "strategy": each.strategy,
        "walks": each.walks,
        "steps": each.steps,
        "seconds": round(each.seconds, 3),
        "cut": each.cut,
        "distinct": each.seen.distinct,
        "is_exact": each.seen.is_exact,
        "seen_once": each.seen.once,
        "covered": round(each.seen.covered, 6),
        "at_least": each.seen.at_least,
        "actions": dict(each.actions),
        "reached": sorted(each.reached),
        "failure": each.failure.message if each.failure else None,
    }
