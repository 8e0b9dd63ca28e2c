"""What each action reads and writes, for ``replicheck show --dependencies``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape

from replicheck.cli.console.errors import BrokenContract
from replicheck.cli.results.result import require_uninterrupted
from replicheck.cli.tasks.engines import ENGINES
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import Limits, Search
from replicheck.explorer.errors import ModelError
from replicheck.explorer.learning.read_write_sets import matrix
from replicheck.explorer.report import Report, Verdict
from replicheck.explorer.statistics import Dependencies

Matrix = Mapping[str, Mapping[str, str]]

LEGEND = "r reads, w writes, rw both; an operation on a cell reads and writes it"
FILLS = {"r": "#cfe2f3", "w": "#f9cb9c", "rw": "#b4a7d6"}
CELL = 26
"""Pixels of a side of a square."""
LETTER = 7.5
"""Pixels of a letter."""


def learn_dependencies(task: Task, states: int | None) -> Report[object]:
    """Search without any property, so that all is learned of the actions alone.

    Raises:
        BrokenContract: if the model breaks the contract.
    """
    engine = ENGINES[task.engine].make(task.settings, None)
    try:
        report = engine.explore(task.model, (), Search(Limits(states=states)))
        return require_uninterrupted(report)
    except ModelError as error:
        raise BrokenContract(str(error)) from error


def _dependencies(report: Report[object]) -> Dependencies:
    """The dependencies of a report, none if its engine knows none."""
    return report.statistics.dependencies or {}


def text_of(title: str, report: Report[object]) -> str:
    """The matrix as text: a row for each action, a column for each family."""
    rows = matrix(_dependencies(report))
    columns = _columns(rows)
    left = max(len(action) for action in rows)
    head = " ".join(columns)
    lines = [title, "", f"{'':{left}} {head}".rstrip()]
    for action, touched in rows.items():
        letters = " ".join(
            f"{touched.get(column, '.'):^{len(column)}}" for column in columns
        )
        lines.append(f"{action:{left}} {letters}".rstrip())
    return "\n".join([*lines, "", LEGEND, coverage(report)]) + "\n"


def json_of(task: Task, report: Report[object]) -> str:
    """The sets of cells as a JSON document."""
    whole = {
        "scenario": task.scenario.name,
        "protocol": task.scenario.protocol,
        "reductions": list(task.scenario.reductions),
        "bounds": dict(task.scenario.bounds),
        "states": report.states,
        "exhausted": report.verdict is Verdict.HOLDS,
        "dependencies": _dependencies(report),
    }
    return json.dumps(whole, indent=2) + "\n"


def coverage(report: Report[object]) -> str:
    """Coverage of the search from which this was learned."""
    if report.verdict is Verdict.HOLDS:
        return f"learned from all {report.states:,} states"
    return (
        f"learned from {report.states:,} states, not all: an action may read and write"
        " more"
    )


def picture_of(title: str, report: Report[object]) -> str:
    """The matrix as an SVG picture that needs no other file."""
    rows = matrix(_dependencies(report))
    columns = _columns(rows)
    left = LETTER * max(map(len, rows)) + 20
    top = LETTER * max(map(len, columns), default=0) + 50
    notes = (LEGEND, coverage(report))
    across = LETTER * max(len(title), *map(len, notes)) + 20
    width = max(left + CELL * len(columns) + 20, across)
    height = top + CELL * len(rows) + 60
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}"'
        f' height="{height:g}" font-family="monospace" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(10, 20, title),
        *_heads(columns, left, top),
        *_squares(rows, columns, left, top),
        *(
            _text(10, top + CELL * len(rows) + 24 + 18 * number, note)
            for number, note in enumerate(notes)
        ),
        "</svg>",
    ]
    return "\n".join(body) + "\n"


def _columns(rows: Matrix) -> list[str]:
    return sorted({family for touched in rows.values() for family in touched})


def _heads(columns: list[str], left: float, top: float) -> Iterator[str]:
    for number, column in enumerate(columns):
        x = left + CELL * (number + 0.65)
        yield _text(x, top - 8, column, f' transform="rotate(-90 {x:g} {top - 8:g})"')


def _squares(
    rows: Matrix, columns: list[str], left: float, top: float
) -> Iterator[str]:
    for down, (action, touched) in enumerate(rows.items()):
        y = top + CELL * down
        yield _text(10, y + 17, action)
        for across, column in enumerate(columns):
            x, letters = left + CELL * across, touched.get(column, "")
            yield (
                f'<rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}"'
                f' fill="{FILLS.get(letters, "white")}" stroke="#999"/>'
            )
            if letters:
                middle = ' text-anchor="middle"'
                yield _text(x + CELL / 2, y + 17, letters, middle)


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}"{more}>{escape(text)}</text>'
