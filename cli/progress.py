"""Live progress on a terminal, one line for each task elsewhere."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from replicheck.cli.forecasting import in_words
from replicheck.cli.tasks import Task
from replicheck.explorer import memory
from replicheck.explorer.engine import Progress
from replicheck.explorer.forecast import forecast

MEGABYTE = 10**6
BEGINNING = "      begins; what the engine has not compiled yet, it compiles now, once"
"""What a terminal shows until the first numbers come."""


class ProgressBoard:
    """Shows how the tasks of a run get on; on a terminal, several times a second."""

    def __init__(self, console: Console, tasks: int) -> None:
        self._console = console
        self._tasks = tasks
        self._started = 0
        self._heading = ""
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    def live(self) -> AbstractContextManager[Any]:
        """Return the context in which the display is on."""
        return self._live if self._console.is_terminal else nullcontext()

    def start(self, task: Task) -> None:
        """Say which task begins."""
        self._started += 1
        self._heading = f"[{self._started}/{self._tasks}] {task.title}"
        if self._console.is_terminal:
            self._live.update(Text(f"{self._heading}\n{BEGINNING}"), refresh=True)
        else:
            self._console.print(Text(self._heading))

    def skip(self) -> None:
        """Count a task that is done already."""
        self._started += 1

    def watch(self, progress: Progress) -> None:
        """Show the numbers of the running search."""
        if self._console.is_terminal:
            self._live.update(Text(f"{self._heading}\n{in_numbers(progress)}"))


def in_numbers(progress: Progress) -> str:
    """Return the numbers of a running search in one line."""
    rate = progress.states / progress.seconds if progress.seconds else 0
    steps = progress.generated
    known = max(0, steps - progress.states)
    line = (
        f"      depth {progress.depth}, {progress.states:,} states,"
        f" {steps:,} generated, {known / max(1, steps):.0%} of them known,"
        f" {progress.frontier:,} to expand,"
        f" {rate:,.0f} states/s, {progress.seconds:.0f} s,"
        f" {(progress.memory or memory.held()) // MEGABYTE:,} MB"
    )
    expected = forecast(progress.levels)
    return line if expected is None else f"{line}; {in_words(expected)} in all"
