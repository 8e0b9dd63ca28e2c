"""The execution of a run: its tasks in turn, then what is printed and written."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode, code_without_output
from replicheck.cli.console.interrupts import Interrupts, SecondSignal
from replicheck.cli.console.output import (
    STANDARD_OUTPUT,
    OutputError,
    reserve_standard_output,
    write_output,
)
from replicheck.cli.reports.formats import REPORT_FORMATS
from replicheck.cli.reports.text.suite_listing import SuiteListing
from replicheck.cli.reports.text.terminal import (
    print_results,
    print_total,
    standard_error,
    standard_output,
)
from replicheck.cli.results.result import NOT_STARTED, Result, empty_report
from replicheck.cli.results.run_summary import Assessment, RunSummary, assess
from replicheck.cli.runs.progress import PATIENCE_BETWEEN_LINES, ProgressBoard
from replicheck.cli.runs.result_cache import NoCache, ResultCache
from replicheck.cli.runs.run_folder import RunFolder
from replicheck.cli.runs.searches import Searches, SearchesAhead
from replicheck.cli.tasks.run_request import RunRequest, TextDetail
from replicheck.cli.tasks.task import Task
from replicheck.explorer.errors import CheckpointError, ClusterError
from replicheck.explorer.report import Verdict
from replicheck.traces.printable_text import printable_line

if TYPE_CHECKING:
    from rich.console import Console

    from replicheck.cli.results.mutant_results import Mutants


def mutants_of(order: RunRequest) -> Mutants:
    """The mutants that the reports of a run are to show.

    Raises:
        BadInput: if their file cannot be read, or is none of mutants.
    """
    if order.mutants is None:
        return ()
    # Imported only here: few runs show any.
    from replicheck.cli.results.mutant_results import read_mutants

    return read_mutants(order.mutants)


def execute(run: RunFolder) -> NoReturn:
    """Finish a run and end the process with its exit code."""
    order, started = run.order, time.monotonic()
    with _release_at_end(run):
        mutants = mutants_of(order)
        board = ProgressBoard(
            standard_error(), len(order.tasks), PATIENCE_BETWEEN_LINES
        )
        to_stdout = STANDARD_OUTPUT in order.reports.values()
        if to_stdout:
            reserve_standard_output()
        out = standard_error() if to_stdout else standard_output()
        with Interrupts() as interrupts:
            with board.live():
                assessments = _assessments(run, board, interrupts, out)
            summary = RunSummary(assessments, mutants)
            print_results(out, summary, order.detail, order.runs)
            if order.covers:
                _print_coverage(out, summary.results)
            if len(assessments) > 1 or order.detail is TextDetail.NONE:
                print_total(out, summary, time.monotonic() - started)
            if order.annotates:
                _annotate(out, summary)
            is_whole = _write_reports(order, summary)
            if not is_whole and run.began:
                missing = "not every report is written"
                out.print(f"\n{missing}{_how_to_go_on(run)}", soft_wrap=True)
            elif run.end():
                out.print(f"\nnot finished{_how_to_go_on(run)}", soft_wrap=True)
    sys.exit(summary.code if is_whole else code_without_output(summary.code))


def _write_reports(order: RunRequest, summary: RunSummary) -> bool:
    """Write each report, and tell of those that cannot be; whether all are written."""
    errors = []
    for form, path in order.reports.items():
        try:
            write_output(path, REPORT_FORMATS[form].write(summary), f"--{form}")
        except OutputError as error:
            errors.append(error)
            error.show()
    return not errors


def _assessments(
    run: RunFolder, board: ProgressBoard, interrupts: Interrupts, out: Console
) -> list[Assessment]:
    """The assessed results; of several, the line of each is printed when it is final.

    Raises:
        CheckpointError: if the checkpoint of a task cannot be used.
    """
    order, assessments = run.order, list[Assessment]()
    accepted = {ExitCode.INCOMPLETE} if order.accepts_incomplete else set()
    listing = SuiteListing(out, order.tasks)
    for number, result in enumerate(_results(run, board, interrupts)):
        assessment = assess(result, accepted)
        assessments.append(assessment)
        if _is_listed(assessment, order):
            with board.cleared():
                listing.add(number, assessment)
    with board.cleared():
        listing.flush()
    return assessments


def _is_listed(assessment: Assessment, order: RunRequest) -> bool:
    """Tell whether a result has a line: one alone is printed whole, or not at all."""
    if assessment.result.report.cut == NOT_STARTED:
        return False
    if order.detail is TextDetail.NONE:
        return bool(assessment.failures)
    return len(order.tasks) > 1


def _results(
    run: RunFolder, board: ProgressBoard, interrupts: Interrupts
) -> Iterator[Result]:
    """Yield the result of each task; after Ctrl-C the others are not started.

    Raises:
        CheckpointError: if the checkpoint of a task cannot be used.
    """
    order = run.order
    watch = interrupts.interruptible(board.watch)
    cache = ResultCache() if order.caches else NoCache()
    searches = Searches(order.tasks, cache, watch, run.keep, run.done, _search_ahead)
    with closing(searches):
        for number, task in enumerate(order.tasks):
            if number in run.done:
                board.skip()
                yield run.done[number]
            elif interrupts.came and number not in searches.found:
                yield Result(task, empty_report(task, Verdict.INCOMPLETE, NOT_STARTED))
            else:
                board.start(task)
                result = _saved(searches.result(number), order.traces)
                if not result.was_interrupted and not searches.may_go_on(number):
                    run.finish(number, result)
                yield result


def _search_ahead(tasks: Mapping[int, Task]) -> SearchesAhead | None:
    if not tasks:
        return None
    # Imported only here: one search needs no other process.
    from replicheck.cli.runs.search_processes import search_in_processes

    return search_in_processes(tasks)


def _print_coverage(out: Console, results: Sequence[Result]) -> None:
    from replicheck.cli.reports.text.coverage_table import print_coverage

    print_coverage(out, results)


def _annotate(out: Console, summary: RunSummary) -> None:
    from replicheck.cli.reports.github_annotations import workflow_commands

    out.file.write(workflow_commands(summary))


def _saved(result: Result, folder: Path) -> Result:
    """The result with its traces in a folder, if it has any."""
    if result.found_nothing:
        return result
    # Imported only here: most results have no trace to save.
    from replicheck.cli.runs.trace_files import save_traces

    return save_traces(result, folder)


@contextmanager
def _release_at_end(run: RunFolder) -> Iterator[None]:
    """Release a run at its end; print an error that keeps it from being finished.

    Raises:
        BadInput: if a checkpoint cannot be used.
        SystemExit: if the cluster fails, or at a second signal.
    """
    try:
        yield
    except CheckpointError as error:
        raise BadInput(str(error)) from error
    except ClusterError as error:
        message = f"Error: {error}{_how_to_go_on(run) if run.began else ''}"
        click.echo(printable_line(message), err=True)
        sys.exit(ExitCode.INCOMPLETE)
    except SecondSignal:
        click.echo(
            "Error: ended by a second signal; what was found since the last checkpoint"
            f" is lost{_how_to_go_on(run) if run.began else ''}",
            err=True,
        )
        sys.exit(ExitCode.INCOMPLETE)
    finally:
        run.release()


def _how_to_go_on(run: RunFolder) -> str:
    code = chain.from_iterable(run.order.own_code)
    command = shlex.join(["replicheck", "resume", str(run.folder), *code])
    return f"; to go on from the last checkpoint: {printable_line(command)}"
