"""A search whose result a command uses itself, shown on a board while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from replicheck.cli.console.interrupts import Interrupts
from replicheck.cli.reports.text.terminal import standard_error
from replicheck.cli.results.result import Result
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.runs.result_cache import NoCache
from replicheck.cli.runs.searches import Searches
from replicheck.cli.tasks.task import Task

SearchTask = Callable[[Task], Result]
"""Searches a task to its end, or until a limit or Ctrl-C."""


@contextmanager
def single_searches(count: int) -> Iterator[SearchTask]:
    """Context of searches one after the other, of which there are at most ``count``."""
    board = ProgressBoard(standard_error(), count)
    with Interrupts() as interrupts, board.live():
        watch = interrupts.interruptible(board.watch)

        def search(task: Task) -> Result:
            board.start(task)
            return Searches((task,), NoCache(), watch).result(0)

        yield search
