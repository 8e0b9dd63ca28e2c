"""Ctrl-C and SIGTERM: the first ends the search and keeps what it found.

The second ends the process. What the first does may take a while, as where a function
of the model does not end, so it says that it came.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)
NOTICE = "ending; once more to end at once"


class SecondSignal(BaseException):
    """Ends everything; no engine mistakes it for the end of its search."""


class Interrupts:
    """Turns the first SIGINT or SIGTERM into the end of the running search.

    A signal can come anywhere, also inside a compiled kernel. So it only leaves a note,
    which the engine's next glance at its watch finds.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Take over the signals."""
        for number in SIGNALS:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give the signals back."""
        for number, before in self._before.items():
            signal.signal(number, before)

    def watch(self, progress: object) -> None:
        """End the search if a signal came, at any progress.

        Raises:
            KeyboardInterrupt: which the engine turns into an incomplete report.
        """
        if self.came:
            raise KeyboardInterrupt

    def interruptible(self, watch: Callable[[Any], None]) -> Callable[[Any], None]:
        """A watch that passes progress on to another one, then ends as `watch` does."""

        def watch_both(progress: object) -> None:
            watch(progress)
            self.watch(progress)

        return watch_both

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            raise SecondSignal
        self.came = True
        _say(NOTICE)


def _say(notice: str) -> None:
    """Write a line to standard error, past its buffer, which may be in use just now."""
    with suppress(OSError, ValueError):
        number = sys.stderr.fileno()
        # A terminal has shown ^C, without an end of the line.
        begin = "\n" if os.isatty(number) else ""
        os.write(number, f"{begin}{notice}\n".encode())
