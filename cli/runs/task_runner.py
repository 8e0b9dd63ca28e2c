"""Runs tasks, one after the other, and keeps the traces of what they find."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import evolve, field, frozen

from replicheck.cli.console.interrupts import Interrupts
from replicheck.cli.results.result import NOT_STARTED, Result, empty_report
from replicheck.cli.results.run_summary import other_key
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.runs.result_cache import ResultCache
from replicheck.cli.runs.run_folder import RunFolder
from replicheck.cli.runs.searches import Searches
from replicheck.cli.runs.trace_files import make_saved_traces, write_trace
from replicheck.explorer.engine import Progress
from replicheck.explorer.report import Verdict


@frozen
class TaskRunner:
    """Runs the tasks of a run under the eyes of a board."""

    board: ProgressBoard
    interrupts: Interrupts
    folder: RunFolder
    cache: ResultCache = field(factory=ResultCache)

    def run(self) -> Iterator[Result]:
        """Yield the result of each task; after Ctrl-C the others are not started.

        Raises:
            CheckpointError: if the checkpoint of a task cannot be used.
        """
        folder, tasks = self.folder, self.folder.order.tasks
        searches = Searches(tasks, self.cache, self._watch, folder.keep, folder.done)
        for number, task in enumerate(tasks):
            if number in folder.done:
                self.board.skip()
                yield folder.done[number]
            elif self.interrupts.came and number not in searches.found:
                yield Result(task, empty_report(task, Verdict.INCOMPLETE, NOT_STARTED))
            else:
                self.board.start(task)
                result = save_traces(searches.result(number), folder.order.traces)
                if not result.was_interrupted and not searches.may_go_on(number):
                    folder.finish(number, result)
                yield result

    def _watch(self, progress: Progress) -> None:
        self.board.watch(progress)
        self.interrupts.watch(progress)


def save_traces(result: Result, folder: Path) -> Result:
    """Write every trace of a result to a file of its own, and note where.

    A full disk must not cost the result, so it only becomes a note.
    """
    files: dict[str, Path] = {}
    report = result.report
    try:
        for trace in make_saved_traces(result.task, report.violations, report.failure):
            files[trace.header.property] = write_trace(folder, trace)
        for other in report.others:
            (trace,) = make_saved_traces(result.task, [other], None)
            files[other_key(other)] = write_trace(folder, trace)
    except OSError as error:
        return evolve(result, files=files, unsaved=str(error))
    return evolve(result, files=files)
