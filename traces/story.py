"""A run as a story: each step with its action and only what it changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from replicheck.explorer.cells import Cell, Layout
from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Failure, Trace, Violation
from replicheck.traces.changes import changes
from replicheck.traces.notation import note_cell, note_change

INDENT = " " * 6

ENDINGS = {
    Kind.ALWAYS: "State {last} breaks it",
    Kind.STEP: "The step to state {last} breaks it",
    Kind.DEADLOCK: "State {last} has no enabled action",
}


def tell(violation: Violation[Any], sentence: str = "") -> str:
    """Return the story of a violation: the claim, the run, the clause that broke.

    Args:
        violation: as an engine reports it.
        sentence: what the property claims, for a person.
    """
    last = len(violation.trace.states)
    ending = ENDINGS[violation.kind].format(last=last)
    return "\n".join(
        [
            f"VIOLATED {violation.property}: the shortest run has {last} states",
            *([INDENT + sentence] if sentence else []),
            "",
            *_run(violation.trace),
            "",
            f"{ending}: {violation.clause}",
            *_whole(violation.trace.states[-1]),
        ]
    )


def tell_failure(failure: Failure[Any]) -> str:
    """Return the story of a function of the model that raised."""
    last = len(failure.trace.states)
    return "\n".join(
        [
            f"ERROR {failure.function} raised {failure.message}",
            "",
            *_run(failure.trace),
            "",
            f"It was called on state {last}:",
            *_whole(failure.trace.states[-1]),
        ]
    )


def _run(trace: Trace[Any]) -> Iterator[str]:
    layout = Layout.of(trace.start)
    yield f"{1:4}  initial state"
    yield from _whole(trace.start)
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        yield f"{number:4}  {step.label}"
        yield from _table(
            (str(each.cell), note_change(each.old, each.new))
            for each in changes(layout, before, step.state)
        )
        before = step.state


def _whole(state: Any) -> Iterator[str]:
    """Yield every cell; a family whose cells are all alike takes one line."""
    layout = Layout.of(state)
    noted = [
        (cell, note_cell(value))
        for cell, value in zip(layout.cells, layout.values(state), strict=True)
    ]
    rows: list[tuple[str, str]] = []
    for field, group in groupby(noted, key=lambda each: each[0].field):
        rows += _family(field, list(group))
    return _table(rows)


def _family(field: str, cells: list[tuple[Cell, str]]) -> list[tuple[str, str]]:
    first = cells[0][1]
    if len(cells) > 1 and all(text == first for _, text in cells):
        return [(f"{field}[*]", first)]
    return [(str(cell), text) for cell, text in cells]


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    listed = list(rows)
    width = max((len(name) for name, _ in listed), default=0)
    return (f"{INDENT}{name:{width}}  {text}" for name, text in listed)
