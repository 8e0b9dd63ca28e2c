"""Cells of a family within another, written one by one or all of one by a tuple."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attrs import frozen

import toys
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError
from replicheck.model.protocol import Action
from replicheck.model.state_base import Cells


@frozen
class Board(Cells):
    """Two rows of two numbers."""

    rows: tuple[tuple[int, ...], ...] = ((0, 0), (0, 0))


def raise_a_number(board: Board) -> Iterator[Board]:
    """Name the cell."""
    for row in range(2):
        number = board.rows[row][1]
        if number < 2:
            yield board.evolve(rows={(row, 1): number + 1})


def write_a_row(board: Board) -> Iterator[Board]:
    """Give all its cells, one of them as another row has it."""
    if board.rows[0][1] == 2:
        yield board.evolve(rows={1: (1, board.rows[0][0])})


def copy_a_row(board: Board) -> Iterator[Board]:
    """Give it as the state has it."""
    if board.rows[1][1] == 1:
        yield board.evolve(rows={0: board.rows[1]})


def write_by_index(board: Board) -> Iterator[Board]:
    """Name a row, and then its cells, in any order."""
    if board.rows[0][0] == 0:
        yield board.evolve(rows={1: {1: 2, 0: board.rows[0][1]}, (0, 0): 1})


def shorten_a_row(board: Board) -> Iterator[Board]:
    """Give one of its two cells."""
    yield board.evolve(rows={0: (1,)})


def lengthen_a_row(board: Board) -> Iterator[Board]:
    """Give a cell that it does not have."""
    yield board.evolve(rows={0: (1, 1, 1)})


def name_no_cell(board: Board) -> Iterator[Board]:
    """Give a row a cell that it does not have, by its index."""
    yield board.evolve(rows={0: {5: 1}})


def write_no_row(board: Board) -> Iterator[Board]:
    """Give nothing to a row that there is not."""
    yield board.evolve(rows={7: ()})


def test_a_mapping_writes_cells_of_a_row() -> None:
    """As it does in a plain state, beside other ways to name a cell."""
    model = toys.Toy((raise_a_number, write_by_index), (Board(),))
    expected = Naive().explore(model, ())
    assert BreadthFirst().explore(model, ()) == expected
    assert expected.states == 15


def test_a_tuple_writes_every_cell_of_a_row() -> None:
    """As it does in a plain state."""
    model = toys.Toy((raise_a_number, write_a_row, copy_a_row), (Board(),))
    expected = Naive().explore(model, ())
    found = BreadthFirst().explore(model, ())
    assert found == expected
    assert expected.states == 16


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (shorten_a_row, r"gives rows\[0\] too few values"),
        (write_no_row, r"names rows\[7\], and no state has it"),
        (name_no_cell, r"names rows\[0\]\[5\], and no state has it: `rows` has rows"),
        (lengthen_a_row, r"names rows\[0\]\[2\], and no state has it: `rows` has rows"),
    ],
)
def test_a_row_keeps_its_length(action: Action, told: str) -> None:
    """A longer one and a shorter one are refused, and one that there is not."""
    with pytest.raises(ModelError, match=told):
        BreadthFirst().explore(toys.Toy((action,), (Board(),)), ())
