"""References to a model or a property of a user's own: by a file or a module."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

REFERENCE = re.compile(
    r"(?P<file>[^:]+\.py)(:(?P<name>\w+))?|(?P<module>[A-Za-z_][\w.]*):(?P<of>\w+)"
)


def is_reference(text: str) -> bool:
    """Tell whether a text is ``FILE.py[:NAME]`` or ``package.module:NAME``."""
    return REFERENCE.fullmatch(text) is not None


def relative_reference(reference: str, folder: Path = Path()) -> str:
    """Reference as it is written in the current directory.

    Args:
        reference: what `is_reference` accepts.
        folder: what the path of its file is relative to.
    """
    file, colon, name = _parts(reference)
    if not file:
        return reference
    path = os.path.normpath(folder / file)
    here = Path.cwd()
    if Path(path).is_relative_to(here):
        path = str(Path(path).relative_to(here))
    if path.startswith("-"):
        # What begins so is an option on a command line.
        path = f"./{path}"
    return f"{path}{colon}{name}"


def known_as(reference: str, known: Iterable[str]) -> str:
    """Name under which the model of a saved run is known now, if it is at all.

    A reader of a run in another directory names the file of its model otherwise.
    """
    names = [*known]
    if reference in names:
        return reference
    found = [name for name in names if _may_be_same(name, reference)]
    return found[0] if len(found) == 1 else reference


def why_unknown(reference: str, known: Iterable[str]) -> str:
    """Why the model of a saved run is not known, and what to do, as a predicate."""
    named = ", ".join(filter(is_reference, known))
    if named:
        return (
            f"is of the model {reference}, and not of {named}: name the file of that"
            " model, under the name that it had"
        )
    return (
        f"is of the model {reference}, whose code is run only if you name it: add"
        f" --model {reference}"
    )


def _may_be_same(first: str, second: str) -> bool:
    """Tell whether two references may name one model, from different directories."""
    file, _, name = _parts(first)
    second_file, _, second_name = _parts(second)
    if not (file and second_file) or Path(file).name != Path(second_file).name:
        return False
    return name == second_name or not (name and second_name)


def _parts(reference: str) -> tuple[str, str, str]:
    """File, colon and name of a reference; without file if it is by module."""
    found = REFERENCE.fullmatch(reference)
    if found is None or not found["file"]:
        return "", "", ""
    name = found["name"] or ""
    return found["file"], ":" if name else "", name
