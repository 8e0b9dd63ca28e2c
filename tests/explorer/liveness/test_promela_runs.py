"""Claims about runs for ever in Promela, judged by Spin under fairness of processes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from checkout import ROOT
from command_line.own_models import run
from spin import needs_spin

PETERSON = str(ROOT / "bench" / "systems" / "peterson.py")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("peterson", None)


@needs_spin
@pytest.mark.parametrize(
    ("protocol", "code", "told"),
    [("peterson", 0, "errors: 0"), ("takes-no-turns", 15, "acceptance cycle")],
)
def test_spin_comes_to_the_same_verdict(protocol: str, code: int, told: str) -> None:
    """By the commands in the head of the file, for each instance of the claim."""
    assert run("check", PETERSON, "--livelocks", "--protocol", protocol).exit_code == (
        code
    )
    words = ("--format", "promela-liveness", "--output", "model.pml")
    done = run("export", PETERSON, "--protocol", protocol, *words)
    assert done.exit_code == 0, done.output
    head = Path("model.pml").read_text("utf-8").partition("*/")[0]
    commands = re.findall(r"^ \*     ((?:spin|gcc|./pan) .*)$", head, re.MULTILINE)
    assert len(commands) == 4
    said = [
        subprocess.run(command.split(), capture_output=True, text=True, check=True)
        for command in commands
    ]
    assert all(told in search.stdout for search in said[2:])


def test_a_condition_that_holds_nowhere() -> None:
    """It is false where it asks nothing of the state: the leader is no follower."""
    done = run("export", "alter-isr", "--format", "promela-liveness")
    assert done.exit_code == 0, done.output
    claim = done.stdout.partition("never complete_follower_is_left_out_follower_0")[2]
    assert ":: has_begun && (false) && !(true) -> goto accept" in claim


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (str(ROOT / "examples" / "two_phase.py"), "no claim about runs"),
        (str(ROOT / "examples" / "lossy_link.py"), "actions with strong fairness"),
    ],
)
def test_what_spin_lacks_is_refused(model: str, told: str) -> None:
    """In one line that says why."""
    done = run("export", model, "--format", "promela-liveness")
    assert done.exit_code == 151
    assert told in done.stderr
