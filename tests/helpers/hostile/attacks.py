"""Attacks: a hostile command line with its files, and the law for what it does.

Whatever a file or an argument holds: the exit code is a documented one, no user sees a
traceback or a control character, and nothing is written but where the user said.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Mapping
from contextlib import chdir
from pathlib import Path

from attrs import field, frozen
from click.testing import CliRunner, Result

import toys
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.main import main
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.printable_text import printable

MOST_SECONDS = 30.0
"""Of the processor, for one input: a hang is a failure, a slow machine is none."""
INSIDE = "inside"
"""The folder in which a command runs; nothing may be written beside it."""


@frozen
class Attack:
    """A command line with the files that it finds."""

    arguments: tuple[str, ...]
    files: Mapping[str, bytes]
    shipped: bool = False
    """Whether the catalogue is the shipped one, not that of the counters."""
    environment: Mapping[str, str] = field(factory=dict)


def problem_with(attack: Attack) -> str:
    """What a command did that none may do with any input; empty if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / INSIDE
        inside.mkdir()
        for name, content in attack.files.items():
            (inside / name).parent.mkdir(parents=True, exist_ok=True)
            (inside / name).write_bytes(content)
        catalogue = Catalogue.shipped() if attack.shipped else toys.catalogue()
        before = time.process_time()
        with chdir(inside), warnings.catch_warnings(action="ignore"):
            found = CliRunner(env=attack.environment).invoke(
                main, attack.arguments, obj=catalogue
            )
        seconds = time.process_time() - before
        beside = sorted({path.name for path in Path(folder).iterdir()} - {INSIDE})
    return _problem_of(found) or _problem_around(beside, seconds)


def _problem_of(found: Result) -> str:
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        return f"raised {type(found.exception).__name__}: {found.exception}"
    if found.exit_code not in [int(code) for code in ExitCode]:
        return f"exit code {found.exit_code}"
    if "Traceback (most recent call last)" in found.output:
        return "a traceback was printed"
    if printable(found.output) != found.output:
        return "a control character was printed"
    if any(line.startswith("::") for line in found.output.splitlines()):
        return "a command of a CI server was printed"
    return ""


def _problem_around(beside: list[str], seconds: float) -> str:
    if beside:
        return f"wrote {beside} outside of its folder"
    if seconds > MOST_SECONDS:
        return f"took {seconds:.0f} s"
    return ""
