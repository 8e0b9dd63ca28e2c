"""Hostile values: what may stand anywhere in a JSON document, and breaks readers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import strategies as st


def deep(levels: int) -> Any:
    """List within a list, and so on."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


HOSTILE_TEXTS = (
    "",
    " ",
    "-",
    "--help",
    "../missing/outside",
    "/missing/../outside/x",
    "a/b",
    "x\n::error::injected",
    "\x1b[31mred",
    "\x00",
    "\u202eright to left",
    "<script>alert(1)</script>",
    "`|`",
    "```",
    "é" * 300,
    "x" * 5_000,
    "9" * 5_000,
    "1e999",
    "NaN",
    "counter",
    "replication",
    "kip-101",
)
HOSTILE_VALUES: tuple[Any, ...] = (
    *HOSTILE_TEXTS,
    None,
    True,
    0,
    -1,
    2**63,
    10**30,
    1.5,
    [],
    {},
    [[]],
    [None],
    {"a": {}},
    deep(60),
    {"$class": "replication:Cluster"},
    {"$class": ["x"]},
    {"$set": 3},
    {"$set": [{}]},
    {"$enum": "x", "name": []},
)
hostile_texts = st.sampled_from(HOSTILE_TEXTS) | st.text(max_size=20)
hostile_values = st.sampled_from(HOSTILE_VALUES) | st.integers() | st.text(max_size=9)


@st.composite
def with_hostile_value(draw: st.DrawFn, whole: Any) -> Any:
    """JSON value in which one part is another, is missing, or is there too often."""
    whole = json.loads(json.dumps(whole))
    holder, key = draw(st.sampled_from(list(_parts(whole))))
    change = draw(st.integers(0, 9))
    if change == 0:
        del holder[key]
    elif change == 1 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif change == 1:
        holder[draw(hostile_texts)] = holder[key]
    else:
        holder[key] = draw(hostile_values)
    return whole


def _parts(whole: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each part of a JSON value by what holds it, and its key there."""
    inside = whole.items() if isinstance(whole, dict) else enumerate(whole)
    for key, value in list(inside):
        yield whole, key
        if isinstance(value, dict | list):
            yield from _parts(value)


def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    at = draw(st.integers(0, len(content)))
    parts = (b"", b"\x00", b"\xff", b"[" * 3_000, b"9" * 5_000, b"NaN", b'"', b"{")
    return content[:at] + draw(st.sampled_from(parts)) + content[at + 1 :]


def hostile_words(
    draw: st.DrawFn,
    commands: Sequence[Sequence[str]],
    options: Sequence[str],
    values: Sequence[str],
) -> tuple[str, ...]:
    """Words of a command line with options and values that make no sense together."""
    words = list(draw(st.sampled_from(commands)))
    pairs = st.tuples(st.sampled_from(options), st.sampled_from(values))
    for option, value in draw(st.lists(pairs, max_size=3)):
        words += [option, value] if draw(st.integers(0, 5)) else [value]
    return without_nul(words)


def without_nul(words: Sequence[str]) -> tuple[str, ...]:
    """Words that a process can take, since no argument has a NUL character."""
    return tuple(word.replace("\x00", "") for word in words)
