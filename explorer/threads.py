"""Threads: a pool whose threads take one piece of work after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")
Each = Callable[[Callable[[int], None], Iterable[int]], None]
"""Does some work for each number, perhaps on several threads."""


class Threads:
    """So many threads, of which the one that asks for work is the first."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.seconds = [0.0] * count
        """CPU time that each thread spent."""
        self._others = ThreadPoolExecutor(max(1, count - 1))

    def each(self, work: Callable[[T], None], pieces: Iterable[T]) -> None:
        """Do the work for all pieces; an exception of one ends the others early."""
        several = list(pieces)
        remaining = iter(several)

        def take(thread: int) -> None:
            started = time.thread_time()
            for piece in remaining:
                work(piece)
            self.seconds[thread] += time.thread_time() - started

        needed = min(self.count, len(several))
        futures = [self._others.submit(take, other) for other in range(1, needed)]
        try:
            take(0)
            for future in futures:
                future.result()
        except BaseException:
            for _ in remaining:
                pass
            wait(futures)
            raise

    def close(self) -> None:
        """End the threads."""
        self._others.shutdown()


def in_turn(work: Callable[[int], None], numbers: Iterable[int]) -> None:
    """Do the work for each number, on this thread."""
    for each in numbers:
        work(each)
