"""Tables and folded text in Markdown, for the pages that are generated."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from html import escape

BACKTICKS = re.compile("`+")


def markdown_text(text: str) -> str:
    """Text in one line of Markdown in which nothing is a tag of HTML."""
    return escape(text, quote=False)


def markdown_table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: Collection[int] = (),
) -> Iterator[str]:
    """Yield the lines of a table; ``numbers`` are columns aligned to the right."""
    columns = range(len(headings))
    yield _line(headings)
    yield _line(["---:" if column in numbers else "---" for column in columns])
    yield from map(markdown_row, rows)


def markdown_row(cells: Iterable[str]) -> str:
    """One line of a table."""
    return _line([cell.replace("|", "\\|") for cell in cells])


def folded_text(title: str, text: str) -> Iterator[str]:
    """Yield the lines of a text that is shown when its title is clicked."""
    fence = "`" * max(3, 1 + max(map(len, BACKTICKS.findall(text)), default=0))
    yield ""
    yield f"<details><summary>{escape(title, quote=False)}</summary>"
    yield ""
    yield f"{fence}text"
    yield text
    yield fence
    yield ""
    yield "</details>"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
