"""Live progress on a terminal; elsewhere, lines for what takes long."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from replicheck.cli.console import start_notice
from replicheck.cli.console.start_notice import StartNotice
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import Progress
from replicheck.explorer.runtime.memory import process_memory

if TYPE_CHECKING:
    from rich.live import Live

MEGABYTE = 10**6

TIGHT_COMMA = re.compile(r",(?=\S)")
"""A comma that leaves no place to break a line."""

PATIENCE_BETWEEN_LINES = 60.0
"""The same of a later search, where the line of each result shows how a run gets on."""
COMPILING = "      no figures yet: compiling kernels, the first time only"


class ProgressBoard:
    """Shows how the tasks of a run get on; on a terminal, several times a second.

    ``later_patience`` is for the tasks after the first one, if it is another.
    """

    def __init__(
        self, console: Console, tasks: int, later_patience: float | None = None
    ) -> None:
        self._console = console
        self._tasks = tasks
        self._later_patience = later_patience
        self._started = 0
        self._heading = ""
        self._bounds: Mapping[str, int] = {}
        self._notice: StartNotice | None = None
        self._has_figures = False
        self._live = _display(console) if console.is_terminal else None

    @contextmanager
    def live(self) -> Iterator[None]:
        """The context in which the display is on."""
        with self._live or nullcontext():
            try:
                yield
            finally:
                self._cancel_notice()

    @contextmanager
    def cleared(self) -> Iterator[None]:
        """The context in which nothing of the display is on the screen."""
        if self._live is None:
            yield
            return
        self._live.stop()
        try:
            yield
        finally:
            self._live.start()

    def start(self, task: Task) -> None:
        """Say which task begins; in a file only a task that takes long is named."""
        self._started += 1
        self._heading = (
            f"[{self._started}/{self._tasks}] {TIGHT_COMMA.sub(', ', task.title)}"
        )
        self._cancel_notice()
        self._has_figures = False
        if self._live is not None:
            self._bounds = task.scenario.bounds
            self._live.update(Text(f"{self._heading}\n{COMPILING}"), refresh=True)
            return
        if self._tasks == 1:
            self._console.print(Text(self._heading))
        later = (
            start_notice.PATIENCE
            if self._later_patience is None
            else self._later_patience
        )
        patience = start_notice.PATIENCE if self._started == 1 else later
        self._notice = StartNotice(self._print_notice, patience)
        self._notice.start()

    def skip(self) -> None:
        """Count a task that is done already."""
        self._started += 1

    def watch(self, progress: Progress) -> None:
        """Show the numbers of the running search."""
        self._has_figures = True
        if self._live is not None:
            numbers = in_numbers(progress, self._bounds)
            self._live.update(Text(f"{self._heading}\n{numbers}"))

    def _print_notice(self) -> None:
        """Name the search that takes long, and say why it shows no figures, if so."""
        if self._tasks > 1:
            self._console.print(Text(self._heading))
        if not self._has_figures:
            self._console.print(Text(COMPILING))

    def _cancel_notice(self) -> None:
        if self._notice is not None:
            self._notice.cancel()


def _display(console: Console) -> Live:
    # Imported only here: where there is no terminal, nothing is shown that changes.
    from rich.live import Live

    return Live(console=console, refresh_per_second=4, transient=True)


def in_numbers(progress: Progress, bounds: Mapping[str, int]) -> str:
    """The numbers of a running search in one line."""
    # Imported only here: most searches end before.
    from replicheck.cli.results.forecast import running_forecast

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
