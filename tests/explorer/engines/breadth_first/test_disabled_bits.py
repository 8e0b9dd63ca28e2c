"""Bits of disabled instances: their places, and which instances levels have bits of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import toys
from random_models.small_buffers import require_a_difference
from replicheck.explorer.frontier import levels
from replicheck.explorer.frontier.bit_choice import bits_of_walks
from replicheck.explorer.frontier.expander import Expander
from replicheck.explorer.frontier.levels import first_level
from replicheck.explorer.learning.learner import Learner
from replicheck.explorer.native import disabled_bits
from replicheck.explorer.native.bit_runs import move_runs
from replicheck.explorer.native.disabled_bits import (
    NO_PLACE,
    bits_at,
    bits_of_all,
    moved_bits,
    sets_of_bits,
    width_of,
)
from replicheck.explorer.native.kernels.arrays import DisabledBits, U64Array
from replicheck.explorer.native.packed_rows import fields_of
from replicheck.explorer.runtime.thread_pool import ThreadPool

INSTANCES = 100


@st.composite
def places(draw: st.DrawFn) -> list[int]:
    """Places of some instances, in any order, with gaps between them."""
    free = draw(st.permutations(range(2 * INSTANCES)))
    kept = draw(st.lists(st.booleans(), min_size=INSTANCES, max_size=INSTANCES))
    in_order = draw(st.booleans())
    taken = sorted(free[:INSTANCES]) if in_order else free[:INSTANCES]
    return [
        place if has_bit else NO_PLACE
        for place, has_bit in zip(taken, kept, strict=True)
    ]


def set_of(members: set[int], size: int) -> U64Array:
    """A bit set as one line of words."""
    bits = np.zeros(-(-size // 64) * 64, np.uint8)
    bits[sorted(members)] = 1
    return np.packbits(bits, bitorder="little").view(np.uint64)[np.newaxis]


@given(places(), st.sets(st.integers(0, INSTANCES - 1)))
def test_a_bit_is_where_its_place_says(places: list[int], members: set[int]) -> None:
    """A set of instances becomes the set of their places."""
    bits = bits_at(np.array(places, np.int32))
    found = sets_of_bits(bits, set_of(members, INSTANCES))
    expected = {places[instance] for instance in members} - {NO_PLACE}
    assert width_of(bits) == max(places) // 64 + 1
    assert found.tolist() == set_of(expected, 64 * width_of(bits)).tolist()


@given(st.sets(st.integers(0, INSTANCES - 1)))
def test_where_all_have_a_bit_sets_are_as_they_are(members: set[int]) -> None:
    """Then a run is a whole word."""
    bits, members_set = bits_of_all(INSTANCES), set_of(members, INSTANCES)
    assert sets_of_bits(bits, members_set).tolist() == members_set.tolist()
    assert len(bits.runs) == width_of(bits) == 2


@given(places(), places(), st.sets(st.integers(0, INSTANCES - 1)))
def test_bits_move_to_their_new_places(
    old: list[int], new: list[int], members: set[int]
) -> None:
    """What has no bit before or after is not known after."""
    before, after = (bits_at(np.array(places, np.int32)) for places in (old, new))
    line = sets_of_bits(before, set_of(members, INSTANCES))
    found = move_runs(line, moved_bits(before, after), width_of(after))
    both = {i for i in members if old[i] >= 0 and new[i] >= 0}
    expected = sets_of_bits(after, set_of(both, INSTANCES))
    assert found.tolist() == expected.tolist()


def walks(of_instance: dict[int, float]) -> npt.NDArray[np.float64]:
    """How many walks find each instance disabled in a state."""
    return np.array([of_instance.get(i, 0.0) for i in range(INSTANCES)])


def instances_of(bits: DisabledBits) -> set[int]:
    """The instances that have a bit."""
    return set(np.flatnonzero(bits.places >= 0).tolist())


def test_the_instances_that_spare_the_most_walks_have_bits() -> None:
    """Here a second word would spare a tenth of a walk, which is less than it costs."""
    often = dict.fromkeys(range(0, INSTANCES, 2), 0.5)
    seldom = dict.fromkeys(range(1, INSTANCES, 2), 0.0025)
    found = instances_of(bits_of_walks(walks({**often, **seldom})))
    assert found == {*often, *range(1, 29, 2)}


def test_a_word_that_spares_few_walks_is_not_there() -> None:
    """A hundredth of a walk in a state costs less than a word."""
    assert instances_of(bits_of_walks(walks({3: 0.01}))) == set()


def test_instances_between_others_have_the_bits_that_are_left() -> None:
    """The smallest gaps are closed first, so that there are few runs."""
    bits = bits_of_walks(walks({0: 1, 2: 1, 3: 1, 90: 1}))
    assert instances_of(bits) == {0, 1, 2, 3, 90}
    assert len(bits.runs) == 2


def test_the_law_fails_where_what_a_step_enables_is_taken_for_disabled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So it would be noticed if a state inherited what its step may have changed."""

    def no_readers(bits: DisabledBits, sets: U64Array) -> U64Array:
        return np.zeros_like(disabled_bits.sets_of_bits(bits, sets))

    monkeypatch.setattr(levels, "sets_of_bits", no_readers)
    require_a_difference()


def test_the_law_fails_where_bits_stay_at_their_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So it would be noticed if one instance had the bit of another."""

    def unmoved(before: DisabledBits, after: DisabledBits) -> U64Array:
        return disabled_bits.moved_bits(before, before)[: width_of(after)]

    monkeypatch.setattr(levels, "moved_bits", unmoved)
    require_a_difference()


def test_bits_are_chosen_anew_when_half_as_many_states_again_are_expanded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Questions were closed since, so masks tell what walks had to find out."""
    learner = Learner(toys.counter(), ())
    chosen = Expander(learner, ThreadPool(1))
    bits, all_words = learner.tables.bits_of_all, np.zeros(1, np.uint64)
    fields = fields_of(learner.dictionaries)
    level = first_level([(0,)] * 4, [1, 2, 3, 4], bits, fields)
    monkeypatch.setattr(chosen, "_bits_due_at", 8)
    found = [
        chosen.bits_after(4, lambda: level, all_words, all_words) for _ in range(4)
    ]
    assert found[0] is bits
    assert found[1] is not bits
    assert found[2] is not found[1]
    assert found[3] is found[2]
