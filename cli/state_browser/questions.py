"""Questions of the page: JSON that is checked before a model sees any of it."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from replicheck.explorer.runtime.bounded_files import parse_json

MOST_STEPS = 10_000
"""The longest run that is walked by hand."""
MOST_NAME = 10_000
"""Characters of the name of a step."""


class BadQuestion(ValueError):
    """A request asks nothing that the page asks; the message says what is wrong."""


@frozen
class WalkQuestion:
    """The steps of a run by their names, and after how many of them to look."""

    steps: tuple[str, ...]
    at: int = 0


def read_walk(content: bytes) -> WalkQuestion:
    """Question about a run.

    Raises:
        BadQuestion: if it is none.
    """
    table = _table(content)
    steps, at = table.get("steps"), table.get("at", 0)
    if not isinstance(steps, list) or not all(isinstance(name, str) for name in steps):
        raise BadQuestion("steps: expected a list of names of steps")
    if len(steps) > MOST_STEPS or any(len(name) > MOST_NAME for name in steps):
        raise BadQuestion(f"steps: expected at most {MOST_STEPS:,} short names")
    if type(at) is not int or at < 0:
        raise BadQuestion("at: expected a number of steps, 0 or more")
    return WalkQuestion(tuple(map(_encodable, steps)), at)


def read_text(content: bytes) -> str:
    """Text of a trace that the page has opened.

    Raises:
        BadQuestion: if there is none.
    """
    text = _table(content).get("text")
    if not isinstance(text, str):
        raise BadQuestion("text: expected the text of a saved trace")
    return _encodable(text)


def _table(content: bytes) -> dict[str, Any]:
    try:
        table = parse_json(content)
    except ValueError as error:
        raise BadQuestion(f"no JSON: {error}") from error
    if not isinstance(table, dict):
        raise BadQuestion("expected an object of JSON")
    return table


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadQuestion("a text has half of a surrogate pair") from error
    return text
