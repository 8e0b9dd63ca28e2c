"""The installed command in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

REPLICHECK = Path(sys.executable).with_name("replicheck")


def run(arguments: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the installed command to its end."""
    return subprocess.run(
        [REPLICHECK, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def started(arguments: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    """The installed command, whose outputs can be read while it runs."""
    return subprocess.Popen(
        [REPLICHECK, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupted(arguments: Sequence[str], folder: Path) -> tuple[int, str, str]:
    """Run the installed command and send Ctrl-C once a search has begun."""
    with started(arguments, folder) as process:
        assert process.stderr is not None
        began = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, began + err
