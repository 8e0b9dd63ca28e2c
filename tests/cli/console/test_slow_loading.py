"""A model that takes long to load is told of, so that nothing hangs in silence."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line.own_models import COUNTER, imports_of
from replicheck.cli.console import start_notice
from replicheck.cli.main import main

BEGINS = """
import time

@model.initial
def zero(bounds: Size) -> Counter:
    time.sleep(SECONDS)
    return Counter()

@model.action
def go(s: Counter) -> Iterator[Counter]:
    if s.value < 3:
        yield s.evolve(value=s.value + 1)
"""
"""A model whose initial state takes so many seconds."""


@pytest.mark.parametrize(("seconds", "is_told"), [("0.5", True), ("0", False)])
def test_a_model_that_takes_long_to_load_is_named(
    seconds: str, is_told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice says what has not ended; a model that loads fast has none."""
    monkeypatch.setattr(start_notice, "PATIENCE", 0.2)
    with imports_of(tmp_path, monkeypatch):
        Path("begins.py").write_text(COUNTER + BEGINS.replace("SECONDS", seconds))
        done = CliRunner().invoke(main, ["show", "begins.py"])
    assert done.exit_code == 0, done.output
    assert ("loading begins.py takes long: its code, or a fu" in done.stderr) is is_told
