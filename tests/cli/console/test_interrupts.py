"""Ctrl-C while a function of a model does not end."""

from __future__ import annotations

import signal
from pathlib import Path

from command_line.own_models import COUNTER
from command_line.processes import started
from replicheck.cli.console.interrupts import NOTICE

ENDLESS = (
    COUNTER
    + """
@model.initial
def zero(size: Size) -> Counter:
    return Counter()

@model.action
def go(s: Counter) -> Iterator[Counter]:
    if s.value == 1:
        print("begun", flush=True)
    while s.value == 1:
        pass
    yield s.evolve(value=s.value + 1)
"""
)


def test_the_first_says_that_it_came_and_the_second_ends(tmp_path: Path) -> None:
    """So a user knows that a second one is needed, and does not wait for the first."""
    (tmp_path / "endless.py").write_text(ENDLESS, "utf-8")
    with started(["check", "endless.py", "--engine", "naive"], tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        told = [process.stderr.readline()]
        while told[-1] and NOTICE not in told[-1]:
            told.append(process.stderr.readline())
        assert told[-1] == f"{NOTICE}\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 77
    assert "ended by a second signal" in err
