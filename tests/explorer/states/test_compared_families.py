"""A step property may ask by `is` whether a step left a whole family alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import pytest
from attrs import frozen

from random_sets.splits import Columns, split_whatever_reads
from replicheck.explorer.engine import Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.engines.reference.numpy_walk import NumpyWalk
from replicheck.explorer.properties import every_step
from replicheck.explorer.report import Report
from replicheck.model.state_base import Cells
from toys import Toy

ENGINES = (
    NumpyWalk(),
    BreadthFirst(threads=1),
    BreadthFirst(threads=1, sample=1, name="thorough"),
    Partitioned(),
)
EXHAUSTED = Search(stop=Stop.EXHAUSTED)


class GridRow(int):
    """A row of the grid."""


@frozen
class MarkedBoard(Cells):
    """A family, one of families, and one of sets."""

    marks: tuple[int, ...] = (0, 0)
    grid: tuple[tuple[int, ...], ...] = ((0, 0), (0, 0))
    bags: tuple[frozenset[int], ...] = (frozenset(), frozenset())
    moves: int = 0


def write_again(state: MarkedBoard, row: GridRow) -> Iterator[MarkedBoard]:
    """Write what is there, or was at first: that mostly changes nothing."""
    if state.moves < 2:
        moves = state.moves + 1
        yield state.evolve(marks={0: 0, 1: 0}, moves=moves)
        yield state.evolve(grid={row: (0, 0)}, moves=moves)
        yield state.evolve(grid={0: (0, 0), 1: (0, 0)}, bags={row: frozenset()})


def mark(state: MarkedBoard, row: GridRow) -> Iterator[MarkedBoard]:
    """Mark one of the family, and all of a row."""
    if state.moves < 2:
        yield state.evolve(marks={row: 1}, moves=state.moves + 1)
        yield state.evolve(grid={row: (1, 1)}, marks={row: state.marks[0]})


def put(state: MarkedBoard, row: GridRow) -> Iterator[MarkedBoard]:
    """Put what was moved into a bag."""
    yield state.evolve(bags={row: state.bags[row] | {state.moves}})


MODEL = Toy(
    (write_again, mark, put), (MarkedBoard(),), (), {GridRow: (GridRow(0), GridRow(1))}
)


def marks_stay(before: MarkedBoard, after: MarkedBoard) -> bool:
    """A family is asked first."""
    if after.marks is before.marks:
        return True
    return after.moves < 2


def no_mark_changes(before: MarkedBoard, after: MarkedBoard) -> bool:
    """Whatever changes one breaks it."""
    return after.marks is before.marks


def a_row_stays(before: MarkedBoard, after: MarkedBoard, row: GridRow) -> bool:
    """A family within another one is asked."""
    if after.grid[row] is before.grid[row]:
        return True
    return after.moves < 2 or after.grid[row][0] != after.grid[row][1]


def the_grid_stays(before: MarkedBoard, after: MarkedBoard) -> bool:
    """A family of families is asked, then one of its cells."""
    if after.grid is before.grid:
        return True
    return after.grid[0][1] is before.grid[0][1]


def both_or_none(before: MarkedBoard, after: MarkedBoard) -> bool:
    """Two families are asked: it holds where none changes, and where both do."""
    return (after.grid is before.grid) == (after.marks is before.marks)


def is_alike(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether two families are one object."""
    return first is second


def asked_elsewhere(before: MarkedBoard, after: MarkedBoard) -> bool:
    """The text of the claim says nothing of it."""
    if is_alike(after.marks, before.marks):
        return True
    return after.marks[0] is before.marks[0]


def bags_stay(before: MarkedBoard, after: MarkedBoard) -> bool:
    """A family of sets is asked, which may be split."""
    if after.bags is before.bags:
        return True
    return len(after.bags[0]) < 2


def a_part_is_another_object(before: MarkedBoard, after: MarkedBoard) -> bool:
    """A part of a family is made anew, but for the whole."""
    if after.marks[:] is not before.marks[:]:
        return True
    return after.marks[:1] is not before.marks[:1]


PREDICATES: list[Callable[..., bool]] = [
    marks_stay,
    no_mark_changes,
    a_row_stays,
    the_grid_stays,
    both_or_none,
    asked_elsewhere,
    bags_stay,
    a_part_is_another_object,
]


def premises(report: Report[Any]) -> dict[str, bool]:
    """Which claims had to claim anything."""
    assert report.statistics.coverage is not None
    return dict(report.statistics.coverage.premises)


def require_agreement(engine: Any, predicate: Callable[..., bool]) -> Report[Any]:
    """Compare a search with that of the naive engine, premises included."""
    claims = [every_step(predicate)]
    expected = Naive().explore(MODEL, claims, EXHAUSTED)
    found: Report[Any] = engine.explore(MODEL, claims, EXHAUSTED)
    assert found == expected
    assert premises(found) == premises(expected)
    return found


@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.parametrize("engine", ENGINES, ids=attrgetter("name"))
def test_a_family_is_one_object_if_its_cells_are(
    engine: Any, predicate: Callable[..., bool]
) -> None:
    """Whatever a step wrote to them, and wherever that is asked."""
    require_agreement(engine, predicate)


@pytest.mark.parametrize("predicate", PREDICATES)
@pytest.mark.parametrize("is_counted", [False, True])
def test_so_is_a_family_of_split_sets(
    predicate: Callable[..., bool], is_counted: bool
) -> None:
    """Each of them has a column for each of its elements."""
    with split_whatever_reads(Columns(5, is_counted)):
        report = require_agreement(BreadthFirst(threads=1, crowded=2), predicate)
    measured = report.statistics.breadth_first
    assert measured is not None
    assert measured.split


@pytest.mark.parametrize("stays", [marks_stay, asked_elsewhere])
def test_it_is_asked_only_in_steps_that_write_the_family(
    stays: Callable[..., bool],
) -> None:
    """Actions that leave it alone are learned by what they read themselves."""
    report = BreadthFirst(threads=1).explore(MODEL, [every_step(stays)], EXHAUSTED)
    measured = report.statistics.breadth_first
    assert measured is not None
    assert not measured.functions["put"].judged
