"""Trees of sequences: nodes stand for values, however many there are."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.native.kernels.arrays import UNKNOWN
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.sequences import sequence_tree
from replicheck.explorer.tables.sequences.sequence_tree import SequenceTree
from sequences.tracks import TRACKS, Track

FILLED = TRACKS.filter(lambda track: len(track.marks) > 0)


def small_tree() -> SequenceTree:
    """A tree that has room for one node, and one more value each time it grows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequence_tree, "FIRST_ROOM", 1)
        tree = SequenceTree.of(Track(), Hasher())
    assert tree is not None
    return tree


def nodes_of(
    tree: SequenceTree, tracks: list[Track]
) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """The nodes of some values."""
    numbers = np.array([tree.number(track) for track in tracks])
    return tree.nodes_of(numbers)


@given(st.lists(TRACKS, min_size=1))
def test_values_have_numbers_as_in_a_dictionary(tracks: list[Track]) -> None:
    """The first value has the first number, and each has its own hash and head."""
    tree, expected = small_tree(), dict[Track, int]()
    for track in tracks:
        number = expected.setdefault(track, len(expected))
        assert tree.number(track) == number
    assert [tree.value(number) for number in range(len(tree))] == list(expected)
    assert tree.hashes(0).tolist() == [Hasher().value(track) for track in expected]
    heads = tree.heads_of(np.arange(len(tree))).tolist()
    begins = [evolve(track, marks=track.marks[:1]) for track in expected]
    assert len(set(zip(begins, heads, strict=True))) == len(set(begins))
    assert len(set(heads)) == len(set(begins))


@given(st.lists(FILLED, min_size=1), st.lists(st.integers(0, 3), max_size=3))
def test_many_values_get_longer_at_once(tracks: list[Track], more: list[int]) -> None:
    """Each has the elements at its end."""
    tree = small_tree()
    nodes = nodes_of(tree, tracks)
    elements = tree.elements(tree.node_of(tree.number(Track(marks=tuple(more)))))
    numbers = tree.append(nodes, elements).tolist()
    assert [tree.value(number) for number in numbers] == [
        evolve(track, marks=(*track.marks, *more)) for track in tracks
    ]


@given(st.lists(FILLED, min_size=1), TRACKS, st.booleans())
def test_many_values_have_another_head_at_once(
    tracks: list[Track], head: Track, some_are_known: bool
) -> None:
    """What is behind the first element stays, whatever becomes of that."""
    tree = small_tree()
    nodes = nodes_of(tree, tracks)
    after = tree.number(head)
    after_heads = np.full(len(tracks), tree.node_of(after), np.int32)
    known = np.full(len(tree), UNKNOWN, np.int32)
    if some_are_known:
        for number in range(len(known)):
            track = tree.value(number)
            if track.marks:
                known[number] = tree.number(
                    evolve(head, marks=(*head.marks, *track.marks[1:]))
                )
    numbers = tree.replace_heads(nodes, after_heads, known).tolist()
    assert [tree.value(number) for number in numbers] == [
        evolve(head, marks=(*head.marks, *track.marks[1:])) for track in tracks
    ]
