"""``replicheck ways``: the minimal sets of faults that violate a property."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
from attrs import evolve

from replicheck.cli.commands.option_groups import (
    LimitOptions,
    ScenarioOptions,
    question_limit_options,
    scenario_options,
)
from replicheck.cli.commands.single_task import require_contract, single_task
from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.grouped_options import GroupedCommand
from replicheck.cli.console.options import traces_folder
from replicheck.cli.console.output import require_writable_traces
from replicheck.cli.reports.text.terminal import standard_output
from replicheck.cli.results.fault_sets import (
    Budget,
    FaultSet,
    FaultSets,
    count_budgets,
    minimal_fault_sets,
)
from replicheck.cli.results.result import Result
from replicheck.cli.results.result_text import coverage
from replicheck.cli.runs.single_search import SearchTask, single_searches
from replicheck.cli.runs.trace_files import save_traces
from replicheck.cli.tasks.overrides import Overrides
from replicheck.cli.tasks.task import Task
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.traces.printable_text import printable
from replicheck.traces.run_text import states_text

CLAIM_PARAMETERS = {"--invariant": "PROPERTY"}


@click.command(cls=GroupedCommand)
@click.argument("name", metavar="SCENARIO")
@click.argument("claim", metavar="PROPERTY")
@scenario_options("Search")
@question_limit_options
@traces_folder("Where to save the runs.")
@click.pass_obj
def ways(
    catalogue: Catalogue,
    /,
    name: str,
    claim: str,
    changes: ScenarioOptions,
    limits: LimitOptions,
    traces: Path,
) -> None:
    """Find all minimal sets of faults that violate a property, each with its run.

    The faults are those with a budget in the bounds. One search is done for each
    budget, few faults first; what contains a set that was found is not searched. The
    answer is exact within the bounds if no search was cut. PROPERTY may be
    FILE.py:FUNCTION. Exit codes: 0 all sets are known, 2 wrong usage, 75 error in the
    model, 77 a limit or Ctrl-C left some unknown, 151 bad scenario.
    """
    overrides = evolve(
        changes.overrides(),
        properties=(claim,),
        limits=limits.table,
    )
    task = single_task(catalogue, name, overrides, CLAIM_PARAMETERS)
    (violable,) = _violable(task)
    require_writable_traces(traces)
    most = _budgets(task)
    started = time.monotonic()
    with single_searches(count_budgets(most)) as search:

        def within(budget: Budget) -> Result | None:
            return _search(catalogue, name, overrides, budget, search, traces)

        found = minimal_fault_sets(most, violable, within)
    for line in _lines(found, task, violable, time.monotonic() - started):
        standard_output().print(printable(line), soft_wrap=True)
    sys.exit(ExitCode.INCOMPLETE if found.unknown else ExitCode.AS_EXPECTED)


def _violable(task: Task) -> tuple[str, ...]:
    """The property of a task.

    Raises:
        BadInput: if it is a witness, which nothing violates.
    """
    names = (*task.scenario.invariants, *task.scenario.steps)
    if not names:
        (witness,), name = task.scenario.witnesses, task.scenario.name
        raise BadInput(
            f"{witness} is a witness, which no run violates: name an invariant or a"
            f" step property, or use `replicheck find {name} --reach {witness}`"
        )
    return names


def _budgets(task: Task) -> Budget:
    """The faults of a scenario with how often each may happen.

    Raises:
        BadInput: if it has none.
    """
    try:
        state = next(iter(task.model.initial_states()))
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    bounds = task.scenario.bounds
    names = task.system.describer.budgets(state)
    budgets = {name: bounds[name] for name in names if bounds.get(name)}
    if not budgets:
        known = f"raise one of {', '.join(names)} with --bounds"
        own = (
            "the model has no budget, which is a bound on how often a fault may happen;"
            " in a model of your own it is written `crashes: int = budget(1)`"
        )
        raise BadInput(
            f"{task.scenario.name} allows no fault: {known if names else own}"
        )
    return budgets


def _search(
    catalogue: Catalogue,
    name: str,
    overrides: Overrides,
    budget: Budget,
    search: SearchTask,
    folder: Path,
) -> Result | None:
    """Result within a budget; None where the setup needs more."""
    bounds = {**(overrides.bounds or {}), **budget}
    try:
        task = single_task(
            catalogue, name, evolve(overrides, bounds=bounds), CLAIM_PARAMETERS
        )
        next(iter(task.model.initial_states()))
    except (BadInput, ScenarioError):
        return None
    result = search(task)
    require_contract(result)
    return save_traces(result, folder)


def _lines(found: FaultSets, task: Task, claim: str, seconds: float) -> Iterator[str]:
    yield f"{task.title}"
    yield f"  {claim}: {task.claim_text(claim)}"
    for number, way in enumerate(found.minimal, start=1):
        (violation,) = way.result.report.violations
        states = states_text(len(violation.trace.states))
        yield f"  {number}. {_listed(way.budget)}: a shortest run has {states}"
        for name in way.result.files:
            yield f"     {way.result.show_command(name)}"
        if way.result.unsaved:
            yield f"     not saved: {way.result.unsaved}"
    for open_question in found.unknown:
        yield f"  not known: {_unknown(open_question)}"
    counts = [
        f"minimal sets of faults: {len(found.minimal)}",
        f"budgets searched: {len(found.searched)}",
        f"not searched, since they contain one of the sets: {len(found.skipped)}",
    ]
    if found.impossible:
        counts.append(f"too small for the setup: {len(found.impossible)}")
    yield f"{', '.join(counts)}; {seconds:.1f} s"
    if found.searched and len(found.vacuous) == len(found.searched):
        yield (
            "vacuously true: no state fulfils the premise, so this says nothing; raise"
            " a bound with --bounds, of those that"
            f" `replicheck show {shlex.quote(task.scenario.name)}` lists"
        )
    elif not found.minimal and not found.unknown:
        yield "no set of faults within these bounds leads to a violation"
    for fault in found.without_effect():
        yield (
            f"{fault} changes nothing: the searches that differ in it alone visit the"
            " same states by the same steps; does an action read it?"
        )
    if found.unknown:
        yield "incomplete: there may be other sets, or smaller ones"


def _unknown(way: FaultSet) -> str:
    return f"{_listed(way.budget)} ({coverage(way.result)})"


def _listed(budget: Budget) -> str:
    used = [f"{name} {count}" for name, count in budget.items() if count]
    return ", ".join(used) or "no fault"
