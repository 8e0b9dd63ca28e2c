"""What is known of values that were not reached, and what that may cost."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Self

import numpy as np
import pytest
from attrs import frozen

from random_models.cells import Queue as FullQueue
from random_models.random_processes import EVERYTHING
from random_models.small_races import RACES
from reduced.reduced_engines import in_one_process
from replicheck.explorer.errors import ModelError
from replicheck.explorer.native.kernels.arrays import UNKNOWN
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    RAISING_IMAGE,
)
from replicheck.explorer.proxies.operation_laws import is_own
from replicheck.explorer.reduction import value_space
from replicheck.explorer.reduction.value_space import (
    MOST_OPERATIONS,
    MOST_SUPPOSED,
    ValueSpace,
)
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.lookups import Lookup
from replicheck.modelling import Queue, Set


@frozen
class Text:
    """A text that operations make longer."""

    letters: Any = "a"

    def twice(self) -> Self:
        """The text, and the text again."""
        return type(self)(self.letters * 2)

    def raising(self, error: type[Exception]) -> Self:
        """Raise an error, as a text does that is too long."""
        raise error

    def in_a_list(self) -> Self:
        """A text that cannot be hashed."""
        return type(self)([self.letters])


def space_of(*values: Any) -> ValueSpace:
    """The values that a search has reached."""
    dictionary = Dictionary("text", Hasher())
    for value in values:
        dictionary.number(value)
    return ValueSpace(dictionary)


def operation(space: ValueSpace, name: str, *arguments: object) -> Lookup:
    """An operation that the search has learned."""
    return Lookup(space.dictionary, ((name, arguments),), is_operation=True)


def test_values_are_supposed_a_few_operations_beyond_those_reached() -> None:
    """A value that is reached begins anew, and nothing becomes as long as it can."""
    space = space_of(Text())
    twice = operation(space, "twice")
    for reached in (1, 2):
        space.update([twice], [])
        lengths = [len(value.letters) for value in space.values]
        assert lengths == [2**count for count in range(MOST_OPERATIONS + reached)]
        assert space.images(twice).tolist() == [*range(1, len(lengths)), UNKNOWN]
        space.dictionary.number(Text("aa"))


@pytest.mark.parametrize(
    ("error", "known"),
    [
        (ValueError, RAISING_IMAGE),
        (MemoryError, UNKNOWN),
        (RecursionError, UNKNOWN),
    ],
)
def test_what_the_machine_raises_is_not_known_of_a_value(
    error: type[Exception], known: int
) -> None:
    """What the model raises is."""
    space = space_of(Text())
    raising = operation(space, "raising", error)
    question = Lookup(space.dictionary, raising.calls, is_operation=False)
    twice = operation(space, "twice")
    space.update([raising, twice], [])
    assert set(space.images(raising).tolist()) == {known}
    assert np.all(space.answers(question) == UNKNOWN)


def test_a_value_that_cannot_be_hashed_is_not_known() -> None:
    """It could be no value of a cell."""
    space = space_of(Text())
    in_a_list = operation(space, "in_a_list")
    space.update([in_a_list], [])
    assert space.images(in_a_list).tolist() == [UNKNOWN]


@frozen
class Account:
    """An amount of money, of which some operations commute and all are said to."""

    COMMUTING = frozenset({"put", "take", "put_within", "set_to"})
    money: Any = 0

    def put(self, amount: int) -> Self:
        """More money, without end."""
        return type(self)(self.money + amount)

    def take(self, amount: int) -> Self:
        """Less money."""
        if self.money < amount:
            raise ValueError("there is too little")
        return self.put(-amount)

    def put_within(self, most: int, amount: int) -> Self:
        """More money, if there is room for all of it."""
        return self if self.money + amount > most else self.put(amount)

    def set_to(self, money: object) -> Self:
        """So much money."""
        return type(self)(money)


PROMISED = r"`Account` promises in `COMMUTING` that .* It is not so for Account"


@pytest.mark.parametrize(
    ("reached", "calls", "shown"),
    [
        (7, (("put", 5), ("put", 2)), None),
        (0, (("put", 5), ("take", 2)), rf"{PROMISED}\(money=0\)"),
        (3, (("take", 2),), rf"{PROMISED}\(money=3\)"),
        (1, (("take", 2), ("take", 3)), None),
        (95, (("put_within", 100, 2), ("put_within", 100, 4)), rf"{PROMISED}"),
        (5, (("set_to", 1), ("set_to", True)), "the cell `text` is both"),
    ],
)
@pytest.mark.parametrize("supposed", [0, MOST_SUPPOSED])
def test_a_reached_value_shows_that_operations_do_not_commute(
    reached: int,
    calls: Sequence[tuple[Any, ...]],
    shown: str | None,
    supposed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also one by itself, by what it raises, and where nothing is known besides."""
    monkeypatch.setattr(value_space, "MOST_SUPPOSED", supposed)
    monkeypatch.setattr(value_space, "MOST_OPERATIONS", 1)
    space = space_of(Account(reached))
    operations = [operation(space, *call) for call in calls]
    with pytest.raises(ModelError, match=shown) if shown else nullcontext():
        space.update(operations, [])


