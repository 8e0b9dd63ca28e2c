"""Broadcast: what the workers have learned on a level becomes known to all."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from replicheck.explorer.engines.partitioned.exchange.known_file import KnownFile
from replicheck.explorer.engines.partitioned.exchange.learned_paths import PathTable
from replicheck.explorer.engines.partitioned.exchange.messages import WorkerUpdate
from replicheck.explorer.engines.partitioned.exchange.value_numbering import Numbers
from replicheck.explorer.engines.partitioned.store.store import (
    Piece,
    PieceFile,
    folder_of,
)
from replicheck.explorer.engines.partitioned.worker.worker import Worker


@frozen(eq=False)
class Broadcast:
    """What was agreed on after the expansion of a level.

    ``files`` has one unless there is nothing new. ``numbers`` has for each expansion
    the global numbers of its unnumbered values; ``leaves`` is how many were learned,
    ``twice`` how many of them by more than one process.
    """

    files: Sequence[Piece]
    numbers: Sequence[Sequence[Numbers]]
    leaves: int
    twice: int


def broadcast(
    driver: Worker, known: Sequence[Piece], level: int, reports: Sequence[WorkerUpdate]
) -> Broadcast:
    """Number all unnumbered values, and write down every learned path.

    Args:
        level: that to which the reports lead.

    Raises:
        OSError: if the store cannot be written.
        ModelError: if a value is of a class that no other process could find.
    """
    values = driver.numbering.in_order([report.unnumbered for report in reports])
    book = PathTable()
    for report in reports:
        for number, path in report.paths.items():
            book.write(report.worker, number, path)
    paths = book.paths
    files = []
    if paths or any(values):
        piece_file = PieceFile(folder_of(level), "known")
        known_file = KnownFile(values, book.reads, paths, level)
        files.append(piece_file.add([known_file.content]))
        driver.store.write(piece_file.name, piece_file.content)
    driver.common.catch_up([*known, *files], level)
    numbers = [driver.numbering.numbers_of(report.unnumbered) for report in reports]
    twice = sum(len(shared.learned_by) - 1 for shared in paths)
    return Broadcast(files, numbers, len(paths), twice)
