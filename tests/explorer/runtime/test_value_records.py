"""Values become records of JSON and come back the same; a record runs nothing."""

from __future__ import annotations

import json
from enum import Enum, Flag, IntEnum, auto
from typing import Any, NamedTuple

import pytest
from attrs import field, frozen
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.runtime.value_records import (
    RecordError,
    ValueReader,
    ValueWriter,
)


class Colour(Enum):
    """An enumeration."""

    RED = "red"


class Order(IntEnum):
    """One whose members equal numbers."""

    FIRST = 1


class Permissions(Flag):
    """Flags, of which any number are set."""

    READ = auto()
    WRITE = auto()


class Ordinal(int):
    """A class of numbers, such as ids."""


class Point(NamedTuple):
    """A named tuple, which equals a plain one."""

    x: Any
    y: Any


@frozen
class Plain:
    """A value class with slots."""

    inner: Any


@frozen(cache_hash=True, slots=False)
class Hashed:
    """One without slots that remembers its hash."""

    inner: Any
    left_out: Any = field(default=0, eq=False)


CALLS: list[str] = []


@frozen
class Calling:
    """One whose making can be seen."""

    inner: int

    def __attrs_post_init__(self) -> None:
        """Tell that it was made."""
        CALLS.append("made")


ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.binary()
    | st.floats(allow_nan=False)
    | st.sampled_from([*Colour, *Order, Colour, Plain, int, object])
    | st.sampled_from([Permissions(0), Permissions.READ | Permissions.WRITE])
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: (
        st.lists(inner).map(tuple)
        | st.frozensets(inner)
        | st.builds(Point, inner, inner)
        | st.builds(Ordinal, st.integers())
        | st.builds(Plain, inner)
        | st.builds(Hashed, inner, inner)
    ),
    max_leaves=8,
)


def read_again(*values: Any) -> list[Any]:
    """Values as they come back through the text of JSON."""
    writer = ValueWriter()
    indices = writer.add_all(values)
    return ValueReader(json.loads(json.dumps(writer.as_json))).at_all(indices)


def form(value: Any) -> Any:
    """A value with the type of each part, to tell equal but different ones apart."""
    if isinstance(value, tuple):
        return type(value), [form(part) for part in value]
    if isinstance(value, frozenset):
        return type(value), sorted(map(repr, map(form, value)))
    if isinstance(value, Plain):
        return Plain, form(value.inner)
    if isinstance(value, Hashed):
        return Hashed, form(value.inner), form(value.left_out)
    return type(value), repr(value)


@given(st.lists(VALUES))
def test_values_come_back_the_same(values: list[Any]) -> None:
    """Each with its type, also where it equals another one, such as 1 and True."""
    again = read_again(*values)
    assert again == values
    assert [form(value) for value in again] == [form(value) for value in values]
    assert [hash(value) for value in again] == [hash(value) for value in values]


def test_what_is_part_of_many_is_written_once() -> None:
    """A hundred values with the same large part take hardly more room than one."""
    large = tuple(range(1000))
    writer = ValueWriter()
    writer.add_all([(large, number) for number in range(100)])
    assert len(writer.as_json["records"]) == 1000 + 1 + 100


def test_no_function_of_a_class_runs() -> None:
    """Fields are filled in without a call."""
    value = Calling(1)
    CALLS.clear()
    assert read_again(value) == [value]
    assert CALLS == []


@pytest.mark.parametrize("value", [[1], {1: 2}, object(), len, dict])
def test_a_value_without_a_record(value: Any) -> None:
    """It is refused, with its type."""
    with pytest.raises(RecordError, match="has no record"):
        ValueWriter().add((value,))


def test_a_class_that_is_not_of_a_module() -> None:
    """Another process could not find it."""

    @frozen
    class Local:
        inner: int

    with pytest.raises(RecordError, match="Local is no class of a module"):
        ValueWriter().add(Local(1))


BAD: list[tuple[list[str], list[Any]]] = [
    (["os:system"], [["fields", 0]]),
    (["antigravity:Fly"], [["fields", 0]]),
    (["subprocess:Popen"], [["fields", 0]]),
    (["builtins:list"], [["named", 0]]),
    (["subprocess:Popen"], [["class", 0]]),
    ([f"{__name__}:Plain"], [["fields", 0]]),
    ([f"{__name__}:Plain"], [["member", 0, 0]]),
    ([f"{__name__}:Colour"], ["GREEN", ["member", 0, 0]]),
    ([f"{__name__}:Plain"], [["fields", 1, 0]]),
    ([f"{__name__}:Plain"], [1, ["number", 0, 0]]),
    ([f"{__name__}:Order"], [1, ["number", 0, 0]]),
    ([f"{__name__}:Ordinal"], [None, ["number", 0, 0]]),
    ([], [["tuple", 0]]),
    ([], [["tuple", -1]]),
    ([], [["tuple", True]]),
    ([], [["tuple", "0"]]),
    ([], [["unknown"]]),
    ([], [[]]),
    ([], [[[]]]),
    ([], [{}, ["set", 0]]),
    ([], [["float", 1]]),
]


@pytest.mark.parametrize(("classes", "records"), BAD)
def test_a_bad_file(classes: list[str], records: list[Any]) -> None:
    """One error, whatever is wrong; nothing is imported or called."""
    with pytest.raises(RecordError):
        ValueReader({"classes": classes, "records": records})


@pytest.mark.parametrize("body", [{}, {"classes": 1, "records": []}, {"classes": []}])
def test_a_file_that_is_none(body: dict[str, Any]) -> None:
    """The same error."""
    with pytest.raises(RecordError):
        ValueReader(body)
