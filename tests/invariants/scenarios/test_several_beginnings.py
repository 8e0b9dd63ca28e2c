"""A model of one's own that begins in several states, from the file to the replay."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import Result

from command_line.messages import require_message
from command_line.own_models import COUNTER, run

pytestmark = pytest.mark.usefixtures("folder")

MODEL = """
@model.initial
def any_value(size: Size) -> Iterator[Counter]:
    '''Any value up to the greatest.'''
    for value in range(size.most):
        yield Counter(value)

@model.initial
def zero(size: Size) -> Counter:
    '''No value yet.'''
    return Counter()

@model.initial
def none_of_few(size: Size) -> Counter:
    raise ValueError("too few")

@model.action
def add_two(s: Counter) -> Iterator[Counter]:
    if s.value < 4:
        yield s.evolve(value=s.value + 2)

@model.always
def never_five(s: Counter) -> bool:
    return s.value != 5

@model.sometimes
def three(s: Counter) -> bool:
    return s.value == 3
"""
SETUP = """
[scenarios.later]
summary = "After a step"
model = "counter.py"
protocol = "counter"
{}
setup = ["add_two"]

[[check]]
scenario = "later"
"""


@pytest.fixture(autouse=True)
def written(folder: Path) -> None:
    """The file of the model."""
    Path("counter.py").write_text(COUNTER + MODEL)


def checked(*options: str) -> Result:
    """A check of the model with bounds in which it is violated."""
    return run("check", "counter.py", "--bounds", "most=4", "--no-cache", *options)


@pytest.mark.parametrize("engine", ["breadth-first", "naive", "numpy-walk", "spark"])
def test_each_engine_begins_in_all_of_them(engine: str) -> None:
    """A run of two states begins in the last one, and the text says where."""
    done = checked("--engine", engine, "--json", "result.json")
    assert done.exit_code == 12, done.output
    (result,) = json.loads(Path("result.json").read_text())["results"]
    assert result["states"] == 6
    assert "Begins     in any_value [4]: value 3\n" in done.output
    assert "Violated   at state 2: never_five" in done.output


def test_one_of_them_is_chosen_by_its_number() -> None:
    """From an even value no odd one is reached; the command says where runs begin."""
    done = checked("--initial", "any_value [3]")
    assert "holds: visited all 2 states" in done.output
    assert "--initial 'any_value [3]'" in done.output
    done = checked("--initial", "zero")
    assert "holds: visited all 3 states" in done.output


def test_a_saved_run_names_the_state_in_which_it_begins() -> None:
    """So it is replayed, shown and tested from there."""
    checked()
    (saved,) = Path("counterexamples").iterdir()
    header = json.loads(saved.read_text().splitlines()[0])
    assert header["initial"] == "any_value [4]"
    command = ("--model", "counter.py", str(saved))
    replayed = run("trace", "replay", *command)
    assert "still violates" in replayed.output, replayed.output
    shown = run("trace", "show", *command)
    assert "Begins     in any_value [4]: value 3\n" in shown.output
    test = run("trace", "show", *command, "--format", "pytest")
    assert "initial='any_value [4]'" in test.output


@pytest.mark.parametrize(
    ("old", "new"), [("any_value(", "some_value("), ("most", "greatest")]
)
def test_a_saved_run_is_shown_when_the_model_begins_elsewhere(
    old: str, new: str
) -> None:
    """The text says no more where it begins, since the model does not."""
    checked()
    (saved,) = Path("counterexamples").iterdir()
    Path("counter.py").write_text((COUNTER + MODEL).replace(old, new))
    sys.modules.pop("counter")
    shown = run("trace", "show", str(saved), "--model", "counter.py")
    assert "VIOLATED never_five: the shortest run has 2 states" in shown.output
    assert "Begins" not in shown.output


@pytest.mark.parametrize(
    ("command", "count"), [("simulate", "--walks"), ("fuzz", "--examples")]
)
def test_walks_begin_in_all_of_them(command: str, count: str) -> None:
    """The shortest run to the violation has one step."""
    done = run(command, "counter.py", "--bounds", "most=4", count, "100")
    assert "Begins     in any_value [4]: value 3\n" in done.output, done.output


def test_show_lists_the_beginnings() -> None:
    """Each with its states, and one that cannot begin with the reason."""
    text = run("show", "counter.py").output
    several = "3 states: any_value [1] to any_value [3]; here runs begin"
    assert f"any_value    Any value up to the greatest; {several}" in text
    assert "zero         No value yet\n" in text
    assert "none_of_few  none within these bounds: counter.py: raises" in text


@pytest.mark.parametrize(
    ("initial", "message"),
    [
        ("two", 'there is no initial state "two"; known: any_value, zero, none_of_few'),
        ("any_value [5]", 'no initial state "any_value [5]": any_value has 4 within'),
        ("zero [2]", 'no initial state "zero [2]": zero has 1 within these bounds'),
        (
            "any_value[2]",
            'state "any_value[2]": the first of any_value is "any_value [1]',
        ),
        ("any_value [0]", "the first of any_value is"),
        ("none_of_few", "counter.py: raises ValueError: too few"),
    ],
)
def test_an_initial_state_that_there_is_not(initial: str, message: str) -> None:
    """One message says which there are, or what went wrong."""
    require_message(checked("--initial", initial), 151, message)


def test_a_setup_begins_in_one_state() -> None:
    """Steps do not say from which of several they lead."""
    Path("later.toml").write_text(SETUP.format(""))
    message = (
        "later.toml: scenarios.later.setup: steps begin in one state, and runs of later"
        ' begin in 3: name one by `initial`, such as "any_value [1]"'
    )
    require_message(run("check", "later.toml"), 151, message)
    Path("later.toml").write_text(SETUP.format('initial = "any_value [1]"'))
    done = run("check", "later.toml", "--no-cache")
    assert "visited all 2 states" in done.output, done.output


def test_a_setup_that_an_option_takes_away() -> None:
    """The option is named, since the file says nothing that is wrong."""
    Path("later.toml").write_text(SETUP.format('initial = "any_value [1]"'))
    done = run("check", "later.toml", "--initial", "any_value")
    require_message(done, 151, "later with --initial: setup: steps begin in one state")
