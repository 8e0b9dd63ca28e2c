"""What ``replicheck mutants --json -`` found, for the page of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from replicheck.cli.errors import BadInput

Mutants = Sequence[Mapping[str, Any]]
KEYS = ("name", "rule", "status", "property", "length")


def read_mutants(path: str | None) -> Mutants:
    """Return the mutants of a file, none without one.

    Raises:
        BadInput: if it cannot be read, or is no such file.
    """
    if path is None:
        return ()
    try:
        mutants: Mutants = json.loads(Path(path).read_text("utf-8"))["mutants"]
    except OSError as error:
        raise BadInput(f"--mutants: {path} cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError):
        raise _not_ours(path) from None
    if not all(isinstance(each, dict) and each.keys() >= {*KEYS} for each in mutants):
        raise _not_ours(path)
    return mutants


def _not_ours(path: str) -> BadInput:
    return BadInput(
        f"--mutants: {path} does not hold mutants; expected what"
        " `replicheck mutants --json -` writes"
    )
