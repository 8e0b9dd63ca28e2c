"""Runs of a function and the leaves that they end in, as `tables` draws them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from replicheck.explorer.native.kernels.arrays import RAISED, RAISES, Numbers
from replicheck.explorer.proxies.calls import Call
from replicheck.explorer.tables.evaluator import Evaluator
from replicheck.explorer.tables.tables import Tables


@frozen
class RecordedRun:
    """What one run of a function read, in order, and what came of it."""

    reads: tuple[tuple[int, int], ...]
    """Views, each with the number of its answer."""
    leaf: tuple[int, ...] | None
    """The leaf as `tables` draws it, or None where the function is disabled."""
    relied: tuple[tuple[int, Call], ...] = ()
    """Questions of split sets whose answers rest on which elements are shown.

    Each with the first column of the set; see `Elements.rely`.
    """
    for_premises: tuple[tuple[int, str], ...] = ()
    """The views of which only the premise of a claim depends, each with the claim."""


@frozen
class LeafStep:
    """One step of a leaf: which one, what it breaks and what it writes."""

    number: int
    broken: int
    writes: tuple[tuple[int, int], ...]
    """Columns, each with the number of a value or -1 - an operation."""


def steps_of(leaf: Sequence[int] | Numbers) -> Iterator[LeafStep]:
    """Yield the steps of a leaf; of a note none."""
    at = 1
    for _ in range(leaf[0]):
        step = step_at(leaf, at)
        yield step
        at += 3 + 2 * len(step.writes)


def step_at(leaves: Sequence[int] | Numbers, place: int) -> LeafStep:
    """The step that begins at a place among leaves."""
    number, broken, writes = (int(word) for word in leaves[place : place + 3])
    begin = place + 3
    pairs = (
        (int(leaves[at]), int(leaves[at + 1]))
        for at in range(begin, begin + 2 * writes, 2)
    )
    return LeafStep(number, broken, tuple(pairs))


def rows_after(
    evaluator: Evaluator, row: Sequence[int], leaf: Sequence[int] | Numbers
) -> list[tuple[int, ...]]:
    """The rows to which the steps of a leaf lead from a row.

    Raises:
        ArithmeticError: if an operation raises.
    """
    return [row_after(evaluator, row, step) for step in steps_of(leaf)]


def row_after(
    evaluator: Evaluator, row: Sequence[int], step: LeafStep
) -> tuple[int, ...]:
    """The row to which a step leads from a row.

    Raises:
        ArithmeticError: if an operation raises.
    """
    after = list(row)
    for column, code in step.writes:
        after[column] = code if code >= 0 else _applied(evaluator, code, row[column])
    return tuple(after)


def _applied(evaluator: Evaluator, code: int, value: int) -> int:
    number = evaluator.operation(evaluator.tables.operations[-1 - code], value)
    if number == RAISES:
        raise ArithmeticError
    return number


def describe_run(tables: Tables, run: RecordedRun) -> str:
    """Text of what a run read and what came of it."""
    reads = [_query_name(tables, query) for query, _ in run.reads]
    return f"{', '.join(reads) or 'nothing'} ({_outcome(tables, run)})"


def _outcome(tables: Tables, run: RecordedRun) -> str:
    if run.leaf is None:
        return "and told nothing"
    if run.leaf[0] < 0:
        return "and raised" if run.leaf[0] == RAISED else "and had something to tell"
    steps = (
        ", ".join(_write(tables, column, code) for column, code in step.writes)
        for step in steps_of(run.leaf)
    )
    return f"and led to {', '.join(f'[{writes}]' for writes in steps)}"


def _query_name(tables: Tables, query: int) -> str:
    column, lookup = tables.queries[query]
    return f"{tables.layout.cells[column]}{lookup}"


def _write(tables: Tables, column: int, code: int) -> str:
    cell = tables.layout.cells[column]
    if code >= 0:
        return f"{cell} = {tables.dictionaries[column].values[code]!r}"
    return f"{cell} = {cell}{tables.operations[-1 - code]}"
