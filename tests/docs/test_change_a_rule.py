"""The walk through a change of a rule, in docs/change-a-rule.md, is true."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checkout import DOCS, ROOT

PAGE = (DOCS / "change-a-rule.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", PAGE, re.DOTALL)
GUARD, MUTATION = [text for language, text in BLOCKS if language == "python"]
(MUTANT,) = [text for language, text in BLOCKS if language == "toml"]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy the packages, to be changed."""
    for name in (".imports", "model", "invariants", "explorer", "traces", "cli"):
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True)
    return tmp_path


def run(copy: Path, command: str) -> str:
    """Run a command of the page with the changed packages; return what it prints."""
    words = [sys.executable, "-m", "replicheck.cli", *command.split()[1:]]
    done = subprocess.run(
        words,
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy / ".imports")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def commands(word: str) -> tuple[str, str]:
    """The one command of the page with a word in it, and its output there."""
    shells = [text for language, text in BLOCKS if not language and word in text]
    (text,) = shells
    command, _, output = text.removeprefix("$ ").partition("\n")
    return command, output


def test_one_search_finds_the_rule() -> None:
    """It leads to the file of the function, which has the lines that the page shows."""
    _, output = commands("grep -r ")
    for found in output.strip().splitlines():
        place, _, text = found.partition(":")
        content = (ROOT / place).read_text("utf-8")
        assert text.strip() in content
        assert GUARD in content


def test_the_change_in_place(copy: Path) -> None:
    """The run of the KIP stops at the step that the page names."""
    file = copy / "model" / "cluster" / "broker" / "log_creation.py"
    file.write_text(file.read_text("utf-8").replace(GUARD, ""), "utf-8")
    command, output = commands("Error: cluster/scenarios")
    assert run(copy, command).strip() == output.strip()


def test_the_change_by_name(copy: Path) -> None:
    """The mutation is caught as the page says, also as an entry of the mutants."""
    file = copy / "model" / "cluster" / "mutations" / "broker" / "log_creation.py"
    file.write_text(file.read_text("utf-8") + "\n\n" + MUTATION, "utf-8")
    command, output = commands("VIOLATED")
    assert output.strip() in run(copy, command)
    data = copy / "invariants" / "cluster" / "mutants" / "creation.toml"
    data.write_text(data.read_text("utf-8") + "\n" + MUTANT, "utf-8")
    assert "11" in run(copy, "replicheck mutants create-anywhere")
