"""Text of a Promela model: names, types, comments, and lines that are not too long."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

WIDTH = 88
INDENT = "  "
GLUE = "\0"
"""Stands for a space at which no line is broken."""
BYTE, SHORT = 2**8, 2**15
"""What `byte` and `short` are too small for."""

RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
    active always assert atomic auto bit bool break byte case chan char const continue
    d_step D_proctype default do double else empty enabled enum eval eventually extern
    false fi float for full get_priority goto hidden if in init inline int len local
    long ltl mtype nempty never next nfull notrace now od of pid pc_value pmtype
    printf printm priority proctype provided register return run select set_priority
    short show signed sizeof skip static struct switch system timeout trace true type
    typedef uchar uint union unless unsigned until void volatile while xr xs
    """,
    )
)
"""Words of Promela, and of C, which the names of Promela end up in."""


class Names:
    """Gives out names that Promela takes, each once."""

    def __init__(self) -> None:
        self._taken = set(RESERVED)

    def give(self, wish: str) -> str:
        """The name that is nearest to a wish."""
        first = re.sub(r"\W+", "_", wish, flags=re.ASCII).strip("_")
        if not first or first[0].isdigit():
            first = f"x{first}"
        name, count = first, 1
        while name in self._taken:
            count += 1
            name = f"{first}_{count}"
        self._taken.add(name)
        return name


def number_type(largest: int) -> str:
    """The type of variables for numbers from 0 on."""
    if largest < BYTE:
        return "byte"
    return "short" if largest < SHORT else "int"


def comment(*lines: str) -> Iterator[str]:
    """Yield lines as one comment."""
    safe = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
    if len(safe) == 1:
        yield f"/* {safe[0]} */"
        return
    yield "/*"
    yield from (f" * {line}".rstrip() for line in safe)
    yield " */"


def wrapped(line: str, indent: str = "") -> list[str]:
    """A long line as several, broken after an operator or a separator.

    To Spin, a line that ends with a name or a number can end a statement.
    """
    lines = textwrap.wrap(
        re.sub(r"(?<=[\w)\]]) ", GLUE, line),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [glued.replace(GLUE, " ") for glued in lines]
