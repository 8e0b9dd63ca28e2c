"""Run folders: all that another process needs to finish a run of several searches.

A run folder holds ``run.json``, which says what was asked; ``result-N``, what came of
the N-th search; ``task-N``, the checkpoint of the N-th search; and a ``lock``, held as
long as a process is at work on the run. ``run.json`` is written last, so a folder
without it is no run.
"""

from __future__ import annotations

import math
import os
import re
import shlex
import time
from contextlib import suppress
from itertools import chain
from pathlib import Path

from replicheck.cli.results.result import Result
from replicheck.cli.runs.result_cache import report_as_json, report_of_json
from replicheck.cli.tasks.run_request import RunRequest, own_code_in
from replicheck.cli.tasks.task import Task
from replicheck.explorer.engine import CheckpointSettings
from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.atomic_files import PART, store, sync_folder
from replicheck.explorer.runtime.folder_lock import FolderLock
from replicheck.explorer.runtime.sealed_json import SealedJson
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.printable_text import printable_line
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import EncodingError

RUNS = Path(".replicheck")
"""Where runs are kept, under the current directory."""
ORDER = "run.json"
NEW_NAME = re.compile(r"\d{8}T\d{6}Z-(\d+)")
"""Name that `new_folder` gives, with the number of the process."""
OWN_FILE = re.compile(
    rf"result-(\d+)|({ORDER}|result-\d+)\.[0-9a-f]{{16}}{re.escape(PART)}"
)
"""A result, or what a process that was killed had not written to the end."""
ORDER_SEAL = SealedJson("run", schema=1)
RESULT_SEAL = SealedJson("result", schema=3)


def new_folder() -> Path:
    """The folder of a run that begins now."""
    started = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    return RUNS / f"{started}-{os.getpid()}"


class RunFolder:
    """What is kept of one run. Nothing is written before something is due."""

    def __init__(self, folder: Path, order: RunRequest) -> None:
        self.folder, self.order = folder, order
        self.done: dict[int, Result] = {}
        """The results of searches that need not go on, by the number of the task."""
        self.began = False
        self._lock = FolderLock(folder)
        self._next = time.monotonic() + order.every

    @classmethod
    def reopen(cls, folder: Path, catalogue: Catalogue) -> RunFolder:
        """The run in a folder, which is then this process's own.

        Raises:
            CheckpointError: if there is none, or it cannot be used.
        """
        path = folder / ORDER
        body = ORDER_SEAL.open(path)
        run = cls(folder, RunRequest.of_json(body, catalogue, path))
        run.claim()
        for number, task in enumerate(run.order.tasks):
            if run._result(number).exists():
                run.done[number] = _read_result(run._result(number), task)
        run.began = True
        return run

    def claim(self) -> None:
        """Have the folder for this process alone.

        Raises:
            CheckpointError: if another process has it, or it cannot be used.
        """
        try:
            self._lock.acquire()
        except OSError as error:
            raise CheckpointError(f"{self.folder} cannot be used: {error}") from error

    def keep(self, number: int, task: Task) -> CheckpointSettings:
        """Checkpoint settings of a search that begins with a task."""
        folder = self.folder / f"task-{number}"
        return CheckpointSettings(folder, self.order.every, task.recipe, self.begin)

    def begin(self) -> None:
        """Write what was asked, and what was found so far.

        Raises:
            CheckpointError: if another process uses the folder.
            OSError: if the folder cannot be written.
        """
        if self.began:
            return
        self._lock.acquire()
        self._remove_files()
        for number, result in self.done.items():
            with suppress(EncodingError):
                self._store(number, result)
        store(self.folder, ORDER, ORDER_SEAL.close(self.order.as_json))
        sync_folder(self.folder)
        self.began = True

    def finish(self, number: int, result: Result) -> None:
        """Keep the result of a task that need not go on."""
        self.done[number] = result
        # Neither a full disk nor a value without JSON form must cost the result.
        with suppress(OSError, EncodingError):
            if self.began:
                self._store(number, result)
                sync_folder(self.folder)
            elif time.monotonic() >= self._next:
                self.begin()

    def end(self) -> bool:
        """Remove the folder if nothing is left to do; tell whether there is a run."""
        if len(self.done) < len(self.order.tasks):
            if self.done:
                with suppress(OSError):
                    self.begin()
        else:
            self._remove()
        self.release()
        return self.began

    def release(self) -> None:
        """Let other processes have the run; remove what ended processes left."""
        self._lock.release()
        if self.folder.parent == RUNS and RUNS.is_dir():
            remove_abandoned(RUNS)
            with suppress(OSError):
                RUNS.rmdir()

    def _remove(self) -> None:
        """Remove our files, and the folders unless they hold other files."""
        if not self._lock.is_held:
            return
        (self.folder / ORDER).unlink(missing_ok=True)
        self._remove_files()
        self.began = False

    def _remove_files(self) -> None:
        """Remove results and half-written files, also those of a killed process."""
        _remove_files(self.folder, len(self.order.tasks))

    def _result(self, number: int) -> Path:
        return self.folder / f"result-{number}"

    def _store(self, number: int, result: Result) -> None:
        body = {
            "title": result.task.title,
            "report": report_as_json(result.report),
            "problem": result.problem,
            "files": {name: str(path) for name, path in result.files.items()},
            "unsaved": result.unsaved,
            "together": result.together,
            "cached": result.is_cached,
        }
        store(self.folder, self._result(number).name, RESULT_SEAL.close(body))


