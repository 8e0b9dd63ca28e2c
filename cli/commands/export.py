"""``replicheck export``: write a scenario for another checker."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import click
from attrs import frozen

from replicheck.cli.commands.option_groups import ScenarioOptions, scenario_options
from replicheck.cli.commands.property_options import PropertyOptions, judged_options
from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.grouped_options import GroupedCommand
from replicheck.cli.console.interrupts import Interrupts
from replicheck.cli.console.options import output_file
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    require_writable_file,
    write_output,
)
from replicheck.cli.reports.text.terminal import standard_error
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.tasks.engines import fairness_of
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.cli.version import VERSION
from replicheck.explorer.engine import Watch
from replicheck.explorer.errors import ModelError, TooManyStates
from replicheck.explorer.properties import Kind, Property
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.traces.printable_text import printable_line

MOST_STATES = 10_000_000
MOST_DRAWN = 20_000
"""Of a graph that some tool is to draw."""

Export = Callable[[Task, int, Watch, str], str]
"""Text for a task, given the most states, a watch, and the file's name."""


def _promela(task: Task, limit: int, watch: Watch, file: str) -> str:
    from replicheck.explorer.promela.exhaustive_search import visit_all
    from replicheck.explorer.promela.model_text import promela

    found = visit_all(task.model, _judged(task), limit, watch)
    return promela(found, list(_about(task)), file)


def _promela_liveness(task: Task, limit: int, watch: Watch, file: str) -> str:
    from replicheck.cli.tasks.run_properties import every_run_claim
    from replicheck.explorer.engines.liveness.marked_model import MarkedModel, mark_of
    from replicheck.explorer.liveness.claims import claim_instances
    from replicheck.explorer.promela.exhaustive_search import visit_all
    from replicheck.explorer.promela.run_claims_text import JudgedRuns, promela_of_runs

    claims = task.run_claims or every_run_claim(task.system)
    fairness = fairness_of(task.system, task.scenario.protocol)
    refuse_what_spin_lacks(task, bool(claims), bool(fairness.strong))
    judged = [
        one for claim in claims for one in claim_instances(claim, task.model.domains)
    ]
    parts = [part for one in judged for part in (one.condition, one.goal)]
    predicates = dict.fromkeys(part.function for part in parts if part is not None)
    marks = {mark_of(predicate): predicate for predicate in predicates}
    found = visit_all(MarkedModel(task.model, tuple(marks)), (), limit, watch)
    runs = JudgedRuns(judged, fairness, marks)
    return promela_of_runs(found, runs, list(_about(task)), file)


def refuse_what_spin_lacks(task: Task, has_claims: bool, is_strong: bool) -> None:
    """Refuse what there are no runs to export of.

    Raises:
        BadInput: if there is no claim, a constraint, or an action with strong
            fairness.
    """
    name = task.scenario.name
    if not has_claims:
        raise BadInput(f"{name} has no claim about runs that go on for ever")
    if task.model.constraints:
        raise BadInput(
            f"{name} has constraints, and what a run does beyond a state that is not"
            " expanded is not known"
        )
    if is_strong:
        raise BadInput(
            f"{name} has actions with strong fairness, and Spin knows only the weak"
            " fairness of processes"
        )


def _graph(task: Task, limit: int, watch: Watch) -> Any:
    from replicheck.explorer.promela.exhaustive_search import visit_all
    from replicheck.traces.formats.state_graph import state_graph

    graph = state_graph(task.model, task.properties, limit, watch)
    # A model that `check` refuses is refused here, too.
    visit_all(task.model, _judged(task), limit, watch)
    return graph


def _judged(task: Task) -> list[Property]:
    """What is exported of the properties: no witnesses."""
    return [claim for claim in task.properties if claim.kind is not Kind.SOMETIMES]


def _graphml(task: Task, limit: int, watch: Watch, file: str) -> str:
    from replicheck.traces.formats.state_graph import graphml

    return graphml(_graph(task, limit, watch))


