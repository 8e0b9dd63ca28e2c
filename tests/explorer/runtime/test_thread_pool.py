"""Thread pools: all pieces of work are done, and an interrupt ends them."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

import pytest

from replicheck.explorer.runtime import thread_pool
from replicheck.explorer.runtime.thread_pool import ThreadPool


class InterruptedQueue:
    """A queue of which each value is taken by a call that is interrupted then."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self.put = self._queue.put

    def get(self, timeout: float) -> Any:
        """Take the next value, and lose it."""
        self._queue.get(timeout=timeout)
        raise KeyboardInterrupt


@pytest.fixture
def pool() -> Any:
    """Three threads."""
    with_threads = ThreadPool(3)
    yield with_threads
    with_threads.close()


def test_each_piece_is_done_once(pool: ThreadPool) -> None:
    """By whichever thread."""
    done: list[int] = []
    pool.map(done.append, range(1000))
    assert sorted(done) == list(range(1000))


def test_an_interrupt_is_raised_though_it_comes_when_a_thread_has_ended(
    pool: ThreadPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the thread said is lost, and not waited for."""
    monkeypatch.setattr(thread_pool, "SimpleQueue", InterruptedQueue)
    with pytest.raises(KeyboardInterrupt):
        pool.map(lambda piece: None, range(100))


def test_the_first_exception_ends_the_others_early(pool: ThreadPool) -> None:
    """It is raised once all threads have ended."""
    done: list[int] = []

    def work(piece: int) -> None:
        if piece == 3:
            raise ArithmeticError
        done.append(piece)

    with pytest.raises(ArithmeticError):
        pool.map(work, range(1_000_000))
    assert len(done) < 999_999
