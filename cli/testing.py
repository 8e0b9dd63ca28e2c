"""Checks in Python: assert that something holds, or that it is violated.

from replicheck.cli.testing import assert_holds, sometimes

def test_my_invariant() -> None:
    assert_holds("replication", my_invariant, sometimes(my_witness))
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from replicheck.cli.reports.counterexamples import counterexamples
from replicheck.cli.reports.report_problems import problems_of
from replicheck.cli.results.result import require_uninterrupted
from replicheck.cli.results.run_summary import Assessment, assess
from replicheck.cli.runs.result_cache import NoCache
from replicheck.cli.runs.searches import Searches
from replicheck.cli.runs.trace_files import make_saved_traces, save_traces, saved_line
from replicheck.cli.tasks.engine_settings import Settings
from replicheck.cli.tasks.engines import (
    DEFAULT_ENGINE,
    ENGINES,
    fairness_of,
    with_runs,
)
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.cli.testing_arguments import require_arguments
from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.liveness.fairness import Fairness
from replicheck.explorer.model import Model, Predicate
from replicheck.explorer.properties import (
    LIVENESS,
    Property,
    always,
    eventually_always,
    every_step,
    leads_to,
    no_deadlock,
    sometimes,
)
from replicheck.explorer.report import Report, Violation
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.own.model_loading import (
    own_scenario,
    reference_of,
    system_of,
)
from replicheck.invariants.catalogue.scenario import LimitTable
from replicheck.model.modelling.model import Model as OwnModel
from replicheck.traces.counterexample import violation_text
from replicheck.traces.printable_text import printable_path
from replicheck.traces.run_text import FULL

__all__ = [
    "DoesNotHold",
    "always",
    "assert_holds",
    "assert_violated",
    "eventually_always",
    "every_step",
    "leads_to",
    "no_deadlock",
    "sometimes",
]

Claim = Property | Predicate
"""A property, or a predicate that is to be true in every state."""

Subject = str | OwnModel[Any] | Model[Any]
"""A scenario by name, a file with a model, a model of ``replicheck.modelling``, or what
engines explore."""

UNLIMITED = Limits()
TRACES = Path("counterexamples")
"""Where the run to each violation is saved, unless a test says otherwise."""


class DoesNotHold(AssertionError):
    """What was asserted is not so, or was not decided; the message has the run."""


def assert_holds(
    subject: Subject,
    *claims: Claim,
    protocol: str | None = None,
    bounds: Mapping[str, object] | None = None,
    initial: str | None = None,
    engine: str = DEFAULT_ENGINE,
    limits: Limits = UNLIMITED,
    traces: Path = TRACES,
    livelocks: bool = False,
) -> Report[Any]:
    """Assert that every claim holds in all reachable states, and return the report.

    A search that a limit or a constraint cuts is a failure: nothing found is not
    "holds". So is a claim whose premise never holds: it says nothing.

    Args:
        subject: the name of a scenario, with its protocol and bounds; a model of one's
            own, as an object or as ``FILE.py``; or any model that engines explore.
        claims: these and no others; none are all that the scenario claims, and that no
            action is dead.
        protocol: another one than the scenario's.
        bounds: those that differ from the scenario's.
        initial: the name of another initial state than the scenario's.
        limits: when to give up.
        traces: the folder where the run to each violation is saved; not that of a model
            which has no name.
        livelocks: whether, without claims, those about runs for ever are judged, too.
            A claim of ``leads_to`` or ``eventually_always`` is judged in any case, by
            the fairness of the scenario's actions; those of a model that is none are
            weakly fair.

    Raises:
        DoesNotHold: with the run to the first violation of each claim, and its file.
        ScenarioError: if there is no such scenario, protocol or bound.
        TypeError: if an argument is not what is expected.
    """
    __tracebackhide__ = True
    require_arguments(
        protocol=protocol,
        bounds=bounds,
        initial=initial,
        engine=engine,
        limits=limits,
        traces=traces,
        livelocks=livelocks,
    )
    changes = Overrides(
        engine,
        protocol=protocol,
        bounds=bounds,
        settings=Settings(livelocks=livelocks),
        initial=initial,
        limits=LimitTable(**attrs.asdict(limits)),
    )
    model, task = _searched(subject, changes)
    if task is not None and not claims:
        return _holds_as_claimed(task, traces)
    report, properties = _search(model, claims, engine, limits, task)
    problems = list(problems_of(report, properties))
    if problems:
        problems += [] if task is None else _saved(task, report, traces)
        raise DoesNotHold("\n\n".join(problems))
    return report


def assert_violated(
    subject: Subject,
    claim: Claim,
    *,
    states: int | None = None,
    protocol: str | None = None,
    bounds: Mapping[str, object] | None = None,
    initial: str | None = None,
    engine: str = DEFAULT_ENGINE,
    limits: Limits = UNLIMITED,
) -> Violation[Any]:
    """Assert that a claim is violated, and return the violation with its shortest run.

    Args:
        states: of the shortest run, the initial one included; None is any number.

    Raises:
        DoesNotHold: if it is not violated, or by a run of another length.
        TypeError: if an argument is not what is expected.
    """
    __tracebackhide__ = True
    require_arguments(
        states=states,
        protocol=protocol,
        bounds=bounds,
        initial=initial,
        engine=engine,
        limits=limits,
    )
    changes = Overrides(engine, protocol=protocol, bounds=bounds, initial=initial)
    model, task = _searched(subject, changes)
    report, _ = _search(model, (claim,), engine, limits, task)
    if not report.violations:
        raise DoesNotHold(
            f"{_property(claim).name} is not violated: {report.verdict.value} after"
            f" {report.states:,} states"
        )
    (violation,) = report.violations
    found = len(violation.trace.states)
    if states not in (None, found):
        text = violation_text(violation, form=FULL)
        raise DoesNotHold(f"expected a run of {states} states, not {found}\n\n{text}")
    return violation


def problem(assessment: Assessment) -> str:
    """The failures of a result with their counterexamples; empty without any."""
    result = assessment.result
    if not assessment.failures:
        return ""
    verdict = result.report.verdict.value
    lines = [result.task.title, f"{verdict}: {assessment.coverage}"]
    lines += [f"  {finding.text}" for finding in assessment.failures]
    lines += [f"  {note}" for note in assessment.notes]
    lines.append(f"  reproduce: {result.task.command}")
    lines += [f"\n{text}" for _, text in counterexamples(result)]
    lines += [f"Saved: {printable_path(file)}" for file in result.files.values()]
    return "\n".join(lines)


def _saved(task: Task, report: Report[Any], folder: Path) -> list[str]:
    """Save the run to each violation, and tell where."""
    traces = make_saved_traces(task, report.violations, report.failure)
    return [saved_line(task, folder, trace) for trace in traces]


def _searched(subject: Subject, changes: Overrides) -> tuple[Any, Task | None]:
    """Model that a search is of, and its task if it is of a scenario or an own model.

    Raises:
        TypeError: if there are changes, and nothing that has what they change; or if
            it is a suite.
    """
    if isinstance(subject, str | OwnModel):
        name = subject if isinstance(subject, str) else _name_of(subject)
        task, *others = tasks(_shipped(), [name], changes)
        if others:
            raise TypeError(f"{name} has several searches, expected one scenario")
        return task.model, task
    if (changes.protocol, changes.bounds, changes.initial) != (None, None, None):
        raise TypeError("protocol, bounds and initial are of a scenario, not a model")
    return subject, None


def _name_of(model: OwnModel[Any]) -> str:
    """Name of a model that Python code has, which the catalogue knows from now on."""
    catalogue, name = _shipped(), reference_of(model)
    system = system_of(model, name)
    catalogue.systems[name] = system
    catalogue.scenarios[name] = own_scenario(system)
    return name


@cache
def _shipped() -> Catalogue:
    return Catalogue.shipped()


def _holds_as_claimed(task: Task, folder: Path) -> Report[Any]:
    __tracebackhide__ = True
    result = save_traces(Searches((task,), NoCache()).result(0), folder)
    text = problem(assess(result))
    if text:
        raise DoesNotHold(text)
    return result.report


def _search(
    model: Model[Any],
    claims: tuple[Claim, ...],
    engine: str,
    limits: Limits,
    task: Task | None,
) -> tuple[Report[Any], list[Property]]:
    if not hasattr(model, "initial_states"):
        raise TypeError(
            f"what is searched is {model!r}, expected the name of a scenario, a model"
            " of replicheck.modelling, or what engines explore"
        )
    properties = [_property(claim) for claim in claims]
    search = Search(limits)
    explorer = ENGINES[engine].make(Settings(), None)
    if any(claim.kind in LIVENESS for claim in properties):
        fairness = Fairness()
        if task is not None:
            fairness = fairness_of(task.system, task.scenario.protocol)
        explorer = with_runs(explorer, fairness, Settings())
    return require_uninterrupted(
        explorer.explore(model, properties, search)
    ), properties


def _property(claim: Claim) -> Property:
    if not isinstance(claim, Property) and not callable(claim):
        raise TypeError(
            f"a claim is {claim!r}, expected a function of a state, or what always,"
            " sometimes, every_step, leads_to or eventually_always make of functions"
        )
    return claim if isinstance(claim, Property) else always(claim)
