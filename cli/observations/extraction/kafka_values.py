"""Values in Kafka's request log: ``{name=value,...}``, ``[value,...]``, or JSON."""

from __future__ import annotations

import re
from typing import Any

from replicheck.explorer.runtime.bounded_files import parse_json

NUMBER = re.compile(r"-?\d+")


def parse_value(text: str) -> Any:
    """Object, list, integer or word that a text holds.

    Raises:
        ValueError: if the text ends within a value.
    """
    try:
        return parse_json(text)
    except ValueError:
        pass
    try:
        return _value(text, 0)[0]
    except IndexError as error:
        raise ValueError(f"no whole value of Kafka's request log: {text}") from error


def _value(text: str, at: int) -> tuple[Any, int]:
    """Value that begins at a position, and the position behind it."""
    if text[at] == "{":
        return _object(text, at + 1)
    if text[at] == "[":
        return _list(text, at + 1)
    end = at
    while text[end] not in ",}]":
        end += 1
    word = text[at:end]
    return (int(word) if NUMBER.fullmatch(word) else word), end


def _object(text: str, at: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while text[at] != "}":
        end = text.index("=", at)
        found[text[at:end]], at = _value(text, end + 1)
        at += text[at] == ","
    return found, at + 1


def _list(text: str, at: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    while text[at] != "]":
        value, at = _value(text, at)
        found.append(value)
        at += text[at] == ","
    return found, at + 1
