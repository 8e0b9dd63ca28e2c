"""An attribute that is not there: the message says which ones are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result

from command_line.messages import require_message
from command_line.own_models import COUNTER, example_in, run

CLAIM = """
from enum import Enum
from replicheck.modelling import Queue

class Colour(Enum):
    RED = 1
    BLUE = 2

@model.initial
def zero(size: Size) -> Counter:
    return Counter()

@model.action
def go(s: Counter) -> Iterator[Counter]:
    if s.value < 2:
        yield s.evolve(value=s.value + 1)

@model.always
def good(s: Counter) -> bool:
    {asked}
    return True
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of its own, in which modules are loaded anew."""
    with example_in(tmp_path, monkeypatch):
        yield


def checked(folder: Path, text: str, *options: str) -> Result:
    """What `check` says of a model with more text."""
    file = folder / "asking.py"
    file.write_text(COUNTER + text, "utf-8")
    return run("check", str(file), "--no-cache", *options)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("s.valeu", "; Counter has evolve, value ("),
        ("Queue().tail", "; Queue has append, evolve, first, has_items, has_room, is"),
        ("Colour.GREEN", "GREEN; Colour has RED, BLUE"),
        ("'a'.uper()", "; str has upper, isupper"),
        ("s.value.low", "'int' object has no attribute 'low' ("),
    ],
)
@pytest.mark.parametrize("engine", ["naive", "breadth-first"])
def test_what_there_is_in_its_place(
    tmp_path: Path, asked: str, told: str, engine: str
) -> None:
    """Whichever engine asks; of many, those that look alike, and of numbers none."""
    done = checked(tmp_path, CLAIM.format(asked=asked), "--engine", engine)
    assert done.exit_code == 75
    assert told in done.output


def test_a_decorator_that_a_model_does_not_have(tmp_path: Path) -> None:
    """One that looks alike is told."""
    done = checked(tmp_path, "@model.step\ndef good(s, after): ...\n")
    require_message(done, 151, "no attribute 'step'; Model has every_step (")
