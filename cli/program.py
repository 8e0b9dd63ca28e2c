"""The program ``replicheck``: what is settled before the rest is imported.

Nothing here uses BLAS, whose threads NumPy starts when it is imported. And what imports
and learning make is hardly ever garbage: to look for some as often as Python does of
itself takes a twentieth of a small search, and as much again when the process ends.
"""

from __future__ import annotations

import gc
import os
import sys

from replicheck.cli.console import streams
from replicheck.cli.console.exit_codes import ExitCode

NEW_OBJECTS = 100_000
"""So many new objects, less those that are gone, before Python looks for garbage."""


def main() -> None:
    """Run the command that the arguments of the process name."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(NEW_OBJECTS)
    output = streams.take_over()
    try:
        from replicheck.cli.main import main as command

        command()
    except KeyboardInterrupt:
        _end(ExitCode.INCOMPLETE, "interrupted")
    except SystemExit:
        sys.stdout.flush()
        if output.error is not None:
            reason = streams.reason(output.error)
            _end(ExitCode.USAGE, f"standard output cannot be written: {reason}")
        raise
    finally:
        gc.freeze()


def _end(code: ExitCode, message: str) -> None:
    print(f"Error: {message}", file=sys.stderr)
    sys.exit(code)
