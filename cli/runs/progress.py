"""Live progress on a terminal, one line for each task elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from threading import Timer

from rich.console import Console
from rich.live import Live
from rich.text import Text

from replicheck.cli.results.forecast import running_forecast
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import Progress
from replicheck.explorer.runtime import process_memory

MEGABYTE = 10**6

PATIENCE = 2.0
"""Seconds without progress after which a start notice is printed."""
BEGINNING = "      begins; what the engine has not compiled yet, it compiles now, once"


class StartNotice:
    """One line that says why a search shows no numbers yet."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Print the line with ``say``, in another thread."""
        self._timer = Timer(PATIENCE, say, (BEGINNING,))
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Print nothing from now on: there is progress, or there will be none."""
        self._timer.cancel()


class ProgressBoard:
    """Shows how the tasks of a run get on; on a terminal, several times a second."""

    def __init__(self, console: Console, tasks: int) -> None:
        self._console = console
        self._tasks = tasks
        self._started = 0
        self._heading = ""
        self._bounds: Mapping[str, int] = {}
        self._notice: StartNotice | None = None
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    @contextmanager
    def live(self) -> Iterator[None]:
        """The context in which the display is on."""
        with self._live if self._console.is_terminal else nullcontext():
            try:
                yield
            finally:
                self._cancel_notice()

    def start(self, task: Task) -> None:
        """Say which task begins."""
        self._started += 1
        self._heading = f"[{self._started}/{self._tasks}] {task.title}"
        if self._console.is_terminal:
            self._bounds = task.scenario.bounds
            self._live.update(Text(f"{self._heading}\n{BEGINNING}"), refresh=True)
        else:
            self._console.print(Text(self._heading))
            self._cancel_notice()
            self._notice = StartNotice(lambda line: self._console.print(Text(line)))

    def skip(self) -> None:
        """Count a task that is done already."""
        self._started += 1

    def watch(self, progress: Progress) -> None:
        """Show the numbers of the running search."""
        self._cancel_notice()
        if self._console.is_terminal:
            numbers = in_numbers(progress, self._bounds)
            self._live.update(Text(f"{self._heading}\n{numbers}"))

    def _cancel_notice(self) -> None:
        if self._notice is not None:
            self._notice.cancel()


def in_numbers(progress: Progress, bounds: Mapping[str, int]) -> str:
    """The numbers of a running search in one line."""
    rate = progress.states / progress.seconds if progress.seconds else 0
    steps = progress.generated
    known = max(0, steps - progress.states)
    line = (
        f"      depth {progress.depth}, {progress.states:,} states,"
        f" {steps:,} generated, {known / max(1, steps):.0%} of them known,"
        f" {progress.frontier:,} to expand,"
        f" {rate:,.0f} states/s, {progress.seconds:.0f} s,"
        f" {(progress.memory or process_memory.resident_bytes()) // MEGABYTE:,} MB"
    )
    forecast = running_forecast(progress.levels, bounds)
    return f"{line}; {forecast}" if forecast else line