def newest_run(runs: Path = RUNS) -> Path:
    """The newest run that is kept here.

    Raises:
        CheckpointError: if there is none.
    """
    found = sorted(file.parent for file in runs.glob(f"*/{ORDER}"))
    if not found:
        raise CheckpointError(
            f"there is no run to resume in {runs.absolute()}: it ended, or it was"
            " started in another directory, or ended before its first checkpoint"
        )
    return found[-1]


def find_run(folder: Path) -> Path:
    """The run of a folder, or the newest of the runs in it."""
    is_of_runs = not is_taken(folder) and any(folder.glob(f"*/{ORDER}"))
    return newest_run(folder) if is_of_runs else folder


def is_taken(folder: Path) -> bool:
    """Tell whether a folder already holds a run."""
    return (folder / ORDER).exists()


def command_to_resume(folder: Path) -> str:
    """The command that goes on with the run in a folder, with the code that it needs.

    What the code is remains unsaid where the run cannot be read: nor can it go on.
    """
    code: tuple[tuple[str, str], ...] = ()
    with suppress(CheckpointError, LookupError, TypeError, AttributeError):
        code = own_code_in(ORDER_SEAL.open(folder / ORDER))
    words = ["replicheck", "resume", str(folder), *chain.from_iterable(code)]
    return printable_line(shlex.join(words))


def remove_abandoned(runs: Path) -> None:
    """Remove the folders without ``run.json`` of processes that are gone.

    A process that SIGKILL ends within the milliseconds in which it makes or removes its
    folder leaves one from which no process can go on.
    """
    for folder in runs.iterdir():
        name = NEW_NAME.fullmatch(folder.name)
        if name is None or is_taken(folder) or _is_alive(int(name[1])):
            continue
        with suppress(OSError, CheckpointError), FolderLock(folder):
            if not is_taken(folder):
                _remove_files(folder)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _remove_files(folder: Path, results: float = math.inf) -> None:
    """Remove the first so many results, and what is half-written."""
    for path in folder.iterdir() if folder.is_dir() else ():
        own = OWN_FILE.fullmatch(path.name)
        if own is not None and int(own[1] or 0) < results:
            path.unlink(missing_ok=True)


def _read_result(path: Path, task: Task) -> Result:
    body = RESULT_SEAL.open(path)
    if body["title"] != task.title:
        raise CheckpointError(
            f"{path} is the result of {body['title']}, expected {task.title}; start"
            " again"
        )
    classes = value_classes(task.system.state, task.system.mentioned)
    try:
        return Result(
            task,
            report_of_json(body["report"], classes),
            body["problem"],
            {name: Path(path) for name, path in body["files"].items()},
            body["unsaved"],
            body["together"],
            body["cached"],
        )
    except Exception as error:
        raise CheckpointError(
            f"{path} cannot be read by this version of replicheck: {error}; go on with"
            " the version that wrote it, or start again"
        ) from error
