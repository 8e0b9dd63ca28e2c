"""Tables in Markdown, for the pages that are generated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def table_of(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield _line(headings)
    yield _line(["---"] * len(headings))
    for row in rows:
        yield _line([cell.replace("|", "\\|") for cell in row])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
