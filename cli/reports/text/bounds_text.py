"""What the bounds of a model mean, as their classes say it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import attrs


def bounds_lines(bounds: Any) -> Iterator[str]:
    """Yield the paragraphs of the docstring of each class that has some bounds."""
    for kind in bounds.__mro__:
        if attrs.has(kind) and not all(f.inherited for f in attrs.fields(kind)):
            text = inspect.cleandoc(vars(kind)["__doc__"] or "").replace("``", "`")
            paragraphs = text.split("\n\n")
            yield from filter(None, (" ".join(words.split()) for words in paragraphs))
