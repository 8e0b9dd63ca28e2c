"""The program ``replicheck``: what is settled before the rest is imported.

Nothing here uses BLAS, whose threads NumPy starts when it is imported. And what imports
and learning make is hardly ever garbage: to look for some as often as Python does of
itself takes a twentieth of a small search, and as much again when the process ends.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from replicheck.cli.console import streams
from replicheck.cli.console.exit_codes import ExitCode, code_without_output

NEW_OBJECTS = 100_000
"""So many new objects, less those that are gone, before Python looks for garbage."""


def main() -> None:
    """Run the command that the arguments of the process name."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(NEW_OBJECTS)
    output = streams.take_over()
    try:
        _require_current_folder()
        _load_command()()
    except KeyboardInterrupt:
        _end(ExitCode.INCOMPLETE, "interrupted")
    except SystemExit as end:
        sys.stdout.flush()
        if output.error is not None:
            reason = streams.reason(output.error)
            code = code_without_output(end.code)
            _end(code, f"standard output cannot be written: {reason}")
        raise
    finally:
        gc.freeze()


def _require_current_folder() -> None:
    """End if the current directory was deleted: nothing can be found from there."""
    try:
        Path.cwd()
    except OSError as error:
        reason = streams.reason(error)
        _end(ExitCode.USAGE, f"the current directory cannot be used: {reason}")


def _load_command() -> Callable[[], object]:
    """The command group; to import it may already take more than there is."""
    try:
        from replicheck.cli.main import main as command
    except (ImportError, MemoryError, OSError) as error:
        _end(ExitCode.UNAVAILABLE, f"replicheck cannot start: {error}")
    return command


def _end(code: ExitCode, message: str) -> NoReturn:
    print(f"Error: {message}", file=sys.stderr)
    sys.exit(code)
