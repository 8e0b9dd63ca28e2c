"""Values with a sequence in them: found by the numbers of their elements."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from attrs import evolve, field, frozen
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.errors import ModelError
from replicheck.explorer.proxies.head_view import HeadView, LengthView, asks_only
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.value_keys import ValueKeys


@frozen
class Letter:
    """An element that is made anew whenever it is needed."""

    sender: int
    text: str | None = None


@frozen
class Mailbox:
    """A sequence, and something beside it."""

    letters: tuple[Any, ...] = ()
    owner: Any = None

    @property
    def head(self) -> Any:
        """The first letter; raises if there is none."""
        return self.letters[0]

    @property
    def last(self) -> Any:
        """The last letter; raises if there is none."""
        return self.letters[-1]

    def head_is(self, kind: type) -> bool:
        """Tell whether the first letter is of a kind."""
        return bool(self.letters) and isinstance(self.letters[0], kind)

    def is_of(self, owner: object) -> bool:
        """Tell whose it is."""
        return bool(self.owner == owner)

    def has(self, letter: object) -> bool:
        """Tell whether a letter is in it."""
        return letter in self.letters

    def has_room(self) -> bool:
        """Tell whether there are fewer than two letters."""
        return len(self.letters) < 2

    def is_sequence(self) -> bool:
        """Tell whether the letters are in a tuple."""
        return isinstance(self.letters, tuple)

    def begins_with_two(self) -> bool:
        """Tell by a pattern whether the first two letters are equal."""
        match self.letters:
            case (first, second, *_):
                return bool(first == second)
            case _:
                return False

    def with_itself(self) -> tuple[Any, ...]:
        """Answer with the sequence itself, within something else."""
        return (self.letters, 1)

    def hidden_length(self) -> int:
        """Look at the length, and hide that it could not."""
        try:
            return len(self.letters)
        except Exception:
            return 0

    def append(self, letter: object) -> Self:
        """Put a letter at the end."""
        return evolve(self, letters=(*self.letters, letter))

    def pop(self) -> Self:
        """Take the first letter out."""
        return evolve(self, letters=self.letters[1:])


@frozen
class PromisedMailbox(Mailbox):
    """A mailbox that says how its letters are changed."""

    SEQUENCE = "letters"
    AT_END = frozenset({"append"})
    AT_HEAD = frozenset({"head", "head_is", "pop"})


elements = st.one_of(
    st.integers(0, 2),
    st.builds(Letter, st.integers(0, 1), st.sampled_from([None, "a"])),
    st.tuples(st.integers(0, 1)),
    st.frozensets(st.integers(0, 1)),
)
letters = st.lists(elements, max_size=4).map(tuple)
mailboxes = st.sampled_from([Mailbox, PromisedMailbox]).flatmap(
    lambda kind: st.lists(st.builds(kind, letters, elements), min_size=1)
)


def dictionary() -> Dictionary:
    """A dictionary of mailboxes without symmetries."""
    return Dictionary("mail", Hasher())


@given(mailboxes)
def test_values_have_one_number_exactly_if_they_are_equal(
    values: list[Mailbox],
) -> None:
    """A dictionary by keys is one by equality."""
    known = dictionary()
    numbers = [known.number(value) for value in values]
    expected: dict[Mailbox, int] = {}
    assert numbers == [expected.setdefault(value, len(expected)) for value in values]
    assert list(known.values) == list(expected)


@given(mailboxes)
def test_the_hash_by_parts_is_the_hash_of_the_whole(values: list[Mailbox]) -> None:
    """Fingerprints do not depend on how a value was found."""
    known = dictionary()
    for value in values:
        number = known.number(value)
        assert known.hashes[number, 0] == Hasher().new_value(value)


@given(mailboxes)
def test_heads_tell_apart_what_questions_about_the_head_tell_apart(
    values: list[Mailbox],
) -> None:
    """All but what follows the first element counts."""
    known = dictionary()
    for value in values:
        known.number(value)
    heads: dict[object, int] = {}
    for number, value in enumerate(known.values):
        content = (value.letters[:1], value.owner)
        head = int(known.heads_of(np.array([number]))[0])
        assert heads.setdefault(content, head) == head
    assert len(set(heads.values())) == len(heads)


@pytest.mark.parametrize("unlike", [True, 1.0], ids=repr)
def test_an_element_that_equals_another_without_being_the_same_is_refused(
    unlike: object,
) -> None:
    """As it is of values without a sequence."""
    known = dictionary()
    known.number(Mailbox((1, 2)))
    with pytest.raises(ModelError, match="equal in Python"):
        known.number(Mailbox((unlike, 2)))
    assert known.number(Mailbox((1, 2))) == 0


def test_an_element_that_is_unlike_another_one_elsewhere_is_no_error() -> None:
    """Only whole values must not be equal without being the same."""
    known = dictionary()
    assert known.number(Mailbox((1,))) == 0
    assert known.number(Mailbox((True, 2))) == 1
    assert known.number(Mailbox((1,))) == 0
    assert known.number(Mailbox((2, 2))) == 2
    assert known.sequence is None


def test_a_value_of_another_class_is_refused() -> None:
    """With the words that say so of any cell."""
    known = dictionary()
    known.number(Mailbox())
    with pytest.raises(ModelError, match="a cell keeps its class"):
        known.number(Letter(1))


def test_an_element_that_cannot_be_hashed_is_refused() -> None:
    """With the words that say so of any cell."""
    known = dictionary()
    known.number(Mailbox((1,)))
    with pytest.raises(ModelError, match="cannot be hashed"):
        known.number(Mailbox(([],)))


def test_a_class_that_compares_otherwise_has_no_keys() -> None:
    """Its `==` says which values are the same, not its fields."""

    @frozen
    class Loose:
        items: tuple[int, ...] = ()
        note: int = field(default=0, eq=False)

    @frozen
    class Folded:
        items: tuple[int, ...] = field(default=(), eq=len)

    assert ValueKeys.of(Loose(), Hasher()) is None
    assert ValueKeys.of(Folded(), Hasher()) is None


FULL = Mailbox((Letter(1), Letter(2)), owner=3)


@pytest.mark.parametrize(
    "call",
    [("head", ()), ("head_is", (Letter,)), ("is_of", (3,)), ("owner", ())],
    ids=str,
)
def test_a_question_about_the_head_asks_no_more(call: Any) -> None:
    """The fields beside the sequence belong to the head."""
    assert asks_only(HeadView, FULL, "letters", call)


@pytest.mark.parametrize(
    "call",
    [
        ("last", ()),
        ("has", (Letter(1),)),
        ("has_room", ()),
        ("is_sequence", ()),
        ("begins_with_two", ()),
        ("with_itself", ()),
        ("hidden_length", ()),
        ("letters", ()),
        ("__eq__", (Mailbox(),)),
        ("__hash__", ()),
        ("__unchanged_by__", (("pop", ()),)),
        ("__after__", ((("append", (1,)),), ("head", ()))),
    ],
    ids=str,
)
def test_a_question_about_more_than_the_head_is_found_out(call: Any) -> None:
    """Whatever it looks at, and however."""
    assert not asks_only(HeadView, FULL, "letters", call)


@pytest.mark.parametrize(
    ("call", "is_so"),
    [
        (("has_room", ()), True),
        (("is_of", (3,)), True),
        (("head", ()), False),
        (("last", ()), False),
        (("has", (Letter(1),)), False),
        (("begins_with_two", ()), False),
        (("letters", ()), False),
        (("__hash__", ()), False),
    ],
    ids=str,
)
def test_a_question_about_the_length_is_told_from_others(
    call: Any, is_so: bool
) -> None:
    """The fields beside the sequence belong to the length, too."""
    assert asks_only(LengthView, FULL, "letters", call) is is_so
