"""``replicheck diff``: where two protocols part, and which properties differ."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from replicheck.cli.commands.option_groups import (
    LimitOptions,
    ScenarioOptions,
    options_beside_protocols,
    question_limit_options,
)
from replicheck.cli.commands.single_task import require_contract, single_task
from replicheck.cli.console.errors import BadInput, BrokenContract
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.grouped_options import GroupedCommand
from replicheck.cli.console.interrupts import Interrupts
from replicheck.cli.console.options import full_runs, traces_folder
from replicheck.cli.console.output import require_writable_traces
from replicheck.cli.reports.counterexamples import task_commentary
from replicheck.cli.reports.text.terminal import standard_output
from replicheck.cli.results.result import Result
from replicheck.cli.results.result_text import coverage
from replicheck.cli.runs.single_search import single_searches
from replicheck.cli.runs.trace_files import make_saved_trace, saved_line
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import Limits
from replicheck.explorer.engines.comparison.learned_comparison import compare
from replicheck.explorer.engines.reference.first_difference import (
    Comparison,
    Difference,
)
from replicheck.explorer.errors import message_of
from replicheck.explorer.report import Outcome
from replicheck.explorer.states.layout import Layout
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.errors import ScenarioError
from replicheck.traces.counterexample import run_text
from replicheck.traces.printable_text import printable
from replicheck.traces.run_text import RunDetail, TextForm
from replicheck.traces.value_text import note_cell, note_change

PROTOCOL_PARAMETERS = {"--protocol": "PROTOCOL"}


@click.command(cls=GroupedCommand)
@click.argument("name", metavar="SCENARIO")
@click.argument("first", metavar="PROTOCOL")
@click.argument("second", metavar="PROTOCOL")
@options_beside_protocols
@question_limit_options
@full_runs
@traces_folder("Where to save the runs.")
@click.pass_obj
def diff(
    catalogue: Catalogue,
    /,
    name: str,
    first: str,
    second: str,
    changes: ScenarioOptions,
    limits: LimitOptions,
    runs: RunDetail,
    traces: Path,
) -> None:
    """Compare two protocols: the shortest run after which they part.

    First the properties of the scenario are judged under both, and those printed that
    come out differently. Then the states that both reach by the same steps are visited,
    up to the first with a step that only one of them has. Exit codes: 0 compared, 2
    wrong usage, 75 error in the model, 77 a limit or Ctrl-C left something unknown, 151
    bad scenario.
    """
    require_writable_traces(traces)
    overrides = evolve(changes.overrides(), stop="decided", limits=limits.table)
    sides = [
        single_task(
            catalogue, name, evolve(overrides, protocol=side), PROTOCOL_PARAMETERS
        )
        for side in (first, second)
    ]
    with single_searches(len(sides)) as search:
        results = [search(side) for side in sides]
    for result in results:
        require_contract(result)
    out = standard_output()
    for line in _properties(results):
        out.print(printable(line), soft_wrap=True)
    compared = _compared(
        sides, Limits(states=limits.limit_states, seconds=limits.limit_seconds)
    )
    for line in _comparison_lines(compared, sides, TextForm(runs, out.width), traces):
        out.print(printable(line), soft_wrap=True)
    is_known = compared.cut is None and not any(map(_undecided, results))
    sys.exit(ExitCode.AS_EXPECTED if is_known else ExitCode.INCOMPLETE)


def _undecided(result: Result) -> list[str]:
    return result.with_outcome(Outcome.UNDECIDED)


def _properties(results: Sequence[Result]) -> Iterator[str]:
    """Yield the properties of which something else became under each protocol."""
    for result in results:
        yield f"{result.task.title}: {coverage(result)}"
    first, second = (result.report.outcomes for result in results)
    sides = {name: (first[name], second[name]) for name in first if name in second}
    unknown = [name for name, both in sides.items() if Outcome.UNDECIDED in both]
    known = {name: both for name, both in sides.items() if name not in unknown}
    differing = [name for name, both in known.items() if both[0] is not both[1]]
    yield f"Properties that differ: {len(differing)} of {len(known)}"
    protocols = [result.task.scenario.protocol for result in results]
    for name in differing:
        yield (
            f"      {name}: {first[name].value} under {protocols[0]},"
            f" {second[name].value} under {protocols[1]}"
        )
    if unknown:
        yield f"Properties of which it is not known: {', '.join(unknown)}"


def _compared(sides: Sequence[Task], limits: Limits) -> Comparison[Any]:
    """Comparison of the models of two tasks.

    Raises:
        BadInput: if they do not begin alike.
        BrokenContract: if a function of a model raises.
    """
    try:
        first, second = (side.model for side in sides)
        with Interrupts() as interrupts:
            return compare(first, second, limits, interrupts.watch)
    except KeyboardInterrupt:
        return Comparison(0, cut="Ctrl-C")
    except (ValueError, ScenarioError) as error:
        raise BadInput(f"the protocols cannot be compared: {error}") from error
    except Exception as error:
        raise BrokenContract(message_of(error)) from error


def _comparison_lines(
    compared: Comparison[Any], sides: Sequence[Task], form: TextForm, folder: Path
) -> Iterator[str]:
    if compared.cut is not None:
        yield (
            f"No difference of steps in {compared.states:,} common states, then"
            f" {compared.cut} cut the comparison: not known"
        )
        return
    if compared.difference is None:
        yield f"The same steps in all {compared.states:,} states"
        return
    yield from _difference(compared.difference, sides, form, folder)


def _difference(
    found: Difference[Any], sides: Sequence[Task], form: TextForm, folder: Path
) -> Iterator[str]:
    last = len(found.trace.states)
    yield f"They part at state {last}; a shortest run there:"
    about = task_commentary(sides[0], found.trace)
    yield run_text(found.trace, about, form)
    each = found.only_first, found.only_second
    first, second = (dict.fromkeys(step.label for step in steps) for steps in each)
    protocols = [side.scenario.protocol for side in sides]
    for protocol, labels, others in zip(
        protocols, (first, second), (second, first), strict=True
    ):
        own = [label for label in labels if label not in others]
        yield f"Only under {protocol}: {', '.join(own) or 'no step'}"
    for label in first:
        if label in second:
            yield f"With other changes under each: {label}"
            of_label = [[s.state for s in steps if s.label == label] for steps in each]
            yield from _unequal_changes(found.trace.states[-1], protocols, of_label)
    saved = make_saved_trace(
        sides[0], found.trace, property="the_protocols_part", kind="", instance=""
    )
    yield saved_line(sides[0], folder, saved)


def _unequal_changes(
    before: Any, protocols: Sequence[str], next_states: Sequence[Sequence[Any]]
) -> Iterator[str]:
    """Yield of each next state the cells that not all of them have alike."""
    layout = Layout.of(before)
    every = [layout.values(state) for states in next_states for state in states]
    cells = zip(layout.cells, layout.values(before), *every, strict=True)
    unequal = [
        (cell, old, values)
        for cell, old, *values in cells
        if any(value != values[0] for value in values)
    ]
    owners = [
        protocol
        for protocol, states in zip(protocols, next_states, strict=True)
        for _ in states
    ]
    for number, protocol in enumerate(owners):
        told = (
            f"{cell} {_change_text(old, values[number])}"
            for cell, old, values in unequal
        )
        yield f"      under {protocol}: {'; '.join(told)}"


def _change_text(old: Any, new: Any) -> str:
    return f"stays {note_cell(old)}" if old == new else note_change(old, new)
