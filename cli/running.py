"""Runs tasks, one after the other, and keeps the traces of what they find."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from replicheck.cli.cache import Cache
from replicheck.cli.engines import start
from replicheck.cli.interrupts import Interrupts
from replicheck.cli.progress import ProgressBoard
from replicheck.cli.results import NOT_STARTED, Result, empty_report
from replicheck.cli.run_folder import RunFolder
from replicheck.cli.sharing import part_of, share_states, together
from replicheck.cli.tasks import Task
from replicheck.explorer.engine import Progress
from replicheck.explorer.errors import ModelError
from replicheck.explorer.keep import Keep
from replicheck.explorer.report import Report, Trace, Verdict
from replicheck.traces.atomic import write_atomically
from replicheck.traces.json_lines import Header, SavedTrace, dumps

DIGEST_LENGTH = 8


@frozen
class Runner:
    """Runs the tasks of a run under the eyes of a board."""

    board: ProgressBoard
    interrupts: Interrupts
    folder: RunFolder
    cache: Cache = field(factory=Cache)

    def run(self) -> Iterator[Result]:
        """Yield the result of each task; after Ctrl-C the others are not started.

        Raises:
            CheckpointError: if the checkpoint of a task cannot be used.
        """
        found = dict(self.folder.done)
        for number, task in enumerate(self.folder.order.tasks):
            if number in found:
                self.board.skip()
            elif self.interrupts.came:
                report = empty_report(task, Verdict.INCOMPLETE, NOT_STARTED)
                found[number] = Result(task, report)
            else:
                self.board.start(task)
                found.update(self._results(number, found))
            yield found[number]

    def _results(self, number: int, found: Mapping[int, Result]) -> dict[int, Result]:
        """Return the result of a task, and of others that its search gives as well."""
        task = self.folder.order.tasks[number]
        cached = self.cache.find(task)
        if cached is not None:
            result = self._save(Result(task, cached))
            self.folder.finish(number, result)
            return {number: result}
        members = self._sharing(number, found)
        results = self._search(number, members)
        if number not in results:
            results |= self._search(number, [number])
        return results

    def _sharing(self, number: int, found: Mapping[int, Result]) -> list[int]:
        """Return the tasks without a result that visit the same states."""
        tasks = self.folder.order.tasks
        return [
            other
            for other in range(number, len(tasks))
            if other not in found
            and share_states(tasks[number], tasks[other])
            and (other == number or self.cache.find(tasks[other]) is None)
        ]

    def _search(self, number: int, members: Sequence[int]) -> dict[int, Result]:
        """Search once for several tasks; return the results that are their own."""
        tasks = [self.folder.order.tasks[each] for each in members]
        common = together(tasks)
        keep = self.folder.keep(number, common)
        searched = self._explore(common, keep)
        results = {}
        for each, task in zip(members, tasks, strict=True):
            own = _own(searched, task, len(members))
            if own is not None:
                results[each] = self._save(own)
                self.cache.keep(task, own.report)
                if not own.was_interrupted and not keep.is_there:
                    self.folder.finish(each, results[each])
        return results

    def _explore(self, task: Task, keep: Keep) -> Result:
        search = task.search(self._watch)
        explore = start(task.engine, task.settings, keep)
        try:
            return Result(task, explore(task.model, task.properties, search))
        except ModelError as error:
            return Result(task, empty_report(task, Verdict.ERROR), problem=str(error))

    def _watch(self, progress: Progress) -> None:
        self.board.watch(progress)
        self.interrupts.watch(progress)

    def _save(self, result: Result) -> Result:
        """Write every trace of a result to a file of its own.

        A full disk must not cost the result, so it only becomes a note.
        """
        files: dict[str, Path] = {}
        traces = self.folder.order.traces
        try:
            for saved in saved_traces(result.task, result.report):
                files[saved.header.property] = _write(traces, saved)
        except OSError as error:
            return evolve(result, files=files, unsaved=str(error))
        return evolve(result, files=files)


def _own(searched: Result, task: Task, together: int) -> Result | None:
    """Return the part of a task in the result of a search for several."""
    if together == 1:
        return evolve(searched, task=task)
    report = part_of(searched.report, task)
    return None if report is None else Result(task, report, together=together)


def saved_traces(task: Task, report: Report[Any]) -> Iterator[SavedTrace]:
    """Yield the traces of a report, each with what it is a trace of."""

    def saved(name: str, kind: str, clause: str, trace: Trace[Any]) -> SavedTrace:
        scenario = task.scenario
        header = Header(
            scenario=scenario.name,
            model=scenario.model,
            protocol=scenario.protocol,
            bounds=dict(scenario.bounds),
            property=name,
            kind=kind,
            clause=clause,
            initial=scenario.initial,
            setup=scenario.setup,
            version=version("replicheck"),
        )
        return SavedTrace(header, trace)

    for each in report.violations:
        yield saved(each.property, each.kind.value, each.clause, each.trace)
    failure = report.failure
    if failure is not None:
        yield saved(failure.function, "error", failure.message, failure.trace)


def _write(folder: Path, saved: SavedTrace) -> Path:
    """Write a trace; its name ends in a digest, so equal traces are one file."""
    text = dumps(saved)
    header = saved.header
    digest = hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]
    subject = header.property.partition("(")[0]
    path = folder / f"{header.scenario}-{header.protocol}-{subject}-{digest}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
    return path
