"""Spin, where it is installed: compile and run a model, and read what it says."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from attrs import frozen

MISSING = [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]
needs_spin = pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"
)


@frozen
class Verdict:
    """What Spin counted, and the first assertion that failed or other error."""

    stored: int
    transitions: int
    error: str


def run(folder: Path, text: str, *options: str) -> Verdict:
    """Search a model with Spin."""
    (folder / "model.pml").write_text(text, "utf-8")
    _do(folder, "spin", *options, "-a", "model.pml")
    # Without optimisation: the models are small, and compiling takes the longest.
    _do(folder, "gcc", "-O0", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c")
    said = _do(folder, "./pan", "-m100000", "-w16")
    assert "max search depth too small" not in said
    error = re.search(r"pan:\d+: (?:assertion violated )?(.*) \(at depth", said)
    return Verdict(
        _number(r"(\d+) states, stored", said),
        _number(r"(\d+) transitions", said),
        error[1] if error else "",
    )


def _do(folder: Path, *command: str) -> str:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    return said


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found is not None, text
    return int(found[1])
