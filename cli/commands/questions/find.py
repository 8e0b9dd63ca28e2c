"""``replicheck find``: a shortest run to a state of a kind."""

from __future__ import annotations

import sys
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
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.grouped_options import GroupedCommand
from replicheck.cli.console.options import full_runs, traces_folder
from replicheck.cli.console.output import require_writable_traces
from replicheck.cli.reports.counterexamples import task_commentary
from replicheck.cli.reports.text.terminal import standard_output
from replicheck.cli.results.result import Result
from replicheck.cli.results.result_text import coverage
from replicheck.cli.runs.single_search import single_searches
from replicheck.cli.runs.trace_files import make_saved_trace, saved_line
from replicheck.cli.tasks.overrides import Claims
from replicheck.explorer.report import Outcome
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.counterexample import run_text
from replicheck.traces.printable_text import printable, printable_line
from replicheck.traces.run_text import RunDetail, TextForm, states_text


@click.command(cls=GroupedCommand)
@click.argument("name", metavar="SCENARIO")
@click.option(
    "--reach",
    required=True,
    metavar="WITNESS",
    help="Find a state of which this witness is true. FILE.py:FUNCTION is one of yours:"
    " a function of the state.",
)
@scenario_options("Search")
@question_limit_options
@full_runs
@traces_folder("Where to save the runs.")
@click.pass_obj
def find(
    catalogue: Catalogue,
    /,
    name: str,
    reach: str,
    changes: ScenarioOptions,
    limits: LimitOptions,
    runs: RunDetail,
    traces: Path,
) -> None:
    """Find a shortest run to a state, and print it.

    The state is one of which a witness of the model is true, or a function of your own.
    The run is saved as a trace. Exit codes: 0 found, 2 wrong usage, 10 no state is like
    that, of all states, 75 error in the model, 77 a limit or Ctrl-C ended the search
    before, 151 bad scenario.
    """
    overrides = evolve(
        changes.overrides(),
        claims=Claims(witnesses=(reach,)),
        limits=limits.table,
        stop="decided",
    )
    task = single_task(catalogue, name, overrides, {"--witness": "--reach"})
    require_writable_traces(traces)
    with single_searches(1) as search:
        result = search(task)
    require_contract(result)
    (witness,) = task.scenario.witnesses
    sys.exit(_print(result, witness, runs, traces))


def _print(result: Result, witness: str, runs: RunDetail, folder: Path) -> ExitCode:
    task, report = result.task, result.report
    out = standard_output()
    if witness in report.reached:
        trace = report.reached[witness]
        states = states_text(len(trace.states))
        out.print(f"{witness}: a shortest run to it has {states}")
        claim = printable_line(task.claim_text(witness))
        out.print(f"      {claim}", soft_wrap=True)
        about = task_commentary(task, trace)
        text = run_text(trace, about, TextForm(runs, out.width))
        out.print(printable(text), soft_wrap=True)
        saved = make_saved_trace(
            task, trace, property=witness, kind="", instance=witness
        )
        out.print(saved_line(task, folder, saved), soft_wrap=True)
        return ExitCode.AS_EXPECTED
    if report.outcomes[witness] is Outcome.UNREACHED:
        out.print(f"{witness}: no state reaches it; {coverage(result)}")
        return ExitCode.EXPECTATION
    out.print(f"{witness}: not known; {coverage(result)}", soft_wrap=True)
    return ExitCode.INCOMPLETE
