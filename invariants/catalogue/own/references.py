"""References to a model or a property of a user's own: by a file or a module."""

from __future__ import annotations

import re

REFERENCE = re.compile(
    r"(?P<file>[^:]+\.py)(:(?P<name>\w+))?|(?P<module>[A-Za-z_][\w.]*):(?P<of>\w+)"
)


def is_reference(text: str) -> bool:
    """Whether a text is ``FILE.py``, ``FILE.py:NAME`` or ``package.module:NAME``."""
    return REFERENCE.fullmatch(text) is not None
