"""A run as a story: each step with its action and only what it changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Failure, Step, Trace, Violation
from replicheck.explorer.states.layout import Cell, Layout
from replicheck.traces.describer import Describer
from replicheck.traces.log_strips import drawn
from replicheck.traces.printable_text import printable, printable_line
from replicheck.traces.record_history import ledger
from replicheck.traces.state_diff import Change, changes
from replicheck.traces.value_text import (
    note_cell,
    note_change,
    note_without_defaults,
)

INDENT = " " * 6

ENDINGS = {
    Kind.ALWAYS: "State {last} breaks it",
    Kind.STEP: "The step to state {last} breaks it",
    Kind.DEADLOCK: "State {last} has no enabled action",
}


def tell(
    violation: Violation[Any],
    sentence: str = "",
    describer: Describer | None = None,
    run: str = "the shortest run",
) -> str:
    """The story of a violation: the claim, the run, the clause that broke.

    Args:
        violation: as an engine reports it.
        sentence: what the property claims, for a person.
        describer: says what the cells mean; without it the story has no rules, no
            messages, no log strips and no record history.
        run: what is known of the length of the run.
    """
    last = len(violation.trace.states)
    ending = ENDINGS[violation.kind].format(last=last)
    return _text(
        [
            f"VIOLATED {violation.property}: {run} has {last} states",
            *([INDENT + sentence] if sentence else []),
            *_faults(violation.trace, describer),
            "",
            *tell_run(violation.trace, describer),
            "",
            f"{ending}: {printable_line(violation.clause)}",
            *_end(violation.trace),
            *_epilogue(violation.trace, describer),
        ]
    )


def tell_failure(failure: Failure[Any], describer: Describer | None = None) -> str:
    """The story of a function of the model that raised."""
    last = len(failure.trace.states)
    return _text(
        [
            f"ERROR {failure.function} raised {printable_line(failure.message)}",
            "",
            *tell_run(failure.trace, describer),
            "",
            f"It was called on state {last}:",
            *_end(failure.trace),
            *_epilogue(failure.trace, describer),
        ]
    )


def _text(lines: Iterable[str]) -> str:
    return printable("\n".join(lines))


def tell_run(trace: Trace[Any], describer: Describer | None = None) -> Iterator[str]:
    """Yield the lines of a run: the first state, then each step with its changes."""
    layout = Layout.of(trace.start)
    yield f"{1:4}  initial state"
    yield from _whole(trace.start)
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        changed = changes(layout, before, step.state)
        mark = "FAULT " if _is_fault(step, before, describer) else ""
        yield f"{number:4}  {mark}{step.label}"
        yield from _remarks(step, changed, describer)
        yield from _table(
            (str(change.cell), note_change(change.old, change.new))
            for change in changed
        )
        before = step.state


def tell_steps(trace: Trace[Any], describer: Describer) -> Iterator[str]:
    """Yield the lines of a run without its states: each step, and who told whom."""
    layout = Layout.of(trace.start)
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        yield f"{number:4}  {step.label}"
        yield from _remarks(step, changes(layout, before, step.state), describer)
        before = step.state


def _faults(trace: Trace[Any], describer: Describer | None) -> Iterator[str]:
    """Yield a line with the faults of a run, each with the number of its state."""
    if describer is None:
        return
    states = trace.states
    found = [
        f"{number} {step.label}"
        for number, step in enumerate(trace.steps, start=2)
        if _is_fault(step, states[number - 2], describer)
    ]
    yield f"{INDENT}Faults: {', '.join(found) or 'none'}"


def _is_fault(step: Step[Any], before: Any, describer: Describer | None) -> bool:
    if describer is None:
        return False
    return describer.is_fault(step.action, before, step.state)


def _remarks(
    step: Step[Any], changed: Sequence[Change], describer: Describer | None
) -> Iterator[str]:
    """Yield what the action does, who told whom, and the rules that it follows."""
    if describer is None:
        return
    sentence = describer.sentence(step.action)
    if sentence:
        yield INDENT + sentence
    cells = [str(change.cell) for change in changed]
    told = describer.messages(step.action, step.arguments, cells)
    remarks = [f"{message.source} -> {message.target}" for message in told]
    remarks += [", ".join(describer.rules(step.action))]
    if any(remarks):
        yield f"{INDENT}({'; '.join(filter(None, remarks))})"


def _epilogue(trace: Trace[Any], describer: Describer | None) -> Iterator[str]:
    """Yield the logs of the last state, and what became of each record."""
    if describer is None:
        return
    strips = describer.strips(trace.states[-1])
    entries = ledger(trace, describer)
    if entries:
        yield "Logs (e: epoch, ^: high watermark):"
        yield from (INDENT + line for line in drawn(strips))
        yield "Records:"
        yield from (f"{INDENT}{entry}" for entry in entries)


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


def _end(trace: Trace[Any]) -> Iterator[str]:
    """Yield the cells of the last state that differ from the first."""
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
