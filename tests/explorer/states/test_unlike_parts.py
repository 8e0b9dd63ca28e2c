"""What is refused as equal and yet unlike is told by the part that differs."""

from __future__ import annotations

import pytest
from attrs import field, frozen

from replicheck.explorer.states.exact_equality import distinction, unlike_values


class Seat(int):
    """A number that looks like any other."""


@frozen
class VoteOf:
    """A vote of an epoch, and a remark that `==` of attrs does not compare."""

    epoch: int = 0
    order: tuple[object, ...] = ()
    remark: str = field(default="", eq=False)


TOLD = {
    "an element of a tuple": (
        VoteOf(3, (1, 2)),
        VoteOf(3, (1, Seat(2))),
        "`cell` is VoteOf(epoch=3, order=(1, 2), remark='') twice, which are equal in"
        " Python and yet two values, as `cell.order[1]` is int(2) in one and Seat(2) in"
        " the other: write one of them everywhere",
    ),
    "a field of an item of a set": (
        frozenset({VoteOf(1), VoteOf(Seat(2))}),
        frozenset({VoteOf(1), VoteOf(2)}),
        "as `cell{VoteOf(epoch=2, order=(), remark='')}.epoch` is Seat(2) in one and"
        " int(2) in the other: write one of them everywhere",
    ),
    "a truth value": (
        VoteOf(0, (True,)),
        VoteOf(0, (1,)),
        "`cell` is both VoteOf(epoch=0, order=(True,), remark='') and VoteOf(epoch=0,"
        " order=(1,), remark=''), which are equal in Python and yet two values, as"
        " `cell.order[0]` is True in one and 1 in the other: write one of them",
    ),
    "the cell itself": (
        0,
        Seat(0),
        "`cell` is both int(0) and Seat(0), which are equal in Python and yet two"
        " values (int and Seat): write one of them everywhere",
    ),
    "a field that is not compared": (
        VoteOf(remark="a"),
        VoteOf(remark="b"),
        "as `cell.remark` is 'a' in one and 'b' in the other: write one of them"
        " everywhere, and have `==` compare every field",
    ),
}


@pytest.mark.parametrize(("known", "value", "told"), TOLD.values(), ids=TOLD)
def test_the_part_that_differs_is_named_with_its_class(
    known: object, value: object, told: str
) -> None:
    """Two values that look the same would not tell what to write."""
    assert told in str(unlike_values("cell", known, value))


EQUAL_AND_UNLIKE = [
    (1, True),
    (0.0, -0.0),
    ((0, (1,)), (0, (True,))),
    (frozenset({1}), frozenset({True})),
    (frozenset({2, (0, 1)}), frozenset({2, (0, True)})),
    (VoteOf(1), VoteOf(Seat(1))),
    (frozenset({VoteOf(remark="a")}), frozenset({VoteOf(remark="b")})),
]


@pytest.mark.parametrize(("known", "value"), EQUAL_AND_UNLIKE)
def test_what_is_equal_and_unlike_has_another_mark(
    known: object, value: object
) -> None:
    """At any depth; so neither is taken for the other as an argument."""
    assert known == value
    assert distinction(known) != distinction(value)


@pytest.mark.parametrize(
    "value", [3, (1, "x"), frozenset({(0, 1)}), (frozenset({1}), (None, b"x"))]
)
def test_what_equality_sees_as_a_whole_has_no_mark(value: object) -> None:
    """Numbers, texts, and tuples and sets of these are handed on as they are."""
    assert distinction(value) is None
