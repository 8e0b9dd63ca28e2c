"""Errors of logs: what cannot be read, or has another form, by its file and line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replicheck.explorer.errors import message_of
from replicheck.explorer.runtime.bounded_files import read_bounded

OF_ANOTHER_FORM = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What is raised where a part is missing, or is of another type."""


class LogError(Exception):
    """A log cannot be read, or a line of it has another form than its kind has."""


@contextmanager
def errors_at(
    place: str, problem: str = "is torn, or has another form than is known"
) -> Iterator[None]:
    """Context in which a line is read, so that an error names its place.

    Raises:
        LogError: if the line has another form.
    """
    try:
        yield
    except OF_ANOTHER_FORM as error:
        raise LogError(f"{place}: {problem}: {_words(error)}") from error


def _words(error: Exception) -> str:
    """Words for what is wrong with a line, by the error that it led to."""
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing, or is not known"
    return message_of(error)


def read_log(path: Path) -> bytes:
    """Content of a log that is no larger than what is read at once.

    Raises:
        LogError: if it cannot be read.
    """
    try:
        return read_bounded(path)
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror}") from error
