"""What is known of values that were not reached, and what that may cost."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from attrs import frozen

from replicheck.explorer.native.kernels.arrays import UNKNOWN
from replicheck.explorer.native.kernels.reduction.knowledge_arrays import (
    RAISING_IMAGE,
)
from replicheck.explorer.reduction.value_space import MOST_OPERATIONS, ValueSpace
from replicheck.explorer.states.fingerprint import Hasher
from replicheck.explorer.tables.dictionary import Dictionary
from replicheck.explorer.tables.lookups import Lookup


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


def space_of(*values: Text) -> ValueSpace:
    """The values that a search has reached."""
    dictionary = Dictionary("text", Hasher(), ())
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
        space.update([twice])
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
    space.update([raising, twice])
    assert set(space.images(raising).tolist()) == {known}
    assert np.all(space.answers(question) == UNKNOWN)


def test_a_value_that_cannot_be_hashed_is_not_known() -> None:
    """It could be no value of a cell."""
    space = space_of(Text())
    in_a_list = operation(space, "in_a_list")
    space.update([in_a_list])
    assert space.images(in_a_list).tolist() == [UNKNOWN]
