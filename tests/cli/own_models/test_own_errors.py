"""What can be wrong with a model of a user's own: one message each, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line.messages import require_message
from command_line.own_models import run

pytestmark = pytest.mark.usefixtures("folder")


HEAD = """
from __future__ import annotations
import attrs, dataclasses
from collections.abc import Iterator
from replicheck.modelling import Bag, Bounds, Id, Model, State, bound

class Size(Bounds):
    processes: int = bound(2)

class Process(Id):
    pass

class Counter(State):
    value: int = 0

model = Model("counter", Size, {Process: "processes"})

@model.initial
def zero(size: Size) -> Counter:
    return Counter()
"""

ACTION = """
@model.action
def go(s: Counter) -> Iterator[Counter]:
    {}
"""
SYMMETRIC = ACTION.format("yield s") + "model.symmetric(Process, 'value')\n"

WRONG = {
    "no file": (None, "wrong.py: there is no such file"),
    "no syntax": ("def", "wrong.py: line 1: invalid syntax"),
    "no model": ("x = 1", "there is no model in it: write `model = Model"),
    "two models": (HEAD + "other = model", "has several models: name one of model, o"),
    "it raises": ("1 / 0", "raises ZeroDivisionError: division by zero"),
    "it exits": ("raise SystemExit(3)", "raises SystemExit: 3"),
    "no message": (
        "raise type('E', (Exception,), {'__str__': lambda e: 1 / 0})",
        "raises E: no message, for str() raises ZeroDivisionError",
    ),
    "a long message": ("raise ValueError('x' * 10**6)", "(1,000,000 characters)"),
    "no beginning": (
        HEAD.replace("@model.initial", ""),
        "wrong.py:16: the model counter has no beginning: write `@model.initial`",
    ),
    "no state": (
        HEAD.replace("return Counter()", "return 0"),
        "wrong.py:18: zero returns an int, expected a state",
    ),
    "a list": (
        HEAD.replace("value: int = 0", "value: list[int] = []"),
        "the field Counter.value holds a list, which can change or has no canonical"
        " form: use a tuple",
    ),
    "a list in the first state": (
        HEAD.replace("return Counter()", "return Counter(([0], 0))")
        + ACTION.format("yield s.evolve(value={0: 1})"),
        "wrong.py:18: zero gives value a tuple with a list in it, which can change",
    ),
    "a dict": (
        HEAD.replace("value: int = 0", "value: dict[str, int] = {}"),
        "holds a dict",
    ),
    "no default": (
        HEAD.replace("value: int = 0", "value: int = 0\n    size: int"),
        "a field of Counter without a default comes behind one",
    ),
    "no domain": (
        HEAD + "@model.action\ndef go(s: Counter, at: str) -> Iterator[Counter]:\n"
        "    yield s\n",
        "go has the parameter at: str, and nothing says which values that has",
    ),
    "the bounds as a parameter": (
        HEAD + "@model.action\ndef go(s: Counter, size: Size) -> Iterator[Counter]:\n"
        "    yield s\n",
        "go has the bounds as its parameter size: have the state hold them, in a field"
        " `size: Size = constant()`, and ask `s.size`",
    ),
    "no annotation": (
        HEAD + "@model.action\ndef go(s: Counter, at) -> Iterator[Counter]:\n"
        "    yield s\n",
        "go says no type of at: annotate it",
    ),
    "it returns": (
        HEAD + "@model.action\ndef go(s: Counter) -> Counter:\n    return s\n",
        "go returns its next state: write `yield s.evolve",
    ),
    "a lambda": (
        HEAD + "model.always(lambda s: True)\n",
        "a property is a lambda, which has no name",
    ),
    "two of one name": (
        HEAD + "def good(s: Counter) -> bool:\n    return True\n"
        "model.always(good)\nmodel.sometimes(good)\n",
        "there is a function good in the model already",
    ),
    "no action": (
        HEAD,
        "wrong.py:16: the model counter has no action: write `@model.action`",
    ),
    "a queue as a bare tuple": (
        HEAD.replace("value: int = 0", "value: tuple[int, ...] = ()")
        + ACTION.format("yield s.evolve(value=(*s.value, 1))"),
        "wrong.py:22: go: `value` is a family: give {index: value}, since a tuple has"
        " one cell for each element and keeps its length; to write all, give `dict(",
    ),
    "None or a record": (
        HEAD.replace("value: int = 0", "value: Size | None = None"),
        "the field Counter.value holds a Size or None, but a cell keeps its class: use"
        " Optional[Size]",
    ),
    "a cell that changes its class": (
        HEAD.replace("value: int = 0", "value: object = 0")
        + ACTION.format("yield s.evolve(value=Size())"),
        "wrong.py:22: go gives value a Size where an int was, but a cell keeps",
    ),
    "a state that is no State": (
        HEAD.replace("class Counter(State)", "@attrs.frozen\nclass Counter")
        + ACTION.format("yield s"),
        "zero returns a Counter, expected a state: a class derived from",
    ),
    "a record that is not frozen": (
        HEAD.replace(
            "class Counter(State):",
            "@attrs.define\nclass Box:\n    n: int = 0\n\nclass Counter(State):",
        ).replace("value: int = 0", "value: Box = Box()"),
        "the field Counter.value holds a Box, which can change",
    ),
    "a dataclass": (
        HEAD.replace(
            "class Counter(State):",
            "@dataclasses.dataclass(frozen=True)\nclass Box:\n    n: int = 0\n\n"
            "class Counter(State):",
        ).replace("value: int = 0", "value: Box = Box()"),
        "the field Counter.value holds a Box",
    ),
    "a bag of items that are no copies": (
        HEAD.replace("value: int = 0", "value: Bag[int] = Bag(frozenset({7}))")
        + ACTION.format("yield s"),
        "gives value a Bag without all copies of its items, (item, 1) to (item, n)",
    ),
    "a bag without the first copy": (
        HEAD.replace("value: int = 0", "value: Bag[int] = Bag()")
        + ACTION.format("yield s.evolve(value=Bag(frozenset({(7, 2)})))"),
        "wrong.py:22: go gives value a Bag without all copies",
    ),
    "attrs.evolve": (
        HEAD + ACTION.format("yield attrs.evolve(s, value=1)"),
        "wrong.py:22: go makes a state by Counter(…) or attrs.evolve",
    ),
    "no evolve": (
        HEAD + ACTION.format("yield Counter(1)"),
        "which reads all of the old one: write `yield s.evolve(cell=value)`",
    ),
    "it changes the state": (
        HEAD + ACTION.format("s.value = 1; yield s"),
        "wrong.py:22: go changes a state, which never changes: write `yield s.evolve",
    ),
    "it yields nothing": (
        HEAD + ACTION.format("yield None"),
        "wrong.py:22: go yields nothing, expected a state: write `yield s.evolve",
    ),
    "a list as a value": (
        HEAD + ACTION.format("yield s.evolve(value=[1])"),
        "wrong.py:22: go gives value a list, which can change: use a tuple where",
    ),
    "hidden state": (
        HEAD
        + "COUNT = []\n"
        + ACTION.format("COUNT.append(1); yield s.evolve(value=len(COUNT))"),
        "go gives other next states when it is run again: an action reads nothing but",
    ),
    "a property that returns nothing": (
        HEAD
        + ACTION.format("yield s")
        + "@model.always\ndef good(s: Counter) -> bool:\n    s.value == 0\n",
        "wrong.py:25: good returns nothing, expected True or False",
    ),
    "a beginning without bounds": (
        HEAD.replace("zero(size: Size)", "zero()") + ACTION.format("yield s"),
        "zero is a beginning: expected one parameter, the bounds: Size",
    ),
    "a domain that is no bound": (
        HEAD.replace('"processes"}', '"proceses"}') + ACTION.format("yield s"),
        "names no bound; those of Size are processes",
    ),
    "too many values": (
        HEAD.replace('"processes"}', "lambda size: range(6_000)}")
        + ACTION.format("yield s"),
        "wrong.py:7: the model counter has more than 5,000 values of Process",
    ),
    "a symmetry without a domain": (
        HEAD.replace('{Process: "processes"}', "{}")
        + "model.symmetric(Process, 'value')\n",
        "wrong.py:16: the model counter has no domain of Process",
    ),
    "a symmetry of no tuple": (HEAD + SYMMETRIC, "'value') names no tuple of Counter"),
    "a symmetry of too short a tuple": (
        HEAD.replace("value: int = 0", "value: tuple[int, ...] = (0,)") + SYMMETRIC,
        "model.symmetric(Process, 'value') names a tuple with 1 elements, and there are"
        " 2 ids: it has to have one for each",
    ),
    "a symmetry within no tuple": (
        HEAD.replace("value: int = 0", "value: tuple[int, ...] = (0, 0)")
        + SYMMETRIC.replace("'value'", "'value', 'value[]'"),
        "model.symmetric(Process, 'value[]') names no tuple of Counter",
    ),
    "no state first": (
        HEAD + "@model.action\ndef go(n: int) -> Iterator[Counter]:\n    yield n\n",
        "go takes no state first, since int is none: derive the state's class",
    ),
    "no action to replace": (
        HEAD + "def go(s: Counter) -> Iterator[Counter]:\n    yield s\n"
        "model.variant('v', {go: go})\n",
        "go is no action, so no variant can replace it",
    ),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=list(WRONG))
def test_what_is_wrong_has_one_message(text: str | None, message: str) -> None:
    """It says what is wrong, where, and how it is written; the code is 151."""
    if text is not None:
        Path("wrong.py").write_text(text, "utf-8")
    require_message(run("check", "wrong.py"), 151, message)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--engine", "spni"), 2, "'spni' is not one of 'breadth-first'"),
        (("--symetry",), 2, "No such option"),
        (("--bounds", "participant=2"), 151, 'did you mean "participants"?'),
        (("--bounds", "participants=0"), 151, "participants"),
        (("--protocol", "impatent"), 151, 'did you mean "impatient"?'),
        (
            ("--invariant", "participants_agre"),
            151,
            'did you mean "participants_agree"?',
        ),
    ],
)
def test_what_is_wrong_on_the_command_line(
    words: tuple[str, ...], code: int, message: str
) -> None:
    """It is told as for a shipped scenario."""
    done = run("check", "two_phase.py", *words)
    assert done.exit_code == code
    assert message in done.stderr


@pytest.mark.parametrize(
    "end", ["raise SystemExit(0)", "raise GeneratorExit", "import sys; sys.exit('x')"]
)
@pytest.mark.parametrize("options", [("--engine", "naive"), ("--threads", "2"), ()])
def test_a_model_that_ends_the_process(
    folder: Path, end: str, options: tuple[str, ...]
) -> None:
    """In a later state: the code of the process is not the model's."""
    last = f"if s.value == 3: {end}\n    yield s.evolve(value=s.value + 1)"
    (folder / "wrong.py").write_text(HEAD + ACTION.format(last), "utf-8")
    done = run("check", "wrong.py", "--no-cache", *options)
    require_message(done, 75, "the model ends the search by")
    assert "wrong.py:2" in done.stderr


def test_a_model_that_ends_the_process_of_fuzz(folder: Path) -> None:
    """The library that draws does not take it for a failure, and draw again."""
    last = "if s.value == 3: raise SystemExit(0)\n    yield s.evolve(value=s.value + 1)"
    (folder / "wrong.py").write_text(HEAD + ACTION.format(last), "utf-8")
    done = run("fuzz", "wrong.py", "--examples", "9")
    require_message(done, 75, "the model ends the search by SystemExit: 0")


@pytest.mark.parametrize("name", ["a\x1bb", "a\nb", "a\u202eb", "a\udcffb"])
def test_a_path_that_no_line_can_hold(folder: Path, name: str) -> None:
    """Reports name the file of a model, a property or a suite."""
    (folder / name).mkdir()
    for file in ("mine.py", "mine.toml"):
        (folder / name / file).write_text(HEAD, "utf-8")
        done = run("check", f"{name}/{file}")
        require_message(done, 151, "which no report can print: rename the file")
    done = run("check", "replication", "--invariant", f"{name}/mine.py:x")
    require_message(done, 151, "which no report can print: rename the file")
