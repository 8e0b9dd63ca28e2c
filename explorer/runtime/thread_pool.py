"""Threads: a pool whose threads take one piece of work after the other."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
ParallelMap = Callable[[Callable[[int], None], Iterable[int]], None]
"""Does some work for each number, perhaps on several threads."""


class ThreadPool:
    """So many threads, of which the one that asks for work is the first.

    Not a pool of `concurrent.futures`: a search has hundreds of pieces of work of a
    millisecond, and to import and to wake that pool took longer than some of them.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.seconds = [0.0] * count
        """CPU time that each thread spent."""
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._others: list[Thread] = []

    def map(self, work: Callable[[T], None], pieces: Iterable[T]) -> None:
        """Do the work for all pieces; an exception of one ends the others early."""
        several = list(pieces)
        remaining = iter(several)
        ends: SimpleQueue[BaseException | None] = SimpleQueue()

        def take(thread: int) -> None:
            started = time.thread_time()
            try:
                for piece in remaining:
                    work(piece)
            except BaseException as failure:
                deque(remaining, maxlen=0)
                ends.put(failure)
            else:
                ends.put(None)
            self.seconds[thread] += time.thread_time() - started

        needed = min(self.count, len(several))
        self._start(needed - 1)
        for other in range(1, needed):
            self._tasks.put(partial(take, other))
        if needed:
            take(0)
        failures: list[BaseException] = []
        while needed:
            try:
                failure = ends.get()
            except KeyboardInterrupt as interrupt:
                deque(remaining, maxlen=0)
                failures.append(interrupt)
                continue
            needed -= 1
            if failure is not None:
                failures.append(failure)
        if failures:
            raise failures[0]

    def close(self) -> None:
        """End the threads."""
        for _ in self._others:
            self._tasks.put(None)
        for thread in self._others:
            thread.join()
        self._others = []

    def _start(self, count: int) -> None:
        """Start the threads that are not there yet."""
        while len(self._others) < count:
            other = Thread(target=self._serve, daemon=True)
            other.start()
            self._others.append(other)

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()


def map_in_turn(work: Callable[[int], None], numbers: Iterable[int]) -> None:
    """Do the work for each number, on this thread."""
    for number in numbers:
        work(number)