def _dot(task: Task, limit: int, watch: Watch, file: str) -> str:
    from replicheck.traces.formats.dot import graph_dot

    return graph_dot(_graph(task, limit, watch))


@frozen
class Format:
    """How to export, and by default at most how many states."""

    export: Export
    most_states: int


FORMATS: Mapping[str, Format] = {
    "promela": Format(_promela, MOST_STATES),
    "promela-liveness": Format(_promela_liveness, MOST_STATES),
    "graphml": Format(_graphml, MOST_DRAWN),
    "dot": Format(_dot, MOST_DRAWN),
}


@click.command(cls=GroupedCommand)
@click.argument("name", metavar="SCENARIO")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(FORMATS)),
    required=True,
    help="promela is Spin's language, promela-liveness has claims about runs for ever;"
    " graphml and dot are the graph of all states.",
)
@scenario_options("Export")
@judged_options
@click.option(
    "--limit-states",
    type=click.IntRange(min=1),
    help="Export nothing if there are more states, by default"
    f" {MOST_STATES:,}, for a graph {MOST_DRAWN:,}.",
)
@output_file
@click.pass_obj
def export(
    catalogue: Catalogue,
    /,
    name: str,
    format_name: str,
    changes: ScenarioOptions,
    wanted: PropertyOptions,
    limit_states: int | None,
    output: str,
) -> None:
    """Write a scenario for another checker, or the graph of its states.

    All states are visited first, whatever the limits of the scenario. Witnesses are
    not exported. Exit codes: 0 written, 2 wrong usage, 75 error in the model, 77 there
    are too many states, 151 bad scenario.
    """
    task = _task(catalogue, name, wanted.overrides(changes))
    if wanted.properties and task.scenario.witnesses:
        raise BadInput(
            f"--invariant: {task.scenario.witnesses[0]} is a witness, which is not"
            " exported: name an invariant or a step property"
        )
    require_writable_file(output, "--output")
    name = "model.pml" if output == STANDARD_OUTPUT else Path(output).name
    chosen = FORMATS[format_name]
    limit = limit_states or chosen.most_states
    write_output(output, _text(task, chosen.export, limit, name), "--output")


def _task(catalogue: Catalogue, name: str, overrides: Overrides) -> Task:
    try:
        found = tasks(catalogue, [name], overrides)
    except ScenarioError as error:
        raise BadInput(str(error)) from error
    if len(found) != 1:
        raise BadInput(
            f"{name} is a suite of {len(found)} searches, of which only one can be"
            f" exported at a time. Name a scenario: {', '.join(catalogue.scenarios)}"
        )
    return found[0]


def _about(task: Task) -> Iterator[str]:
    """Yield lines that say what is exported."""
    yield f"replicheck {VERSION}"
    yield f"scenario: {task.scenario.name}"
    yield f"protocol: {task.scenario.protocol}"
    yield f"bounds: {task.bounds_text}"
    yield f"reductions: {', '.join(task.scenario.reductions) or 'none'}"


def _text(task: Task, write: Export, limit: int, file: str) -> str:
    """Search with a progress board, and render the text.

    An error that keeps the search from its end ends the command: a part of the states
    would be another system.
    """
    board = ProgressBoard(standard_error(), 1)
    try:
        with Interrupts() as interrupts, board.live():
            board.start(task)
            watch = interrupts.interruptible(board.watch)
            return write(task, limit, watch, file)
    except TooManyStates:
        _end(
            ExitCode.INCOMPLETE,
            f"the state space is larger than {limit:,} states, nothing exported: lower"
            " the bounds, or raise --limit-states",
        )
    except ModelError as error:
        _end(ExitCode.MODEL_ERROR, f"{error}; nothing exported")
    except KeyboardInterrupt:
        _end(ExitCode.INCOMPLETE, "interrupted, nothing exported")


def _end(code: ExitCode, message: str) -> NoReturn:
    click.echo(f"Error: {printable_line(message)}", err=True)
    sys.exit(code)
