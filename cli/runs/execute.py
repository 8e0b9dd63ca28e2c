"""The execution of a run: search, print, write, and keep what is not summary."""

from __future__ import annotations

import shlex
import sys
import time
from typing import NoReturn

import click

from replicheck.cli.console.errors import BadInput
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.interrupts import Interrupts, SecondSignal
from replicheck.cli.console.output import STANDARD_OUTPUT, write_output
from replicheck.cli.reports.formats import REPORT_FORMATS
from replicheck.cli.reports.github_annotations import workflow_commands
from replicheck.cli.reports.text.coverage_table import print_coverage
from replicheck.cli.reports.text.terminal import (
    print_results,
    print_total,
    standard_error,
    standard_output,
)
from replicheck.cli.results.mutant_results import read_mutants
from replicheck.cli.results.run_summary import summarize
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.runs.result_cache import NoCache, ResultCache
from replicheck.cli.runs.run_folder import RunFolder
from replicheck.cli.runs.task_runner import TaskRunner
from replicheck.explorer.errors import CheckpointError, ClusterError


def execute(run: RunFolder) -> NoReturn:
    """Finish a run and end the process with its exit code."""
    try:
        code = _execute(run)
    except CheckpointError as error:
        raise BadInput(str(error)) from error
    except ClusterError as error:
        click.echo(f"Error: {error}{_how_to_go_on(run) if run.began else ''}", err=True)
        code = ExitCode.INCOMPLETE
    except SecondSignal:
        click.echo(
            "Error: ended by a second signal; what was found since the last checkpoint"
            f" is lost{_how_to_go_on(run) if run.began else ''}",
            err=True,
        )
        code = ExitCode.INCOMPLETE
    finally:
        run.release()
    sys.exit(code)


def _execute(run: RunFolder) -> ExitCode:
    order, started = run.order, time.monotonic()
    mutants = read_mutants(order.mutants)
    board = ProgressBoard(standard_error(), len(order.tasks))
    with Interrupts() as interrupts:
        with board.live():
            cache = ResultCache() if order.caches else NoCache()
            results = list(TaskRunner(board, interrupts, run, cache).run())
        accepted = {ExitCode.INCOMPLETE} if order.accepts_incomplete else set()
        summary = summarize(results, accepted, mutants)
        to_stdout = STANDARD_OUTPUT in order.reports.values()
        out = standard_error() if to_stdout else standard_output()
        print_results(out, summary, order.detail)
        if order.covers:
            print_coverage(out, results)
        if len(results) > 1:
            print_total(out, summary, time.monotonic() - started)
        if order.annotates:
            out.file.write(workflow_commands(summary))
        for form, path in order.reports.items():
            write_output(path, REPORT_FORMATS[form].write(summary), f"--{form}")
        if run.end():
            out.print(f"\nnot finished{_how_to_go_on(run)}", soft_wrap=True)
    return summary.code


def _how_to_go_on(run: RunFolder) -> str:
    command = shlex.join(["replicheck", "resume", str(run.folder)])
    return f"; to go on from the last checkpoint: {command}"
