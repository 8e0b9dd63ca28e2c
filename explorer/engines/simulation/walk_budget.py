"""Walk budget: the time and memory that random walks may take."""

from __future__ import annotations

import time

from replicheck.explorer.engine import Limits
from replicheck.explorer.native.kernel import compile_seconds
from replicheck.explorer.search.memory_budget import ExactMemoryBudget


class LimitReached(Exception):
    """A limit ends the walks; ``limit`` is its name."""

    def __init__(self, limit: str) -> None:
        super().__init__(limit)
        self.limit = limit


class WalkBudget:
    """The seconds of wall time, without those of compiling, and the bytes of memory."""

    def __init__(self, seconds: float | None, memory: int | None) -> None:
        self._limit = seconds
        self._memory = ExactMemoryBudget(Limits(memory=memory))
        self.begin()

    def begin(self) -> None:
        """Let the time begin now."""
        self._started, self._compiled = time.monotonic(), compile_seconds()

    @property
    def seconds(self) -> float:
        """Wall time since it began, without that of compiling kernels."""
        compiled = compile_seconds() - self._compiled
        return time.monotonic() - self._started - compiled

    def require_time(self) -> None:
        """Look at the clock.

        Raises:
            LimitReached: if the time is over.
        """
        if self._limit is not None and self.seconds > self._limit:
            raise LimitReached("seconds")

    def require_memory(self) -> None:
        """See how much memory the process takes.

        Raises:
            LimitReached: if it is more than it may.
        """
        try:
            self._memory.require_memory()
        except MemoryError as error:
            raise LimitReached("memory") from error

    def require_room(self, more: int) -> None:
        """See whether the process can take so many bytes more than it takes now.

        Raises:
            LimitReached: if it would be more than it may.
        """
        try:
            self._memory.require_room(more)
        except MemoryError as error:
            raise LimitReached("memory") from error

    def require(self) -> None:
        """See whether there is time and memory left.

        Raises:
            LimitReached: if not.
        """
        self.require_time()
        self.require_memory()
