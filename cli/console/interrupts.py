"""Ctrl-C and SIGTERM: the first ends the search and keeps what it found.

The second ends the process.
"""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


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

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            raise SecondSignal
        self.came = True