def test_values_are_compared_once_and_so_often_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each value that is reached later is, and what is learned later for all."""
    compared: list[tuple[int, str, str]] = []

    def note(space: ValueSpace, left: Lookup, right: Lookup, value: Account) -> None:
        compared.append((value.money, str(left), str(right)))

    monkeypatch.setattr(ValueSpace, "_require_independent", note)
    monkeypatch.setattr(value_space, "MOST_COMPARED", 5)
    space = space_of(Account(0))
    one, two = operation(space, "put", 1), operation(space, "put", 2)
    space.update([one], [])
    space.update([one], [])
    assert compared == [(0, ".put(1)", ".put(1)")]
    space.dictionary.number(Account(7))
    space.update([one, two], [])
    assert compared[1:] == [
        (0, ".put(1)", ".put(2)"),
        (0, ".put(2)", ".put(2)"),
        (7, ".put(1)", ".put(1)"),
        (7, ".put(1)", ".put(2)"),
    ]


def test_what_shipped_classes_promise_is_not_compared() -> None:
    """It is tested, in `test_commuting_operations.py` and `test_queue_laws.py`."""
    assert is_own(Account, "COMMUTING")
    assert not is_own(Set, "COMMUTING")
    assert not is_own(type("Derived", (Queue,), {}), "AT_END", "AT_HEAD")
    own: dict[str, Any] = {"AT_HEAD": frozenset({"pop"})}
    assert is_own(type("Derived", (Queue,), own), "AT_END", "AT_HEAD")


@frozen
class PostBag:
    """At most two letters, which are said to come and go at its two ends."""

    AT_END = frozenset({"append", "clear"})
    AT_HEAD = frozenset({"count", "first", "pop"})
    letters: tuple[str, ...] = ()

    def is_empty(self) -> bool:
        """Tell whether there is no letter."""
        return not self.letters

    def append(self, letter: str) -> Self:
        """One letter more."""
        if len(self.letters) == 2:
            raise OverflowError("there is no room")
        return type(self)((*self.letters, letter))

    def clear(self) -> Self:
        """No letter."""
        return type(self)()

    def pop(self) -> Self:
        """Without the first letter."""
        return type(self)(self.letters[1:])

    def first(self) -> str:
        """The first letter."""
        return self.letters[0]

    def count(self) -> int:
        """How many there are."""
        return len(self.letters)


@pytest.mark.parametrize(
    ("letters", "at_head", "holds"),
    [
        ("a", "pop", True),
        ("ab", "pop", False),
        ("", "first", True),
        ("a", "first", True),
        ("ab", "first", True),
        ("", "count", True),
        ("a", "count", False),
    ],
)
def test_a_reached_value_shows_that_the_ends_of_a_queue_are_not_apart(
    letters: str, at_head: str, holds: bool
) -> None:
    """A queue that is not empty does, of operations and of questions at its head."""
    space = space_of(PostBag(tuple(letters)))
    append = operation(space, "append", "c")
    is_operation = at_head == "pop"
    head = Lookup(space.dictionary, ((at_head, ()),), is_operation=is_operation)
    shown = (
        r"`PostBag` promises in `AT_END` and `AT_HEAD` that `.append\('c'\)` changes"
        rf" nothing for `.{at_head}`, .* It is not so for PostBag\(letters=\('a'"
    )
    with nullcontext() if holds else pytest.raises(ModelError, match=shown):
        space.update([append, head][: 1 + is_operation], [head][is_operation:])


def test_a_reached_value_shows_that_a_queue_can_lose_its_head() -> None:
    """What is done at its end does not make it empty."""
    space = space_of(PostBag(("a",)))
    clear = operation(space, "clear")
    with pytest.raises(ModelError, match=r"`.clear` changes nothing for `.is_empty`"):
        space.update([clear], [])


def test_a_search_refuses_ends_of_a_queue_that_are_not_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A queue that loses what it has no room for is not as long in any order."""
    monkeypatch.setattr(FullQueue, "AT_END", frozenset({"append"}), raising=False)
    monkeypatch.setattr(FullQueue, "AT_HEAD", frozenset({"pop"}), raising=False)
    model, properties = RACES["a queue is full"]
    with pytest.raises(ModelError, match=r"`Queue` names `AT_END`, but .*is_empty"):
        in_one_process().explore(model, properties, EVERYTHING)
    monkeypatch.setattr(
        FullQueue, "is_empty", lambda queue: not queue.items, raising=False
    )
    with pytest.raises(ModelError, match=r"`.append\(1\)` changes nothing for `.pop`"):
        in_one_process().explore(model, properties, EVERYTHING)
