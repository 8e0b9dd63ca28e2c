"""Output of a command: a file that is written whole, or standard output."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from replicheck.cli.console.exit_codes import ExitCode
from replicheck.explorer.runtime.atomic_files import write_atomically

STANDARD_OUTPUT = "-"
"""Stands for standard output where the name of a file is expected."""


class OutputError(click.ClickException):
    """A file that the user named cannot be written."""

    exit_code = ExitCode.USAGE


def write_output(path: str, text: str, option: str) -> None:
    """Write a text to the file that an option names; ``-`` is standard output.

    Raises:
        OutputError: if the file cannot be written.
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    try:
        write_atomically(Path(path), text)
    except OSError as error:
        why = error.strerror or error
        raise OutputError(f"{option}: {path} cannot be written: {why}") from error
