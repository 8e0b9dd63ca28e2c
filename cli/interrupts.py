"""Ctrl-C: the first ends the search and keeps what it found, the second ends all."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Self

from replicheck.explorer.engine import Progress


class Interrupts:
    """Turns the first SIGINT into the end of the running search.

    A signal can come anywhere, also inside a compiled kernel. So it only leaves a note,
    which the engine's next glance at its watch finds.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> Self:
        """Take over the signal."""
        self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give the signal back."""
        signal.signal(signal.SIGINT, self._before)

    def watch(self, progress: Progress) -> None:
        """End the search if the signal came.

        Raises:
            KeyboardInterrupt: which the engine turns into an incomplete report.
        """
        if self.came:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True
