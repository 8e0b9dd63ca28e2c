"""Printable text: what comes from a model or a file, without control characters.

A control character could move the cursor of a terminal, begin a command of a CI server
in a new line, or make a text look like another. It is written as its escape sequence.
"""

from __future__ import annotations

import re
from pathlib import Path

CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but for tabs and newlines, marks of direction, lone surrogates."""


def printable(text: str) -> str:
    """Text with control characters escaped; lines and tabs stay."""
    return CONTROL.sub(_escaped, text)


def printable_line(text: str) -> str:
    r"""Text in one line: control characters are escaped, newlines as ``\n``."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def printable_path(path: Path) -> str:
    """Path in one printable line; its folder has a name that the user gave."""
    return printable_line(str(path))


def has_control_character(text: str) -> bool:
    """Tell whether a text is not one printable line."""
    return printable_line(text) != text


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()
