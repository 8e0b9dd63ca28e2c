"""Variants of a user's own models, each of which some property is to catch."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line.own_models import run

MODEL = """
from collections.abc import Iterator
from replicheck.modelling import Model, State

class Desk(State):
    asked: bool = False
    told: bool = False

model = Model("desk")

@model.initial
def quiet(bounds: object) -> Desk:
    return Desk()

@model.action
def ask(s: Desk) -> Iterator[Desk]:
    if not s.asked:
        yield s.evolve(asked=True, told=False)

@model.action
def answer(s: Desk) -> Iterator[Desk]:
    if s.asked:
        yield s.evolve(asked=False, told=True)

def swallow(s: Desk) -> Iterator[Desk]:
    if s.asked:
        yield s.evolve(asked=False)

@model.always
def is_either(s: Desk) -> bool:
    return not (s.asked and s.told)

def is_asked(s: Desk) -> bool:
    return s.asked

def is_told(s: Desk) -> bool:
    return s.told

model.leads_to(is_asked, is_told)
"""

pytestmark = pytest.mark.usefixtures("folder")


def test_a_claim_about_runs_catches_a_variant() -> None:
    """Such as one that leaves out for ever what was to come."""
    variant = 'model.variant("swallows", {answer: swallow})\n'
    Path("desk.py").write_text(MODEL + variant, "utf-8")
    done = run("mutants", "desk.py")
    assert done.exit_code == 0, done.output
    assert "is_asked_leads_to_is_told" in done.stdout
    assert "1 killed" in done.stdout


def test_a_variant_that_nothing_catches_is_checked_again_with_all_claims() -> None:
    """The command that is printed judges claims about runs, too."""
    variant = 'model.variant("same", {ask: ask})\n'
    Path("desk.py").write_text(MODEL + variant, "utf-8")
    done = run("mutants", "desk.py")
    assert done.exit_code == 10, done.output
    command = "replicheck check desk.py --protocol same --livelocks"
    assert command in " ".join(done.stdout.split())
