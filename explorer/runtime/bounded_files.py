"""Bounded input: files of a limited size, and JSON of limited nesting and integers.

What comes from outside is measured before it is read, so that no file makes the program
wait for a pipe, fill the memory with a device, or recurse without end.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

MOST_BYTES = 256 * 2**20
"""The largest file of JSON: far more than any trace, manifest or result has."""
MOST_DIGITS = 40
"""The longest integer: more than the 20 digits of 64 bits."""


def read_bounded(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Content of a regular file that is no larger than ``most_bytes``.

    Raises:
        OSError: if it cannot be read, is larger, or is a folder, a device or a pipe.
    """
    try:
        # Without O_NONBLOCK a pipe would keep us waiting for a writer.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise OSError(errno.EINVAL, "its name has a NUL character") from error
    with os.fdopen(handle, "rb") as file:
        known = os.fstat(handle)
        if stat.S_ISDIR(known.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(known.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        if known.st_size > most_bytes:
            raise OSError(errno.EFBIG, f"it is larger than {most_bytes:,} bytes")
        return file.read(known.st_size)


def parse_json(text: str | bytes) -> Any:
    """Value of a JSON text.

    Raises:
        ValueError: if it is no JSON, nested too deeply, or has a number that is no JSON
            or longer than `MOST_DIGITS`.
    """
    try:
        return json.loads(text, parse_int=_integer, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(
            f"it has an integer of {len(digits):,} digits, expected at most"
            f" {MOST_DIGITS}"
        )
    return int(digits)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"it has the number {name}, which is no JSON")
