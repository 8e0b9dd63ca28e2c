"""Outputs of a command: files that are written whole, folders, standard output."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TextIO

import click
from click.core import ParameterSource

from replicheck.cli.console.exit_codes import ExitCode, code_without_output
from replicheck.explorer.runtime.atomic_files import write_atomically

STANDARD_OUTPUT = "-"
"""Stands for standard output where the name of a file is expected."""


WRITTEN = frozenset(
    {"--json", "--junit", "--html", "--markdown", "--output", "--avoiding"}
)
"""The options of commands that name files which these write."""
RESERVED = "replicheck.standard_output"
"""Where the context of a command has the standard output that is reserved."""


def reserve_standard_output() -> None:
    """Keep standard output for what the running command writes by `write_output`.

    What else is printed until the command ends, as by code of models, goes to standard
    error.
    """
    context = click.get_current_context()
    if RESERVED not in context.meta:
        context.meta[RESERVED] = sys.stdout
        context.with_resource(redirect_stdout(sys.stderr))


def reserve_if_asked(
    context: click.Context, parameter: click.Parameter, path: str | None
) -> str | None:
    """Take the file of an option, and reserve standard output if it is that."""
    if path == STANDARD_OUTPUT:
        reserve_standard_output()
    return path


def reserved_output() -> TextIO | None:
    """The standard output that is reserved, if it is."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(RESERVED)


class OutputError(click.ClickException):
    """A file that the user named cannot be written."""

    exit_code = ExitCode.USAGE


@contextmanager
def telling_what_was_found(code: ExitCode) -> Iterator[None]:
    """Context in which an output that cannot be written does not hide a finding.

    Raises:
        OutputError: if an output cannot be written, with the code of what was found.
    """
    try:
        yield
    except OutputError as error:
        vars(error)["exit_code"] = code_without_output(code)
        raise


def write_output(path: str, text: str, option: str) -> None:
    """Write a text to the file that an option names; ``-`` is standard output.

    Raises:
        OutputError: if the file cannot be written.
    """
    if path == STANDARD_OUTPUT:
        (reserved_output() or sys.stdout).write(text)
        return
    try:
        write_atomically(Path(path), text)
    except OSError as error:
        why = error.strerror or error
        raise OutputError(f"{option}: {path} cannot be written: {why}") from error


def require_writable_file(path: str, option: str) -> None:
    """Refuse a file that could not be written at the end of a long search.

    Raises:
        click.UsageError: if it could not.
    """
    if path == STANDARD_OUTPUT:
        return
    file = Path(path)
    if file.is_dir():
        raise click.UsageError(f"{option}: {path} is a directory")
    if not file.parent.is_dir():
        raise click.UsageError(f"{option}: there is no directory {file.parent}")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise click.UsageError(f"{option}: {path} cannot be written")
    if _is_device(file):
        return
    if file.is_file() and any(file.samefile(source) for source in _files_read(option)):
        raise click.UsageError(
            f"{option}: {path} is read, and would be lost: name another file"
        )
    _require_new_files(file.parent, file, option)


def _require_new_files(there: Path, wanted: Path, option: str) -> None:
    """Refuse an output in a folder that takes no new file, such as those of a kernel.

    Raises:
        click.UsageError: if it takes none.
    """
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        why = f"{there} takes no new file: {error.strerror or error}"
        raise click.UsageError(
            f"{option}: {wanted} cannot be written: {why}"
        ) from error


def _files_read(option: str) -> Iterator[Path]:
    """Yield the files that the command was given, but for those that it writes."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    for parameter in context.command.params:
        if not WRITTEN.union({option}).isdisjoint(parameter.opts):
            continue
        value = context.params.get(parameter.name or "")
        for given in value if isinstance(value, tuple | list) else (value,):
            # Of what a reference names, the file is before the colon.
            for text in (str(given), str(given).rpartition(":")[0]):
                with suppress(OSError, ValueError):
                    if text and Path(text).is_file():
                        yield Path(text)


def _is_device(file: Path) -> bool:
    """Tell whether a file is a device or a pipe, which is written to as it is."""
    return file.exists() and not file.is_file()


def require_writable_reports(reports: Mapping[str, str]) -> None:
    """Refuse reports that cannot be written; ``reports`` maps each form to its file.

    Raises:
        click.UsageError: if one cannot, several are to be standard output, or two are
            to be one file.
    """
    for form, path in reports.items():
        require_writable_file(path, f"--{form}")
    to_stdout = [form for form, path in reports.items() if path == STANDARD_OUTPUT]
    if len(to_stdout) > 1:
        options = " and ".join(f"--{form}" for form in to_stdout)
        raise click.UsageError(f"{options} cannot both be standard output")
    options_of: dict[Path, str] = {}
    for form, path in reports.items():
        file = Path(path)
        if path == STANDARD_OUTPUT or _is_device(file):
            continue
        first = options_of.setdefault(file.resolve(), f"--{form}")
        if first != f"--{form}":
            raise click.UsageError(
                f"{first} and --{form} are both {path}: give each its own file"
            )


def require_writable_folder(folder: Path, option: str) -> None:
    """Refuse a folder that could neither be made nor written.

    Raises:
        click.UsageError: if it could not.
    """
    there = next(
        parent for parent in (folder, *folder.absolute().parents) if parent.exists()
    )
    if not there.is_dir():
        raise click.UsageError(f"{option}: {there} is no directory")
    if not os.access(there, os.W_OK):
        raise click.UsageError(f"{option}: {there} cannot be written")
    _require_new_files(there, folder, option)


def require_writable_traces(folder: Path) -> None:
    """Refuse a folder for runs that the user named and that could not be written.

    Where it is the default, a search goes on: it may find no run, and prints what it
    finds.

    Raises:
        click.UsageError: if it could not.
    """
    source = click.get_current_context().get_parameter_source("traces")
    if source is not ParameterSource.DEFAULT:
        require_writable_folder(folder, "--traces")
