"""Traces in files: written and read without loss."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, field, frozen
from hypothesis import given
from hypothesis import strategies as st

from replicheck.explorer.report import Step, Trace
from replicheck.model.state_base import Cells
from replicheck.traces.json_lines import (
    Header,
    SavedTrace,
    TraceError,
    digest_of,
    dumps,
    loads,
    read,
    write,
)
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import EncodingError, decode, encode


class Mood(Enum):
    """A mood."""

    GOOD = "good"
    BAD = "bad"


@frozen
class Note:
    """A value with a private field."""

    text: str
    _inner: frozenset[int] = frozenset()


@frozen
class State(Cells):
    """A state with a constant, a plain cell, a family and a nested family."""

    size: int = field(eq=False)
    mood: Mood = Mood.GOOD
    notes: tuple[Note | None, ...] = (None, None)
    grid: tuple[tuple[int, ...], ...] = ((0, 0), (0, 0))


CLASSES = value_classes(State)


def classes_of(model: str) -> Mapping[str, type]:
    """The classes of the one model that there is."""
    return CLASSES


HEADER = Header("toy", "toys", "kip-0", {"size": 3}, "is_good", "always", "is_good(1)")


def saved() -> SavedTrace:
    """A trace of three states."""
    start = State(3)
    middle = start.evolve(notes={1: Note("x", frozenset({2, 1}))})
    end = middle.evolve(mood=Mood.BAD, grid={(1, 0): 7})
    steps = (
        Step("write", {"where": 1}, middle),
        Step("spoil", {"mood": Mood.BAD, "who": None}, end),
    )
    return SavedTrace(HEADER, Trace(start, steps))


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(Mood),
    lambda inner: (
        st.lists(inner).map(tuple)
        | st.frozensets(inner)
        | st.builds(Note, st.text(), st.frozensets(st.integers()))
    ),
    max_leaves=20,
)


@given(VALUES)
def test_a_value_comes_back(value: object) -> None:
    """Encoding loses nothing, not even the difference of True and 1."""
    back = decode(json.loads(json.dumps(encode(value))), CLASSES)
    assert back == value
    assert repr(encode(back)) == repr(encode(value))


@given(st.frozensets(VALUES))
def test_equal_sets_have_one_form(values: frozenset[object]) -> None:
    """The order in which a set was filled leaves no mark."""
    other = frozenset(sorted(values, key=repr, reverse=True))
    assert json.dumps(encode(values)) == json.dumps(encode(other))


@pytest.mark.parametrize(
    "value", [1.5, [1], {1}, object()], ids=lambda value: type(value).__name__
)
def test_what_a_state_may_not_hold(value: object) -> None:
    """A value without canonical form is refused."""
    with pytest.raises(EncodingError, match="has no JSON form"):
        encode(value)


@pytest.mark.parametrize(
    "form",
    [
        {"no": "tag"},
        {"$class": "os:system"},
        {"$class": "subprocess:Popen"},
        {"$class": "not_there:Note"},
        {"$class": f"{__name__}:Note", "colour": 1},
        {"$class": f"{__name__}:Note"},
        {"$enum": f"{__name__}:Mood", "name": "UGLY"},
    ],
    ids=str,
)
def test_what_stands_for_no_value(form: object) -> None:
    """A file can name only values of classes that are there."""
    with pytest.raises(EncodingError):
        decode(form, CLASSES)


def test_a_trace_comes_back(tmp_path: Path) -> None:
    """The header, the states, the actions and their arguments are as they were."""
    path = tmp_path / "trace.jsonl"
    write(path, saved())
    back = read(path, classes_of)
    assert back == saved()
    assert back.trace.start.size == 3


def test_what_was_observed_of_each_step_comes_back() -> None:
    """Hidden steps have an empty list, which is not to have none."""
    told = evolve(saved(), observations=(("broker-0.log:7: append",), ()))
    assert loads(dumps(told), classes_of) == told
    assert loads(dumps(saved()), classes_of).observations is None


def test_a_line_has_only_the_cells_that_changed() -> None:
    """States are numbered from 1; each but the first is what changed."""
    lines = [json.loads(line) for line in dumps(saved()).splitlines()]
    assert [line.get("state") for line in lines] == [None, 1, 2, 3]
    assert lines[0]["schema"] == 4
    assert lines[0]["states"] == 3
    assert list(lines[2]["cells"]) == ["notes[1]"]
    assert list(lines[3]["cells"]) == ["mood", "grid[1][0]"]


def test_no_part_of_a_file_is_left(tmp_path: Path) -> None:
    """Nothing but the file itself is in its folder."""
    write(tmp_path / "trace.jsonl", saved())
    write(tmp_path / "trace.jsonl", saved())
    assert [file.name for file in tmp_path.iterdir()] == ["trace.jsonl"]


def without_last_line(text: str) -> str:
    """A trace that was cut."""
    return "\n".join(text.splitlines()[:-1])


def foreign(old: str, new: str) -> Callable[[str], str]:
    """A change of a whole trace into one that another model might have written."""

    def change(text: str) -> str:
        head, *states = text.replace(old, new).splitlines()
        described = json.loads(head)
        described["digest"] = digest_of(described, states)
        return "\n".join([json.dumps(described), *states])

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (without_last_line, "torn: 2 of 3 states are there"),
        (lambda text: text[:-20], "torn: line 4 ends in its middle"),
        (lambda text: text[:20], "torn: line 1 ends in its middle"),
        (lambda text: text[:-20] + "\n", "line 4: no JSON"),
        (lambda _: "", "the file is empty"),
        (lambda _: "[]", "line 1: no JSON object"),
        (lambda _: "{}", "line 1: not a trace"),
        (lambda _: "PK\x03\x04", "line 1: no JSON"),
        (lambda _: "[" * 100_000, "line 1: no JSON"),
        (lambda text: text.replace('"schema":4', '"schema":9'), "of schema 9"),
        (lambda text: text.replace('"schema":4', '"schema":3'), "of schema 3"),
        (lambda text: text.replace("is_good(1)", "is_good(2)"), "edited"),
        (lambda text: text.replace('"x"', '"y"'), "edited"),
        (foreign("notes[1]", "notes[9]"), "no trace of a model"),
        (foreign(":State", ":Stat"), "there is no class"),
        (foreign('"initial"', '"first"'), "no trace of a model"),
        (foreign('"cells":{"no', '"observations":[],"cells":{"no'), "some states have"),
    ],
)
def test_a_file_that_holds_no_trace(
    tmp_path: Path, damage: Callable[[str], str], message: str
) -> None:
    """The message names the file and what is wrong with it."""
    path = tmp_path / "trace.jsonl"
    path.write_text(damage(dumps(saved())), "utf-8")
    with pytest.raises(TraceError) as caught:
        read(path, classes_of)
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("observed", "message"),
    [('"x"', "expected a list of texts"), ('["\\u0007"]', "a control character")],
)
def test_what_cannot_have_been_observed(observed: str, message: str) -> None:
    """Each step has a list of printable texts."""
    change = foreign('"cells":', f'"observations":{observed},"cells":')
    with pytest.raises(TraceError, match=message):
        loads(change(dumps(saved())), classes_of)


def test_a_text_is_enough() -> None:
    """A trace can be kept in a text as well."""
    assert loads(dumps(saved()), classes_of) == saved()
