"""What can go wrong in a search for a reason that its user can correct."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import EnumType
from pathlib import Path
from typing import Any

MOST_MESSAGE = 4_000
"""Characters of what an exception says."""
MOST_NAMES = 16
"""Of more attributes only those are told that look alike."""
ALIKE = 0.5
"""How much at least: `step` and `every_step` do."""


class ModelError(Exception):
    """The model does not fulfil the contract of `replicheck.explorer.model`."""

    place = ""
    """The function that it is about, with file and line; empty if not known."""

    def __str__(self) -> str:
        """Message, with the place if it is known."""
        text = super().__str__()
        return f"{text} ({self.place})" if self.place else text

    def is_about(self, function: Callable[..., Any]) -> None:
        """Note the function that it is about, unless one is known."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is not None and not self.place:
            line = f"{short_path(code.co_filename)}:{code.co_firstlineno}"
            self.place = f"{function.__name__} is at {line}"


class CheckpointError(Exception):
    """A checkpoint is torn, foreign, or of another model than the one at hand."""


def run_leads_elsewhere(place: int, level: int) -> str:
    """Why a checkpoint is of another model, if a run to one of its states shows that.

    Args:
        place: of the state in its level.
    """
    return (
        f"the run to state {place} of its level {level + 1} now leads elsewhere; go on"
        " with the version that wrote it, or start again. If an action iterates a set"
        " as it is, sort the set, or set PYTHONHASHSEED to one number for all processes"
    )


class TooManyStates(Exception):
    """The model has more states than it may have."""


class ClusterError(Exception):
    """What is to do the work of a search cannot be had, or has given up."""


def message_of(error: BaseException) -> str:
    """Class and message of what a function of the model raised, and what helps."""
    return text_of(error) + _unhashable_field(error) + _names_there(error)


def text_of(error: BaseException) -> str:
    """Class and message of what a function of the model raised.

    To make the message is a function of the model, too: it may raise, or have no end.
    """
    try:
        text = str(error)
    except Exception as failure:
        text = f"no message, for str() raises {type(failure).__name__}"
    if len(text) > MOST_MESSAGE:
        text = f"{text[:MOST_MESSAGE]}… ({len(text):,} characters)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _unhashable_field(error: BaseException) -> str:
    """Where in a frozen value there is what has no hash, if that is what was raised."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None or at.tb_frame.f_code.co_name != "__hash__":
        return ""
    value = at.tb_frame.f_locals.get("self")
    kind: Any = type(value)
    for name in getattr(kind, "__attrs_attrs__", ()):
        part = getattr(value, name.name, None)
        if type(part).__hash__ is None:
            return f": {kind.__name__}.{name.name} is {part!r}, a {type(part).__name__}"
    return ""


def _names_there(error: BaseException) -> str:
    """What there is in place of an attribute, if a missing one is what was raised."""
    if not isinstance(error, AttributeError) or error.name is None:
        return ""
    owner = error.obj if isinstance(error.obj, type) else type(error.obj)
    fields = [field.name for field in getattr(owner, "__attrs_attrs__", ())]
    names = sorted(filter(_is_public, {*dir(owner), *fields}))
    if isinstance(error.obj, EnumType):
        names = [*error.obj.__members__]
    if len(names) > MOST_NAMES:
        # Imported only here: it takes longer than the rest of this module.
        from difflib import get_close_matches

        names = get_close_matches(error.name, names, cutoff=ALIKE)
    return f"; {owner.__name__} has {', '.join(names)}" if names else ""


def _is_public(name: str) -> bool:
    """Tell whether an attribute may be meant: no constant, and none of a number."""
    is_hidden = name.startswith("_") or name.endswith("_") or name.isupper()
    return not is_hidden and not hasattr(int, name)


def place_raised(error: Exception, function: Callable[..., Any]) -> str:
    """File and line in the file of a function where an exception came from.

    What a function wraps comes before the function. If neither is on the way of the
    exception, where the function begins; empty if that is not known.
    """
    places = []
    for written in (inspect.unwrap(function), function):
        code = getattr(written, "__code__", None)
        if code is None:
            continue
        file = code.co_filename
        lines = [line for found, line in frames_of(error) if found == file]
        if lines:
            return f"{short_path(file)}:{lines[-1]}"
        places.append(f"{short_path(file)}:{code.co_firstlineno}")
    return places[0] if places else ""


def frames_of(error: BaseException) -> Iterator[tuple[str, int]]:
    """Yield file and line of each frame through which an exception came."""
    at = error.__traceback__
    while at is not None:
        yield at.tb_frame.f_code.co_filename, at.tb_lineno
        at = at.tb_next


def short_path(file: str) -> str:
    """Path of a file as seen from the current directory, if it is below that."""
    path = Path(file)
    is_below = path.is_relative_to(Path.cwd())
    return str(path.relative_to(Path.cwd()) if is_below else path)
