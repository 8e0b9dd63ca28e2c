"""Values with sequences as one process writes them and another reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.errors import ModelError
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.sequences.prefix_table import PrefixTable


@frozen
class Route:
    """A sequence between two other fields."""

    SEQUENCE = "marks"
    AT_END = frozenset({"append"})

    name: object = ""
    marks: tuple[object, ...] = ()
    is_open: bool = False


ROUTES = st.builds(
    Route,
    st.sampled_from(["", "a"]),
    st.lists(st.integers(0, 3), max_size=6).map(tuple),
    st.booleans(),
)
LISTS = st.lists(ROUTES, min_size=1, max_size=12, unique=True)


def dictionary_of(routes: list[Route]) -> Dictionary:
    """A dictionary that has met some values, in this order."""
    dictionary = Dictionary("routes", Hasher(), ())
    for route in routes:
        dictionary.number(route)
    return dictionary


def table_of(routes: list[Route]) -> PrefixTable:
    """The table of some values, all that a process has met."""
    dictionary = dictionary_of(routes)
    table = dictionary.values_of(np.arange(len(routes)))
    assert isinstance(table, PrefixTable)
    return table


@given(LISTS, LISTS)
def test_another_process_reads_the_same_values(
    written: list[Route], known: list[Route]
) -> None:
    """Whatever it has met before; each value gets one number, and its own hash."""
    table, reader = table_of(written), dictionary_of(known)
    numbers = reader.numbers_of(table)
    assert [reader.values[number] for number in numbers] == written
    assert len(reader) == len({*known, *written})
    hasher = Hasher()
    expected = [hasher.value(route) for route in written]
    assert reader.hashes[numbers, 0].tolist() == expected
    assert reader.numbers_of(table).tolist() == numbers.tolist()


@given(LISTS)
def test_a_process_that_has_met_nothing(written: list[Route]) -> None:
    """It numbers the values in their order, and nothing else."""
    reader = dictionary_of([])
    table = table_of(written)
    assert reader.numbers_of(table).tolist() == list(range(len(written)))
    assert list(reader.values) == written


@given(LISTS)
def test_each_prefix_is_written_once(written: list[Route]) -> None:
    """However many values begin with it."""
    table = table_of(written)
    prefixes = {
        evolve(route, marks=route.marks[:length])
        for route in written
        for length in range(len(route.marks) + 1)
    }
    assert len(table.starts) + len(table.before) == len(prefixes)
    assert [table.value(place) for place in range(len(table))] == written
    table.require_sound()


def test_some_values_alone() -> None:
    """A process writes those that not all know."""
    routes = [Route(), Route(marks=(1,)), Route(marks=(1, 2)), Route(marks=(3,))]
    table = dictionary_of(routes).values_of(np.array([3, 1]))
    assert isinstance(table, PrefixTable)
    assert [table.value(0), table.value(1)] == [routes[3], routes[1]]


def test_a_process_that_knows_values_without_their_places() -> None:
    """One element equals another without being the same: no tree has a place for it."""
    reader = dictionary_of([Route(), Route(marks=(1,)), Route(marks=(True, 2))])
    assert reader.tree is None
    written = [Route(marks=(2, 3)), Route()]
    numbers = reader.numbers_of(table_of(written)).tolist()
    assert [reader.values[number] for number in numbers] == written


def test_a_table_for_which_a_tree_has_no_place() -> None:
    """The reader knows its values by themselves from then on, under their numbers."""
    known = [Route(marks=(1,)), Route(marks=(2,))]
    reader = dictionary_of(known)
    written = [Route(marks=(True, 2))]
    assert reader.numbers_of(table_of(written)).tolist() == [2]
    assert reader.tree is None
    assert list(reader.values) == [*known, *written]
    with pytest.raises(ModelError, match="equal in Python and yet two values"):
        reader.numbers_of(table_of([Route(marks=(1, 2))]))


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
    table = table_of([Route(marks=(5, 6, 7))])
    assert len(table.before) == 3
    table.require_sound()
    wrong: dict[str, Any] = {part: np.array(numbers, np.int32)}
    with pytest.raises(ValueError, match="no row before it"):
        evolve(table, **wrong).require_sound()


def test_a_first_row_that_has_elements() -> None:
    """A first row is a value without any."""
    table = table_of([Route(marks=(5,))])
    with pytest.raises(ValueError, match="a first row has elements in marks"):
        evolve(table, starts=(Route(marks=(1,)),)).require_sound()
