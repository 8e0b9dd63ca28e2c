"""Comparison of reduced searches with the naive engine, on random systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, Phase, given, seed, settings

from random_models.random_processes import EVERYTHING, processes
from random_models.systems import System
from replicheck.explorer.engine import Engine, Limits, Search, Stop
from replicheck.explorer.engines.reduced import passes
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Kind, Property
from replicheck.explorer.report import Report, Violation

NAIVE_LIMIT = Search(Limits(states=2_000), Stop.EXHAUSTED)


def summary(report: Report[Any]) -> tuple[object, ...]:
    """Everything that a reduced search has to find as a whole one does."""
    if report.failure is not None:
        return (report.verdict,)
    enabled = {name for name, count in report.actions.items() if count.enabled}
    coverage = report.statistics.coverage
    assert coverage is not None
    return report.verdict, report.outcomes, enabled, coverage.premises


def require_agreement(
    engine: Engine, model: Model[Any], properties: Sequence[Property]
) -> Report[Any] | None:
    """Compare a reduced search with the naive one; None if that is too large."""
    expected = Naive().explore(model, properties, NAIVE_LIMIT)
    if expected.cut is not None:
        return None
    found = engine.explore(model, properties, EVERYTHING)
    assert summary(found) == summary(expected)
    assert expected.failure is not None or found.states <= expected.states
    return found


def compare(engine: Engine, system: System) -> None:
    """Compare a reduced search of a system with the naive one, without constraints."""
    system = evolve(system, constraints=())
    found = require_agreement(engine, system.model, system.properties)
    if found is not None and found.failure is None:
        for violation in found.violations:
            require_real(system, violation)


def require_real(system: System, violation: Violation[Any]) -> None:
    """Take the run of a violation step by step, and judge where it ends."""
    actions = {action.__name__: action for action in system.model.actions}
    before, run = violation.trace.start, violation.trace
    assert before in system.starts
    for step in run.steps:
        after = list(actions[step.action](before, *step.arguments.values()))
        assert step.state in after
        before = step.state
    if violation.kind is Kind.ALWAYS:
        claim = next(c for c in system.properties if c.name == violation.property)
        clauses = claim.instances(system.model.domains)
        assert not all(clause(before) for clause in clauses)


def law_of_processes(examples: int, engine: Engine) -> Callable[[], None]:
    """The comparison of so many systems, the same ones in every run."""

    @seed(26)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(processes())
    def law(system: System) -> None:
        compare(engine, system)

    return law


def without_proviso(patch: pytest.MonkeyPatch, visited: type) -> None:
    """Steps may be put off round and round.

    Args:
        visited: the class by which the search tells new states.
    """

    def lack(self: object, fingerprints: Any) -> Any:
        return np.ones(len(fingerprints), np.uint8)

    patch.setattr(visited, "lack", lack)


def without_last_pass(patch: pytest.MonkeyPatch) -> None:
    """A pass that learned something is taken for the search."""
    patch.setattr(passes, "FIRST_PASS", 1)
    patch.setattr(passes, "learned_nothing", lambda *arguments: True)
