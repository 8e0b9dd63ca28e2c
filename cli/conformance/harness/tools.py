"""Tools of Java that the harness needs: each runs to its end, or says why not."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from replicheck.cli.conformance.harness.errors import HarnessUnavailable

SECONDS = 600
"""After so long a tool is taken to hang."""


def run_tool(
    command: Sequence[str | Path], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Outcome of a program that runs in a folder, with what it printed.

    Raises:
        HarnessUnavailable: if it does not start, or hangs.
    """
    try:
        return subprocess.run(
            [*map(str, command)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HarnessUnavailable(f"{command[0]} did not end well: {error}") from error
