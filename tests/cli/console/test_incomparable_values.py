"""A value of a model that cannot be hashed or compared without an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line.own_models import imports_of, run

INCOMPARABLE = """
from collections.abc import Iterator
from replicheck.modelling import Model, State

class Odd(int):
    def METHOD:
        raise ValueError("no number is odder")
    REST

class Counter(State):
    value: int = 0
    odd: object = 0

model = Model("counter")

@model.initial
def zero(bounds: object) -> Counter:
    return Counter()

@model.action
def go(s: Counter) -> Iterator[Counter]:
    yield s.evolve(value=s.value + 1, odd=Odd(3) if s.value == 2 else 0)
"""


@pytest.mark.parametrize(
    ("engine", "method", "rest"),
    [
        ("breadth-first", "__hash__(self)", ""),
        ("naive", "__hash__(self)", ""),
        ("naive", "__eq__(self, other)", "__hash__ = int.__hash__"),
    ],
)
def test_a_value_that_cannot_be_compared_is_told_with_its_line(
    engine: str,
    method: str,
    rest: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It raises where the engine asks it, and not where the model does."""
    text = INCOMPARABLE.replace("METHOD", method).replace("REST", rest)
    with imports_of(tmp_path, monkeypatch):
        Path("odd.py").write_text(text, "utf-8")
        done = run("check", "odd.py", "--engine", engine, "--no-cache")
    assert done.exit_code == 75, done.output
    told = "raises ValueError: no number is odder (odd.py:7) where the engine asks one"
    assert told in done.stderr
