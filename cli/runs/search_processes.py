"""Search processes: the next searches of a run, side by side, one on each core.

Most of a small search is learning, which one thread does. So several of them take less
time on a core each than one after the other on all cores. What comes of a search is the
same; it is done again in the process of the run if it turns out to be large, if it
fails, or if its states cannot be sent, so that checkpoints and messages are there too.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from select import select
from typing import Any, NoReturn

from attrs import evolve

from replicheck.cli.tasks.engines import DEFAULT_ENGINE, engine_of
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import Limits, Progress, Watch
from replicheck.explorer.report import Report
from replicheck.explorer.runtime.memory import process_memory
from replicheck.invariants.catalogue.scenario import LimitTable

MOST_STATES = 1_000_000
"""A search of more states is done by all cores together."""
BETWEEN_MESSAGES = 0.2
"""Seconds between two messages of a process on how far its search is."""
NUMBER_BYTES = 4
MOST_TASKS = (1 << 16) // NUMBER_BYTES
"""So many numbers fit into a pipe."""


def search_in_processes(tasks: Mapping[int, Task]) -> SearchProcesses | None:
    """Search those of some tasks that nothing says are large, one on each core.

    None if there are not two of them, or no two cores.
    """
    small = {number: task for number, task in tasks.items() if _is_small(task)}
    threads = [task.settings.threads or os.cpu_count() or 1 for task in small.values()]
    count = min([len(small), *threads])
    return SearchProcesses(small, count) if count > 1 else None


def _is_small(task: Task) -> bool:
    scenario = task.scenario
    expected = scenario.expect.states if scenario.expect else None
    return (
        sys.platform == "linux"
        and task.engine == DEFAULT_ENGINE
        and scenario.limits == LimitTable()
        and (expected is None or expected < MOST_STATES)
    )


class SearchProcesses:
    """Processes that search some tasks in turn, each process one at a time.

    The numbers of the tasks wait in a pipe, from which each process takes the next.
    """

    def __init__(self, tasks: Mapping[int, Task], count: int) -> None:
        """Start ``count`` processes for tasks, given by their numbers."""
        self._tasks = dict(sorted(tasks.items())[:MOST_TASKS])
        self._reports: dict[int, Report[Any] | None] = {}
        self._at_work: dict[Connection, int | None] = {}
        """The connection to each process, and the number of its task."""
        self._processes: list[int] = []
        self._numbers, numbers_in = os.pipe()
        for number in self._tasks:
            os.write(numbers_in, number.to_bytes(NUMBER_BYTES))
        os.close(numbers_in)
        for _ in range(count):
            self._start()

    def report(self, number: int, watch: Watch) -> Report[Any] | None:
        """The report of a search, as soon as it is there; None if there is none.

        At the end that ``watch`` asks for there is none, and all processes end.
        """
        try:
            while number in self._tasks and number not in self._reports:
                self._receive(number, watch)
        except KeyboardInterrupt:
            self.close()
        return self._reports.pop(number, None)

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        for process in self._processes:
            os.waitpid(process, 0)
        if self._processes:
            os.close(self._numbers)
        for connection in self._at_work:
            connection.close()
        self._processes, self._at_work, self._tasks = [], {}, {}

    def _start(self) -> None:
        ours, theirs = Pipe(duplex=False)
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            for connection in (ours, *self._at_work):
                connection.close()
            _search_in_turn(self._tasks, self._numbers, theirs, parent)
        theirs.close()
        self._processes.append(process)
        self._at_work[ours] = None

    def _receive(self, number: int, watch: Watch) -> None:
        """Take in what the processes send next; watch the search of a number."""
        for connection in wait(list(self._at_work)):
            assert isinstance(connection, Connection)
            try:
                sender, message = connection.recv(), connection.recv_bytes()
            except (EOFError, OSError):
                self._end(connection)
                continue
            self._at_work[connection] = sender
            content = _content(message)
            if not isinstance(content, Progress):
                self._reports[sender] = content
            elif sender == number:
                watch(content)

    def _end(self, connection: Connection) -> None:
        """Take note that a process has ended, before its search or after the last."""
        number = self._at_work.pop(connection)
        connection.close()
        if number is not None:
            self._reports.setdefault(number, None)
        if not self._at_work:
            self._tasks = {}


def _content(message: bytes) -> Any:
    """What was sent; None if it cannot be made here."""
    try:
        return pickle.loads(message)
    except Exception:
        return None


def _search_in_turn(
    tasks: Mapping[int, Task], numbers: int, connection: Connection, parent: int
) -> NoReturn:
    """Search in a new process until no number is left; it has no other task."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        while taken := os.read(numbers, NUMBER_BYTES):
            number = int.from_bytes(taken)
            watch = _Messages(number, connection, parent)
            report = _report_of(tasks[number], watch)
            connection.send(number)
            connection.send_bytes(report)
    finally:
        # Neither the buffers nor the handlers of the other process are ours.
        os._exit(0)


def _report_of(task: Task, watch: Watch) -> bytes:
    """The report of a search in a form to send; none if it was cut, or fails."""
    alone = evolve(task, settings=evolve(task.settings, threads=1))
    search = evolve(alone.search(watch), limits=Limits(states=MOST_STATES))
    properties = (*alone.properties, *alone.run_claims)
    try:
        report = engine_of(alone, None).explore(alone.model, properties, search)
        return pickle.dumps(report if report.cut is None else None)
    except Exception:
        return pickle.dumps(None)


class _Messages:
    """Sends now and then how far a search is."""

    def __init__(self, number: int, connection: Connection, parent: int) -> None:
        self._number, self._connection, self._parent = number, connection, parent
        self._next = 0.0

    def __call__(self, progress: Progress) -> None:
        """Send the progress, if it is time to."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + BETWEEN_MESSAGES
        if os.getppid() != self._parent:
            os._exit(1)
        if not select([], [self._connection], [], 0)[1]:
            # Who is to read is at work, and the pipe is full.
            return
        held = process_memory.resident_bytes()
        self._connection.send(self._number)
        self._connection.send_bytes(pickle.dumps(evolve(progress, memory=held)))
