"""A model that takes long to load is told of, so that nothing hangs in silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line.own_models import COUNTER, imports_of
from replicheck.cli.console import start_notice
from replicheck.cli.main import main

BEGINS = """
@model.initial
def zero(bounds: Size) -> Counter:
    return Counter()

@model.action
def go(s: Counter) -> Iterator[Counter]:
    if s.value < 3:
        yield s.evolve(value=s.value + 1)
"""


class OverAtOnce:
    """A timer whose time is over when it starts."""

    daemon = False

    def __init__(self, seconds: float, notice: Callable[[], None]) -> None:
        self.notice = notice

    def start(self) -> None:
        self.notice()

    def cancel(self) -> None:
        """Too late."""

    def is_alive(self) -> bool:
        return False


class CancelledInTime(OverAtOnce):
    """A timer that is cancelled before its time is over."""

    def start(self) -> None:
        """The time begins."""


SUITE = """
[[check]]
scenario = "begins.py"
"""

SLOW_AND_FAST = pytest.mark.parametrize(
    ("timer", "is_told"), [(OverAtOnce, True), (CancelledInTime, False)]
)


@SLOW_AND_FAST
def test_a_model_that_takes_long_to_load_is_named(
    timer: type, is_told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The notice says what has not ended; a model that loads fast has none."""
    monkeypatch.setattr(start_notice, "Timer", timer)
    with imports_of(tmp_path, monkeypatch):
        Path("begins.py").write_text(COUNTER + BEGINS)
        done = CliRunner().invoke(main, ["show", "begins.py"])
    assert done.exit_code == 0, done.output
    assert ("loading begins.py takes long: its code, or a fu" in done.stderr) is is_told


@SLOW_AND_FAST
def test_a_suite_whose_models_take_long_to_load_is_named(
    timer: type, is_told: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A suite runs the code of the models that it names."""
    monkeypatch.setattr(start_notice, "Timer", timer)
    with imports_of(tmp_path, monkeypatch):
        Path("begins.py").write_text(COUNTER + BEGINS)
        Path("own.toml").write_text(SUITE)
        done = CliRunner().invoke(main, ["check", "own.toml", "--no-cache"])
    assert done.exit_code == 0, done.output
    told = "loading own.toml takes long: the code of a model, or a fu"
    assert (told in done.stderr) is is_told
