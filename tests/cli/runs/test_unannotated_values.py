"""Saved runs with values of classes that no cell is annotated with."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line.own_models import run
from replicheck.cli.saved_traces.trace_reading import classes_of
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.own.registration import add_model

HEAD = """
from collections.abc import Iterator
from enum import Enum
from pathlib import PurePath
from attrs import frozen
from replicheck.modelling import Bounds, Model, State, Value
import letters

class Mode(Enum):
    SLOW = 1
    FAST = 2

class Offer(Value):
    size: int

class Net(State):
    sent: frozenset[object] = frozenset()
    steps: int = 0

def hidden() -> type:
    class Secret(Value):
        size: int
    return Secret

SECRETS = {"class": hidden()}

model = Model("values", domains={Offer: lambda bounds: (Offer(1), Offer(2))})

@model.initial
def silent(bounds: Bounds) -> Net:
    return Net()

@model.always
def few(s: Net) -> bool:
    return s.steps < 2
"""
ACTIONS = {
    "enumeration": "(s: Net, mode: Mode)",
    "value": "(s: Net, offer: Offer)",
    "letter": "(s: Net)",
    "class in a module": "(s: Net)",
    "class in a function": "(s: Net)",
}
SENT = {
    "letter": "Offer(s.steps)",
    "class in a module": "letters.Letter(s.steps)",
    "class in a function": "SECRETS['class'](s.steps)",
}
LETTERS = """
from replicheck.modelling import Value

class Letter(Value):
    size: int
"""

pytestmark = pytest.mark.usefixtures("folder")


def write_model(kind: str) -> None:
    """Write a model whose runs hold a value of a kind."""
    sent = f", sent=frozenset({{{SENT[kind]}}})" if kind in SENT else ""
    action = f"""
@model.action
def step{ACTIONS[kind]} -> Iterator[Net]:
    if s.steps < 2:
        yield s.evolve(steps=s.steps + 1{sent})
"""
    Path("letters.py").write_text(LETTERS, "utf-8")
    Path("values.py").write_text(HEAD + action, "utf-8")


@pytest.mark.parametrize(
    "kind", ["enumeration", "value", "letter", "class in a module"]
)
def test_a_run_with_a_value_that_no_cell_names_is_read(kind: str) -> None:
    """Both by the cache, and by a replay of the file that was saved."""
    write_model(kind)
    for _ in range(2):
        done = run("check", "values.py", "--engine", "naive")
        assert done.exit_code == 12, done.output
    assert "from the cache of an earlier run" in done.stdout
    (file,) = Path("counterexamples").iterdir()
    replayed = run("trace", "replay", str(file), "--model", "values.py")
    assert "still violates" in replayed.stdout, replayed.output


@pytest.mark.parametrize("command", ["check", "simulate"])
def test_a_run_that_could_not_be_read_is_not_saved(command: str) -> None:
    """The reader learns so at once, with the class that nothing leads to."""
    write_model("class in a function")
    done = run(command, "values.py")
    assert done.exit_code == 12, done.output
    assert "has a value of the class values:hidden.<locals>.Secret" in done.output
    assert not Path("counterexamples").exists()


def test_a_trace_has_no_class_made_that_the_model_does_not_mention() -> None:
    """Names that a model imports, but for values, are none of its own."""
    write_model("value")
    catalogue = Catalogue.shipped()
    name = add_model(catalogue.systems, catalogue.scenarios, "values.py")
    known = set(classes_of(catalogue, name))
    assert known == {
        "values:Net",
        "values:Mode",
        "values:Offer",
        "letters:Letter",
    }
