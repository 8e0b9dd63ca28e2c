"""Values with sequences as one process writes them and another reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.errors import ModelError
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.sequences import sequence_tree
from replicheck.explorer.tables.sequences.prefix_table import PrefixTable
from sequences.tracks import TRACKS, Track

LISTS = st.lists(TRACKS, min_size=1, max_size=12, unique=True)


def dictionary_of(tracks: list[Track]) -> Dictionary:
    """A dictionary that has met some values, and whose tree has to grow for more."""
    dictionary = Dictionary("tracks", Hasher())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequence_tree, "FIRST_ROOM", 1)
        for track in tracks:
            dictionary.number(track)
    return dictionary


def table_of(tracks: list[Track]) -> PrefixTable:
    """The table of some values, all that a process has met."""
    dictionary = dictionary_of(tracks)
    table = dictionary.values_of(np.arange(len(tracks)))
    assert isinstance(table, PrefixTable)
    return table


@given(LISTS, LISTS)
def test_another_process_reads_the_same_values(
    written: list[Track], known: list[Track]
) -> None:
    """Whatever it has met before; each value gets one number, and its own hash."""
    table, reader = table_of(written), dictionary_of(known)
    numbers = reader.numbers_of(table)
    assert [reader.values[number] for number in numbers] == written
    assert len(reader) == len({*known, *written})
    hasher = Hasher()
    expected = [hasher.value(track) for track in written]
    assert reader.hashes[numbers, 0].tolist() == expected
    assert reader.numbers_of(table).tolist() == numbers.tolist()


@given(LISTS)
def test_a_process_that_has_met_nothing(written: list[Track]) -> None:
    """It numbers the values in their order, and nothing else."""
    reader = dictionary_of([])
    table = table_of(written)
    assert reader.numbers_of(table).tolist() == list(range(len(written)))
    assert list(reader.values) == written


@given(LISTS)
def test_each_prefix_is_written_once(written: list[Track]) -> None:
    """However many values begin with it."""
    table = table_of(written)
    prefixes = {
        evolve(track, marks=track.marks[:length])
        for track in written
        for length in range(len(track.marks) + 1)
    }
    assert len(table.starts) + len(table.before) == len(prefixes)
    assert [table.value(place) for place in range(len(table))] == written
    table.require_sound()


def test_some_values_alone() -> None:
    """A process writes those that not all know."""
    tracks = [Track(), Track(marks=(1,)), Track(marks=(1, 2)), Track(marks=(3,))]
    table = dictionary_of(tracks).values_of(np.array([3, 1]))
    assert isinstance(table, PrefixTable)
    assert [table.value(0), table.value(1)] == [tracks[3], tracks[1]]


def test_a_process_that_knows_values_without_their_places() -> None:
    """One element equals another without being the same: no tree has a place for it."""
    reader = dictionary_of([Track(), Track(marks=(1,)), Track(marks=(True, 2))])
    assert reader.tree is None
    written = [Track(marks=(2, 3)), Track()]
    numbers = reader.numbers_of(table_of(written)).tolist()
    assert [reader.values[number] for number in numbers] == written


def test_a_table_for_which_a_tree_has_no_place() -> None:
    """The reader knows its values by themselves from then on, under their numbers."""
    known = [Track(marks=(1,)), Track(marks=(2,))]
    reader = dictionary_of(known)
    written = [Track(marks=(True, 2))]
    assert reader.numbers_of(table_of(written)).tolist() == [2]
    assert reader.tree is None
    assert list(reader.values) == [*known, *written]
    with pytest.raises(ModelError, match="equal in Python and yet two values"):
        reader.numbers_of(table_of([Track(marks=(1, 2))]))


@pytest.mark.parametrize(
    ("part", "numbers"),
    [
        ("before", [0, 2, 1]),
        ("before", [-1, 0, 1]),
        ("lasts", [0, 1, 9]),
        ("lasts", [-1, 0, 0]),
        ("values", [4]),
        ("values", [-1]),
    ],
)
def test_rows_that_are_no_earlier_ones(part: str, numbers: list[int]) -> None:
    """They are refused before anything is made of them."""
    table = table_of([Track(marks=(5, 6, 7))])
    assert len(table.before) == 3
    table.require_sound()
    wrong: dict[str, Any] = {part: np.array(numbers, np.int32)}
    with pytest.raises(ValueError, match="no row before it"):
        evolve(table, **wrong).require_sound()


def test_a_first_row_that_has_elements() -> None:
    """A first row is a value without any."""
    table = table_of([Track(marks=(5,))])
    with pytest.raises(ValueError, match="a first row has elements in marks"):
        evolve(table, starts=(Track(marks=(1,)),)).require_sound()
