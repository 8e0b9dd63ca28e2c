"""A seed decides everything, on every machine."""

from __future__ import annotations

import os
import subprocess
import sys

from checkout import HELPERS

SEEDED = HELPERS / "seeded_walks.py"
PINNED = """\
counter uniform 90bfb3e511112b61
counter priorities a48f13cfa2904c4f
"""
"""What two strategies make of seed 7 on a model that never changes."""


def run(threads: int, **environment: str) -> list[str]:
    """The lines of the program, in a process with this environment."""
    done = subprocess.run(
        [sys.executable, SEEDED, str(threads)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines(keepends=True)


def test_the_same_seed_gives_the_same_run_in_every_process() -> None:
    """Hash seed, locale and threads do not matter, and today is as yesterday."""
    one = run(1, PYTHONHASHSEED="1", LC_ALL="C")
    other = run(2, PYTHONHASHSEED="2", LC_ALL="C.UTF-8", OMP_NUM_THREADS="1")
    assert one == other
    assert len(one) == 8
    assert "".join(one[:2]) == PINNED
