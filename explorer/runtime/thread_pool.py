"""Threads: a pool whose threads take one piece of work after the other."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
ParallelMap = Callable[[Callable[[int], None], Iterable[int]], None]
"""Does some work for each number, perhaps on several threads."""
WAKE_SECONDS = 0.1
"""So often it is looked whether all threads have ended."""


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
        failures: list[BaseException] = []
        ended: list[int] = []
        wakes: SimpleQueue[None] = SimpleQueue()

        def fail(failure: BaseException) -> None:
            deque(remaining, maxlen=0)
            failures.append(failure)

        def take(thread: int) -> None:
            started = time.thread_time()
            try:
                for piece in remaining:
                    work(piece)
            except BaseException as failure:
                fail(failure)
            self.seconds[thread] += time.thread_time() - started

        def take_beside(thread: int) -> None:
            take(thread)
            ended.append(thread)
            wakes.put(None)

        beside = range(1, min(self.count, len(several)))
        self._start(len(beside))
        for thread in beside:
            self._tasks.put(partial(take_beside, thread))
        try:
            take(0)
        except KeyboardInterrupt as interrupt:
            fail(interrupt)
        while len(ended) < len(beside):
            # An interrupt may come when one has ended, and lose that it woke this.
            try:
                wakes.get(timeout=WAKE_SECONDS)
            except Empty:
                continue
            except KeyboardInterrupt as interrupt:
                fail(interrupt)
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
