"""What a model may not have to be written as Promela, and what is said then."""

from __future__ import annotations

import pytest

from replicheck.explorer.errors import ModelError, TooManyStates
from replicheck.explorer.promela.exhaustive_search import visit_all
from replicheck.explorer.promela.text import WIDTH, Names, comment, wrapped
from toys import hole, ring


def test_too_many_states() -> None:
    """A model that is larger than the limit is not exported in part."""
    assert visit_all(ring(7), [], limit=7).states == 7
    with pytest.raises(TooManyStates):
        visit_all(ring(7), [], limit=6)


def test_an_action_that_raises() -> None:
    """It is named, with the state in which it raises."""
    with pytest.raises(ModelError, match=r"`go_or_fall` raises .*at=3"):
        visit_all(hole(), [])


def test_names() -> None:
    """A name is given once, and is none of the words of Promela and C."""
    names = Names()
    wishes = ("logs[2]", "logs 2", "int", "2", "_pid", "")
    assert [names.give(wish) for wish in wishes] == [
        "logs_2",
        "logs_2_2",
        "int_2",
        "x2",
        "pid_2",
        "x",
    ]


def test_a_comment_ends_where_it_should() -> None:
    """A value's text cannot end the comment that explains it."""
    assert list(comment("a */ b")) == ["/* a * / b */"]


def test_a_line_does_not_end_with_a_name() -> None:
    """Spin would take what follows in the next line for another statement."""
    line = "; ".join(f"queue_{number} = {number}" for number in range(40))
    lines = wrapped(f"(a[b] == 1 || {line}) ->")
    assert max(map(len, lines)) <= WIDTH
    assert all(line.endswith((";", "=", "->")) for line in lines)
