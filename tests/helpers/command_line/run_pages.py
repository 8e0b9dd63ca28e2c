"""The pages of the documentation whose commands are run, and these commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from checkout import DOCS

BLOCK = re.compile(r"^```text\n(\$ replicheck .*?)^```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n?", re.MULTILINE)
QUICK = ("first-counterexample", "from-tla", "incident", "liveness", "validation")
SLOW = (
    "../README",
    "ci",
    "decisions/0007-step-reductions",
    "kip-112",
    "kraft",
    "questions",
    "tour",
    "traces",
)
PAGES_THAT_RUN = tuple(DOCS / f"{name}.md" for name in (*QUICK, *SLOW))


def commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a page with the lines that are shown of its output."""
    for block in BLOCK.findall(page.read_text("utf-8")):
        _, *parts = COMMAND.split(block)
        for command, output in zip(parts[::2], parts[1::2], strict=True):
            yield command.replace("\\\n", " "), output.splitlines()
