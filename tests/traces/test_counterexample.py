"""Counterexamples: what a person reads of a violation."""

from __future__ import annotations

from enum import Enum

import pytest
from attrs import evolve, frozen

from replicheck.explorer.engine import Search
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import always, every_step
from replicheck.explorer.report import Step, Trace
from replicheck.invariants.describers.model_describer import ModelDescriber
from replicheck.traces.counterexample import Commentary, run_text, violation_text
from replicheck.traces.run_text import FULL, SHORT, RunDetail, TextForm, states_text
from replicheck.traces.value_text import (
    note,
    note_cell,
    note_change,
    note_without_defaults,
)
from saved_runs import of_scenario
from shipped import SYSTEMS
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
class Tag:
    """A number alone."""

    number: int


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
            "- Corner(x 1, y 1), + Corner(x 3, y 3)",
        ),
        (frozenset[Tag](), frozenset({Tag(1)}), "+ Tag(number 1)"),
        (frozenset({(Tag(1), 1)}), frozenset[Tag](), "- [Tag(number 1), 1]"),
        (Corner(1), None, "(x 1, y none) -> none"),
    ],
)
def test_a_change_shows_only_what_is_different(
    old: object, new: object, noted: str
) -> None:
    """Of a record the fields that differ, of a long set or one of records the elements.

    Records that come or go have their class, however short they are.
    """
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


def adds() -> ModelDescriber:
    """Describer of the counter: additions are a fault."""
    return ModelDescriber(
        budgets=lambda state: {"additions": 5 - state.value},
        documents={"add": """Add a number.\n\nRules: A-1."""},
    )


def test_the_full_text_of_a_violated_invariant() -> None:
    """The states are numbered from 1, and each step shows what it changed."""
    report = Naive().explore(counter(add), [always(is_below_two)], Search())
    about = Commentary("The number is 0 or 1.")
    assert violation_text(report.violations[0], about, FULL).splitlines() == [
        "VIOLATED is_below_two: the shortest run has 2 states",
        "      The number is 0 or 1.",
        "      Violated   at state 2: is_below_two",
        "",
        "   1  initial state",
        "      value  0",
        "   2  add(amount=2)",
        "      value  0 -> 2",
        "",
        "State 2:",
        "      value  2",
    ]


def test_the_text_of_a_violated_invariant() -> None:
    """A summary, then a line for each step: the call, and what the action does."""
    report = Naive().explore(counter(add), [always(is_below_two)], Search())
    about = Commentary("Small.", adds(), avoidable="until state 1 of 2")
    assert violation_text(report.violations[0], about).splitlines() == [
        "VIOLATED is_below_two: the shortest run has 2 states",
        "      Small.",
        "      Violated   at state 2: is_below_two",
        "      Faults     2 add(amount=2)",
        "      Avoidable  until state 1 of 2",
        "",
        "   2  FAULT add(amount=2)  Add a number.",
    ]


def test_steps_are_counted_by_who_takes_them() -> None:
    """Faults without a participant are the environment's; other steps are not."""
    start = counter(add).starts[0]
    taken = [("add", {"amount": 0}), ("crash", {}), ("tick", {}), ("tick", {})]
    steps = tuple(Step(name, arguments, start) for name, arguments in taken)
    describer = ModelDescriber(acting=("amount",), faults=frozenset({"crash"}))
    text = run_text(Trace(start, steps), Commentary(describer=describer), SHORT)
    assert "Steps      environment: 1, others: 2, process 0: 1" in text
    unnamed = Trace(start, steps[1:])
    assert "Steps" not in run_text(unnamed, Commentary(describer=describer), SHORT)


@pytest.mark.parametrize(
    ("setup", "told"),
    [
        ((), "Faults     none\n"),
        (("crash()",), "Faults     none after its setup: crash()\n"),
        (("crash()",) * 4, "Faults     none after the 4 steps of its setup\n"),
    ],
)
def test_a_run_without_faults_after_a_setup_says_so(
    setup: tuple[str, ...], told: str
) -> None:
    """The steps of the setup are not in the run, and may have been faults."""
    start = counter(add).starts[0]
    run = Trace(start, (Step("tick", {}, start),))
    about = Commentary(describer=ModelDescriber(), setup=setup)
    assert told in run_text(run, about, SHORT)


def test_the_steps_on_a_narrow_terminal() -> None:
    """What an action does takes a line of its own, at its first step only."""
    report = Naive().explore(counter(add, limit=2), [always(is_below_two)], Search())
    (violation,) = report.violations
    twice = Trace(violation.trace.start, violation.trace.steps * 2)
    text = violation_text(
        evolve(violation, trace=twice),
        Commentary(describer=adds()),
        TextForm(RunDetail.STEPS, width=30),
    )
    assert text.splitlines()[-3:] == [
        "   2  FAULT add(amount=2)",
        "        Add a number.",
        "   3  add(amount=2)",
    ]


@pytest.mark.parametrize("width", [40, 80, 140])
def test_no_line_of_a_run_is_wider_than_the_terminal(width: int) -> None:
    """It breaks between words; only a word that is longer stays whole."""
    saved = of_scenario("leader-disk-fails")
    text = run_text(
        saved.trace,
        Commentary(describer=SYSTEMS["cluster"].describer),
        TextForm(RunDetail.STEPS, width),
    )
    steps = text.partition("Logs")[0].splitlines()
    assert [line for line in steps if len(line) > width and len(line.split()) > 2] == []


def test_the_text_of_a_violated_step_property() -> None:
    """It is the last step that violates a step property."""
    model = counter(add, start_again, limit=2)
    report = Naive().explore(model, [every_step(never_goes_down)], Search())
    assert "by the step to state 3: never_goes_down" in violation_text(
        report.violations[0]
    )


def test_a_number_of_states_has_its_noun() -> None:
    """A property that the initial state breaks has a run of one state."""
    assert [states_text(1), states_text(2466)] == ["1 state", "2,466 states"]
