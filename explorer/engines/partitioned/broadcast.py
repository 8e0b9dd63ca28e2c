"""Knowledge: what the processes have found out on a level becomes known to all."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

from attrs import frozen

from replicheck.explorer.engines.partitioned.exchange.learned_paths import Book
from replicheck.explorer.engines.partitioned.exchange.messages import News
from replicheck.explorer.engines.partitioned.exchange.value_numbering import Numbers
from replicheck.explorer.engines.partitioned.store.store import Piece, Volume, folder_of
from replicheck.explorer.engines.partitioned.worker.worker import Process


@frozen(eq=False)
class Knowledge:
    """What was agreed on after the expansion of a level.

    ``file`` is None if there is nothing new. ``numbers`` has for each expansion the
    global numbers of its fresh values; ``leaves`` is how many were learned, ``twice``
    how many of them by more than one process.
    """

    file: Piece | None
    numbers: Sequence[Sequence[Numbers]]
    leaves: int
    twice: int


def agree(
    driver: Process, known: Sequence[Piece], level: int, reports: Sequence[News]
) -> Knowledge:
    """Give all fresh values their numbers, and write down every lesson.

    Args:
        level: that to which the reports lead.

    Raises:
        OSError: if the store cannot be written.
    """
    values = driver.agreement.in_order([report.fresh for report in reports])
    book = Book()
    for report in reports:
        for number, lesson in report.lessons.items():
            book.write(report.process, number, lesson)
    lessons = book.lessons
    file = None
    if lessons or any(values):
        volume = Volume(folder_of(level), "known")
        file = volume.add([pickle.dumps((values, book.reads, lessons))])
        driver.store.write(volume.name, volume.content)
        driver.catch_up([*known, file])
    numbers = [driver.agreement.numbers_of(report.fresh) for report in reports]
    twice = sum(len(each.tellers) - 1 for each in lessons)
    return Knowledge(file, numbers, len(lessons), twice)
