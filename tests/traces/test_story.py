"""Stories: what a person reads of a violation."""

from __future__ import annotations

from enum import Enum

import pytest
from attrs import frozen

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import always, every_step
from replicheck.invariants.describers.model_describer import ModelDescriber
from replicheck.traces.story import tell
from replicheck.traces.value_text import (
    note,
    note_cell,
    note_change,
    note_without_defaults,
)
from toys import add, counter, is_below_two, never_goes_down, start_again


class Paint(Enum):
    """A colour."""

    RED = 1


@frozen
class Corner:
    """Two numbers."""

    x: int
    y: int | None = None


@frozen
class Wrapped:
    """One value."""

    inside: tuple[Corner, ...] = ()


@frozen
class Begin:
    """A message without content."""


@frozen
class End:
    """A message with content."""

    status: int
    detail: str = ""


@frozen
class Named:
    """A value that knows how it is written."""

    name: str

    def __str__(self) -> str:
        """The name with a sign."""
        return f"#{self.name}"


@pytest.mark.parametrize(
    ("value", "noted"),
    [
        (None, "none"),
        (True, "true"),
        (3, "3"),
        ("text", "text"),
        (Paint.RED, "red"),
        ((1, 2), "[1, 2]"),
        ((), "[]"),
        (frozenset({10, 9}), "{9, 10}"),
        (Corner(1), "(x 1, y none)"),
        (Wrapped((Corner(1, 2),)), "[(x 1, y 2)]"),
        (Named("it"), "#it"),
        (Begin(), "Begin"),
        ((End(1), End(2)), "[(status 1, detail ), (status 2, detail )]"),
        ((Begin(), Wrapped()), "[Begin, Wrapped(inside [])]"),
    ],
)
def test_notation(value: object, noted: str) -> None:
    """Values are noted as a person would."""
    assert note(value) == noted


def test_a_cell_needs_no_brackets() -> None:
    """A record that is alone on its line stands without brackets."""
    assert note_cell(Corner(1, 2)) == "x 1, y 2"


@pytest.mark.parametrize(
    ("old", "new", "noted"),
    [
        (1, 2, "1 -> 2"),
        (Corner(1, 2), Corner(1, 3), "y 2 -> 3"),
        (Wrapped(), Wrapped((Corner(1, 2),)), "[] -> [(x 1, y 2)]"),
        (frozenset({1}), frozenset({1, 2}), "{1} -> {1, 2}"),
        (
            frozenset({Corner(1, 1), Corner(2, 2)}),
            frozenset({Corner(2, 2), Corner(3, 3)}),
            "- (x 1, y 1), + (x 3, y 3)",
        ),
        (Corner(1), None, "(x 1, y none) -> none"),
    ],
)
def test_a_change_shows_only_what_is_different(
    old: object, new: object, noted: str
) -> None:
    """Of a record the fields that differ, of a long set the elements."""
    assert note_change(old, new) == noted


@pytest.mark.parametrize(
    ("value", "noted"),
    [
        (End(2), "status 2"),
        (End(2, "x"), "status 2, detail x"),
        (Wrapped((Corner(1, 2),)), "[(x 1, y 2)]"),
        (Corner(1), "x 1"),
        (3, "3"),
    ],
)
def test_fields_with_their_defaults_are_left_out(value: object, noted: str) -> None:
    """Of a record alone in its cell, what has no default or another value is noted."""
    assert note_without_defaults(value) == noted


def test_the_story_of_an_invariant() -> None:
    """The states are numbered from 1, and each step shows what it changed."""
    report = Naive().explore(counter(add), [always(is_below_two)], Search())
    assert tell(report.violations[0], "The number is 0 or 1.").splitlines() == [
        "VIOLATED is_below_two: the shortest run has 2 states",
        "      The number is 0 or 1.",
        "",
        "   1  initial state",
        "      value  0",
        "   2  add(amount=2)",
        "      value  0 -> 2",
        "",
        "State 2 breaks it: is_below_two",
        "      value  2",
    ]


def test_faults_and_sentences_in_a_story() -> None:
    """With a describer the head lists the faults, and each step has its sentence."""
    describer = ModelDescriber(
        budgets=lambda state: {"additions": 5 - state.value},
        documents={"add": """Add a number.\n\nRules: A-1."""},
    )
    report = Naive().explore(counter(add), [always(is_below_two)], Search())
    assert tell(report.violations[0], "Small.", describer).splitlines()[1:8] == [
        "      Small.",
        "      Faults: 2 add(amount=2)",
        "",
        "   1  initial state",
        "      value  0",
        "   2  FAULT add(amount=2)",
        "      Add a number.",
    ]


def test_the_story_of_a_step_property() -> None:
    """It is the last step that breaks a step property."""
    model = counter(add, start_again, limit=2)
    report = Naive().explore(model, [every_step(never_goes_down)], Search())
    assert "The step to state 3 breaks it: never_goes_down" in tell(
        report.violations[0]
    )
