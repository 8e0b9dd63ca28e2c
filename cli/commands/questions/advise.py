"""``replicheck advise``: which faults a configuration of a topic survives."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from attrs import frozen

from replicheck.cli.advice.advice_text import CLAIMS, table_lines
from replicheck.cli.advice.cell_searches import CellSearches
from replicheck.cli.advice.configuration import (
    FAULTS,
    MOST_FAULTS,
    MOST_REPLICAS,
    QUESTIONS,
    Configuration,
    FaultSet,
    fault_sets,
    set_text,
)
from replicheck.cli.advice.model_code import of_cluster
from replicheck.cli.advice.shipped import read_results
from replicheck.cli.advice.table import AdviceTable, Answer, Cell, computed_table
from replicheck.cli.commands.single_task import require_contract
from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.options import full_runs, traces_folder
from replicheck.cli.console.output import require_writable_traces
from replicheck.cli.reports.text.terminal import standard_output
from replicheck.cli.results.result import Result
from replicheck.cli.runs.single_search import single_searches
from replicheck.cli.runs.trace_files import make_saved_trace, saved_line
from replicheck.cli.tasks.task import Task
from replicheck.explorer.interpreter.stepper import CannotTake
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import suggestion
from replicheck.traces.counterexample import Commentary, run_text
from replicheck.traces.printable_text import printable
from replicheck.traces.run_text import RunDetail, TextForm, states_text


@frozen
class CellName:
    """A question and a set of faults, which together name a cell."""

    question: str
    faults: FaultSet

    def __str__(self) -> str:
        return f"{self.question}:{set_text(self.faults)}"


def _cell_name(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> CellName | None:
    """The cell of a text such as ``lost:disk,disk``.

    Raises:
        click.BadParameter: if it names none.
    """
    if value is None:
        return None
    question, colon, listed = value.partition(":")
    if not colon:
        raise click.BadParameter(f"{value!r} is not of the form QUESTION:FAULTS")
    if question not in QUESTIONS:
        raise click.BadParameter(
            f"there is no question {question!r}{suggestion(question, QUESTIONS)}"
        )
    if not listed:
        raise click.BadParameter(
            f"{value!r} names no faults: expected some of {', '.join(FAULTS)}, or none"
        )
    faults = [] if listed == "none" else listed.split(",")
    for fault in faults:
        if fault not in FAULTS:
            raise click.BadParameter(
                f"there is no fault {fault!r}{suggestion(fault, (*FAULTS, 'none'))}"
            )
    if len(faults) > MOST_FAULTS:
        raise click.BadParameter(f"at most {MOST_FAULTS} faults, got {len(faults)}")
    return CellName(question, tuple(sorted(faults, key=[*FAULTS].index)))


@click.command()
@click.option(
    "--replication-factor",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Number of replicas, each on a broker of its own.",
)
@click.option(
    "--min-insync-replicas",
    type=click.IntRange(min=1),
    default=2,
    show_default=True,
    help="min.insync.replicas of the topic.",
)
@click.option(
    "--unclean",
    type=click.BOOL,
    default=False,
    show_default=True,
    help="unclean.leader.election.enable of the topic.",
)
@click.option(
    "--show",
    "shown",
    metavar="QUESTION:FAULTS",
    callback=_cell_name,
    help="Print the run of one cell, such as lost:disk,disk: one of the questions lost,"
    " writes, reads, and up to three of crash, disk, session, controller.",
)
@click.option(
    "--recompute",
    is_flag=True,
    help="Search now; without it the table is from results that are shipped.",
)
@click.option(
    "--limit-states",
    type=click.IntRange(min=1),
    help="With --recompute: cut each search at this number of states.",
)
@full_runs
@traces_folder("Where --show saves the run.")
@click.pass_obj
def advise(
    catalogue: Catalogue,
    /,
    replication_factor: int,
    min_insync_replicas: int,
    unclean: bool,
    shown: CellName | None,
    recompute: bool,
    limit_states: int | None,
    runs: RunDetail,
    traces: Path,
) -> None:
    """Show which faults a topic's configuration survives, as a table.

    For up to three faults of four kinds: can they lose an acknowledged record, stop
    writes, or stop reads? Each cell is a search of all states, or says "cut". Exit
    codes: 0 all cells are known, 2 wrong usage, 10 --show: the faults cannot, 75 error
    in the model, 77 a cell is not known, 151 no shipped results.
    """
    if min_insync_replicas > replication_factor:
        raise click.UsageError(
            f"--min-insync-replicas is {min_insync_replicas}, expected at most the"
            f" replication factor, {replication_factor}"
        )
    if limit_states is not None and not recompute:
        raise click.UsageError("--limit-states is of --recompute, which is not given")
    configuration = Configuration(replication_factor, min_insync_replicas, unclean)
    searches = CellSearches(catalogue, configuration, limit_states)
    if shown is not None:
        require_writable_traces(traces)
    table = _computed(searches) if recompute else _shipped(configuration)
    if shown is None:
        sys.exit(_print_table(table))
    cell = table.cell(shown.faults, shown.question)
    sys.exit(_print_cell(shown, cell, searches, runs, traces))


def _shipped(configuration: Configuration) -> AdviceTable:
    """The table of the shipped results.

    Raises:
        BadInput: if there is none.
    """
    results = read_results()
    table = results.table(configuration)
    if table is None:
        raise BadInput(
            f"no results are shipped for {configuration}, expected a replication"
            f" factor of at most {MOST_REPLICAS}; --recompute searches for others"
        )
    if results.digest != of_cluster():
        click.echo(
            "The model has changed since these results were computed; --recompute"
            " searches again.",
            err=True,
        )
    return table


def _computed(searches: CellSearches) -> AdviceTable:
    """The table by searches that are done now."""
    with single_searches(sum(1 for _ in fault_sets())) as search:

        def result(task: Task) -> Result:
            found = search(task)
            require_contract(found)
            return found

        return computed_table(searches.configuration, searches.rows(result))


def _print_table(table: AdviceTable) -> ExitCode:
    out = standard_output()
    for line in table_lines(table, out.width):
        out.print(line, soft_wrap=True)
    is_cut = any(True for _ in table.cut())
    return ExitCode.INCOMPLETE if is_cut else ExitCode.AS_EXPECTED


def _print_cell(
    name: CellName,
    cell: Cell,
    searches: CellSearches,
    runs: RunDetail,
    folder: Path,
) -> ExitCode:
    out = standard_output()
    for line in _about(name, cell, searches):
        out.print(line, soft_wrap=True)
    if cell.answer is Answer.CUT:
        return ExitCode.INCOMPLETE
    if cell.answer is Answer.CANNOT:
        return ExitCode.EXPECTATION
    task = searches.task(cell.faults, (name.question,))
    try:
        trace = searches.trace(cell.faults, name.question, cell.steps)
    except CannotTake as error:
        raise BadInput(
            f"{name}: the present model cannot take the run: {error}; --recompute"
            " searches again"
        ) from error
    about = Commentary(describer=task.system.describer)
    text = run_text(trace, about, TextForm(runs, out.width))
    out.print(printable(text), soft_wrap=True)
    witness = QUESTIONS[name.question]
    saved = make_saved_trace(task, trace, property=witness, kind="", instance=witness)
    out.print(saved_line(task, folder, saved), soft_wrap=True)
    return ExitCode.AS_EXPECTED


def _about(name: CellName, cell: Cell, searches: CellSearches) -> Iterator[str]:
    """Yield what is known of a cell, and the command that searches again."""
    yield str(searches.configuration)
    faults, claim = set_text(name.faults), CLAIMS[name.question]
    if cell.answer is Answer.CAN:
        fewer = "" if cell.faults == name.faults else set_text(cell.faults) + " can: "
        states = states_text(len(cell.steps) + 1)
        yield f"{faults} can {claim}: {fewer}a shortest run has {states}"
    elif cell.answer is Answer.CANNOT:
        yield f"{faults} cannot {claim}: all {cell.states:,} states were visited"
    else:
        yield f"{faults}: not known; {cell.states:,} states were visited"
    yield f"  reproduce: {searches.command(cell.faults, name.question)}"
