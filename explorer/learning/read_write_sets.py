"""Dependencies: the cells that each action was seen to read and to write.

An action reads a cell if its guards, or what it writes, depend on the cell's value: an
operation on a cell reads and writes it. What only a step property reads does not count.
The sets are what runs have shown: complete once every state was visited.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, field

from replicheck.explorer.states.layout import Cell
from replicheck.explorer.statistics import Dependencies


@define
class ReadWriteSet:
    """The columns that the runs of one instance have read and written so far."""

    reads: set[int] = field(factory=set)
    writes: set[int] = field(factory=set)


def dependencies(
    cells: Sequence[Cell], actions: Iterable[tuple[str, ReadWriteSet]]
) -> dict[str, dict[str, list[str]]]:
    """Read/write set of each action, over all its instances, cells in order."""
    together: dict[str, ReadWriteSet] = {}
    for name, accesses in actions:
        so_far = together.setdefault(name, ReadWriteSet())
        so_far.reads |= accesses.reads
        so_far.writes |= accesses.writes
    return {
        name: {
            "reads": _names(cells, accesses.reads),
            "writes": _names(cells, accesses.writes),
        }
        for name, accesses in together.items()
    }


def matrix(found: Dependencies) -> dict[str, dict[str, str]]:
    """Accesses of each action, r, w or rw, by family of cells, such as ``logs[*]``."""
    rows: dict[str, dict[str, str]] = {}
    for action, accesses in found.items():
        reads, writes = (_families(accesses[kind]) for kind in ("reads", "writes"))
        rows[action] = {
            family: "r" * (family in reads) + "w" * (family in writes)
            for family in dict.fromkeys([*reads, *writes])
        }
    return rows


def _names(cells: Sequence[Cell], columns: Iterable[int]) -> list[str]:
    return list(dict.fromkeys(str(cells[column]) for column in sorted(columns)))


def _families(cells: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(_family(cell) for cell in cells))


def _family(cell: str) -> str:
    name, *indexes = cell.split("[")
    return name + "[*]" * len(indexes)
