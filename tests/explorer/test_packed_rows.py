"""Rows as bits, and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from attrs import define
from hypothesis import given
from hypothesis import strategies as st

from random_models.small_buffers import require_a_difference
from replicheck.explorer.frontier import levels
from replicheck.explorer.native.kernels.arrays import (
    FIELD_BITS,
    WORD_BITS,
    Fields,
    U64Array,
)
from replicheck.explorer.native.packed_rows import (
    RowView,
    fields_for,
    moved_fields,
    pack_rows,
    with_room,
    words_of,
)

SIZES = st.lists(st.integers(0, 2**32), max_size=40)
PART = (1 << FIELD_BITS) - 1


@define
class Numbering:
    """So many values have room, of which the largest are used."""

    capacity: int


def largest(sizes: list[int]) -> npt.NDArray[np.int64]:
    """Two rows: of the largest number of each column, and of zeros."""
    numbers = [max(0, size - 1) for size in sizes]
    return np.array([numbers, [0] * len(sizes)])


def bits(fields: Fields) -> set[int]:
    """The bits of a row that some field has."""
    found = set()
    for field in fields.tolist():
        word, shift, width = field >> 2 * FIELD_BITS, field >> FIELD_BITS & PART, field
        first = word * WORD_BITS + shift
        found |= set(range(first, first + (width & PART)))
    return found


@given(SIZES)
def test_rows_come_back_from_their_bits(sizes: list[int]) -> None:
    """Whatever the domains, no number is cut off and none gets into another."""
    rows = largest(sizes)
    view = RowView(pack_rows(rows, fields_for(sizes)))
    assert (view[:] == rows).all()
    assert (view[0] == rows[0]).all()
    assert (view[np.array([False, True])] == rows[1:]).all()


@given(SIZES)
def test_fields_have_bits_of_their_own(sizes: list[int]) -> None:
    """Each has as many bits as its largest number needs, and no field shares any."""
    fields = fields_for(sizes)
    needed = sum(max(0, size - 1).bit_length() for size in sizes)
    assert len(bits(fields)) == needed
    assert words_of(fields) <= 1 + 2 * needed // WORD_BITS


def test_the_law_fails_where_numbers_stay_at_their_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So it would be noticed if a level had the fields of the one before it."""

    def unmoved(before: Fields, after: Fields) -> U64Array:
        return moved_fields(before, before)

    monkeypatch.setattr(levels, "moved_fields", unmoved)
    require_a_difference()


@given(SIZES, st.data())
def test_rows_get_room_for_more_values(sizes: list[int], data: st.DataObject) -> None:
    """They say the same then, and have the fields for the values that may come."""
    capacities = [data.draw(st.integers(size, 2**32)) for size in sizes]
    rows = largest(sizes)
    widened = with_room(
        pack_rows(rows, fields_for(sizes)),
        [Numbering(capacity) for capacity in capacities],
    )
    assert (RowView(widened)[:] == rows).all()
    assert (widened.fields == fields_for(capacities)).all()
