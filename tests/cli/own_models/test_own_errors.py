"""What can be wrong with a model of a user's own: one message each, no traceback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line.own_models import example_in, run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folder with an example, which is the current one."""
    with example_in(tmp_path, monkeypatch):
        yield tmp_path


HEAD = """
from __future__ import annotations
from collections.abc import Iterator
from replicheck.modelling import Bounds, Id, Model, State, bound

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

WRONG = {
    "no file": (None, "wrong.py: there is no such file"),
    "no syntax": ("def", "wrong.py: line 1: invalid syntax"),
    "no model": ("x = 1", "there is no model in it: write `model = Model"),
    "two models": (HEAD + "other = model", "has several models: name one of model, o"),
    "it raises": ("1 / 0", "raises ZeroDivisionError: division by zero"),
    "no beginning": (
        HEAD.replace("@model.initial", ""),
        "has no beginning: write `@model.initial`",
    ),
    "no state": (
        HEAD.replace("return Counter()", "return 0"),
        "wrong.py:17: zero returns a int, expected a state",
    ),
    "a list": (
        HEAD.replace("value: int = 0", "value: list[int] = []"),
        "the field Counter.value holds a list, which can change or has no canonical"
        " form: use a tuple",
    ),
    "a dict": (
        HEAD.replace("value: int = 0", "value: dict[str, int] = {}"),
        "holds a dict",
    ),
    "no domain": (
        HEAD + "@model.action\ndef go(s: Counter, at: str) -> Iterator[Counter]:\n"
        "    yield s\n",
        "go has the parameter at: str, and nothing says which values that has",
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
    done = run("check", "wrong.py")
    assert done.exit_code == 151
    assert message in done.stderr
    assert "Traceback" not in done.output
