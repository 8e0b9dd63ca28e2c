"""A run as text: each step with its action and only what it changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from replicheck.explorer.report import Step, Trace
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.traces.state_diff import Change, changes
from replicheck.traces.value_text import (
    note_cell,
    note_change,
    note_moved,
    note_without_defaults,
)

if TYPE_CHECKING:
    from replicheck.traces.describer import Describer

INDENT = " " * 6
WIDTH_OF_FILES = 140
"""Columns where the output is no terminal."""


def states_text(count: int) -> str:
    """A number of states with its noun."""
    return "1 state" if count == 1 else f"{count:,} states"


class RunDetail(Enum):
    """How much of a run is printed."""

    STEPS = "steps"
    """A line for each step."""
    FULL = "full"
    """The first and the last state, and all that each step changed."""


class TextForm(NamedTuple):
    """Detail of a counterexample, and the columns that it may take."""

    detail: RunDetail = RunDetail.STEPS
    width: int = WIDTH_OF_FILES


SHORT = TextForm()
FULL = TextForm(RunDetail.FULL)


def run_lines(trace: Trace[Any], describer: Describer | None = None) -> Iterator[str]:
    """Yield the lines of a run: the first state, then each step with its changes."""
    layout = Layout.of(trace.start)
    yield f"{1:4}  initial state"
    yield from _whole(trace.start)
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        changed = changes(layout, before, step.state)
        mark = "FAULT " if is_fault(step, before, describer) else ""
        yield f"{number:4}  {mark}{step.label}"
        yield from _remarks(step, changed, describer)
        yield from _table(
            (str(change.cell), note_change(change.old, change.new))
            for change in changed
        )
        before = step.state


def step_lines(trace: Trace[Any], describer: Describer) -> Iterator[str]:
    """Yield the lines of a run without its states: each step, and who told whom."""
    layout = Layout.of(trace.start)
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        yield f"{number:4}  {step.label}"
        yield from _remarks(step, changes(layout, before, step.state), describer)
        before = step.state


def moved_text(step: Step[Any], before: Any, describer: Describer | None) -> str:
    """What a step took out of sets, or put into them if it took nothing out.

    What its arguments tell is left out; so is all of an action without a loop.
    """
    if describer is None or not describer.has_loop(step.action):
        return ""
    told = list(step.arguments.values())
    moves = [
        note_moved(change.old, change.new, told)
        for change in changes(Layout.of(before), before, step.state)
    ]
    gone = [text for left, _ in moves for text in left]
    return ", ".join(gone or [text for _, came in moves for text in came])


def is_fault(step: Step[Any], before: Any, describer: Describer | None) -> bool:
    """Tell whether a step from a state is a fault; without a describer it is not."""
    if describer is None:
        return False
    return describer.is_fault(step.action, before, step.state)


def _remarks(
    step: Step[Any], changed: Sequence[Change], describer: Describer | None
) -> Iterator[str]:
    """Yield what the action does, who told whom, and the rules that it follows."""
    if describer is None:
        return
    summary = describer.summary(step.action)
    if summary:
        yield INDENT + summary
    cells = [str(change.cell) for change in changed]
    told = describer.messages(step.action, step.arguments, cells)
    remarks = [f"{message.source} -> {message.target}" for message in told]
    remarks += [", ".join(describer.rules(step.action))]
    if any(remarks):
        yield f"{INDENT}({'; '.join(filter(None, remarks))})"


def _whole(state: Any) -> Iterator[str]:
    """Yield the cells that do not have their defaults.

    A family whose cells are all alike takes one line.
    """
    layout = Layout.of(state)
    noted = [
        (cell, note_without_defaults(value))
        for cell, value in zip(layout.cells, layout.values(state), strict=True)
    ]
    rows: list[tuple[str, str]] = []
    for field, group in groupby(
        noted, key=lambda cell_and_text: cell_and_text[0].field
    ):
        rows += _family(field, list(group))
    yield from _table(row for row in rows if row[1])
    left_out = [name for name, text in rows if not text]
    if left_out:
        yield f"{INDENT}(with default values: {', '.join(left_out)})"


def end_lines(trace: Trace[Any]) -> Iterator[str]:
    """Yield the variables of the last state that differ from the first."""
    end = trace.states[-1]
    changed = changes(Layout.of(trace.start), trace.start, end)
    yield from _table(
        (str(cell.cell), note_without_defaults(cell.new) or note_cell(cell.new))
        for cell in changed
    )
    if len(changed) < len(Layout.of(trace.start).cells):
        yield f"{INDENT}(all else as in state 1)"


def _family(field: str, cells: list[tuple[Cell, str]]) -> list[tuple[str, str]]:
    first = cells[0][1]
    if len(cells) > 1 and all(text == first for _, text in cells):
        return [(f"{field}[*]", first)]
    return [(str(cell), text) for cell, text in cells]


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    listed = list(rows)
    width = max((len(name) for name, _ in listed), default=0)
    return (f"{INDENT}{name:{width}}  {text}" for name, text in listed)
