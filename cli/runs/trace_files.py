"""What was found, as traces in files of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import evolve

from replicheck.cli.results.result import Result
from replicheck.cli.results.run_summary import other_key
from replicheck.cli.tasks.task import Task
from replicheck.cli.version import VERSION
from replicheck.explorer.report import Failure, Trace, Violation
from replicheck.explorer.runtime.atomic_files import write_atomically
from replicheck.explorer.runtime.digest import sha256
from replicheck.invariants.catalogue.setup_steps import name_of
from replicheck.invariants.catalogue.systems import System
from replicheck.traces.json_lines import Header, SavedTrace, dumps
from replicheck.traces.printable_text import printable_line, printable_path
from replicheck.traces.value_classes import value_classes
from replicheck.traces.value_json import (
    EncodingError,
    UnknownClass,
    entries,
    trace_of,
)

DIGEST_LENGTH = 8
ILLEGAL = re.compile(r"[^\w .+=-]", re.ASCII)
"""What a name of a file does not have here."""
MOST_CHARACTERS = 200
"""Of a file's name before the digest: file systems take 255."""


class UnsavedRun(Exception):
    """A run that cannot be saved, or could not be read again; the message says why."""


def save_traces(result: Result, folder: Path) -> Result:
    """Write every trace of a result to a file of its own, and note where.

    A full disk must not cost the result, so it only becomes a note.
    """
    files: dict[str, Path] = {}
    report = result.report
    try:
        for trace in make_saved_traces(result.task, report.violations, report.failure):
            files[trace.header.property] = save_run(result.task, folder, trace)
        for violation in report.others:
            (trace,) = make_saved_traces(result.task, [violation], None)
            files[other_key(violation)] = save_run(result.task, folder, trace)
    except UnsavedRun as error:
        return evolve(result, files=files, unsaved=str(error))
    return evolve(result, files=files)


def make_saved_traces(
    task: Task, violations: Iterable[Violation[Any]], failure: Failure[Any] | None
) -> Iterator[SavedTrace]:
    """Yield the traces of what was found, each with what it is a trace of."""
    for violation in violations:
        about = {"property": violation.property, "instance": violation.instance}
        yield make_saved_trace(
            task,
            violation.trace,
            kind=violation.kind.value,
            loop=violation.loop,
            **about,
        )
    if failure is not None:
        about = {"property": failure.function, "instance": failure.message}
        yield make_saved_trace(task, failure.trace, kind="error", **about)


def make_saved_trace(task: Task, trace: Trace[Any], **about: Any) -> SavedTrace:
    """A trace of a task, with a header that says what it is ``about``."""
    scenario = task.scenario
    header = Header(
        scenario=scenario.name,
        model=scenario.model,
        protocol=scenario.protocol,
        reductions=scenario.reductions,
        bounds=dict(scenario.bounds),
        initial=name_of(trace.start, scenario, task.system),
        setup=scenario.setup,
        version=VERSION,
        **about,
    )
    return SavedTrace(header, trace)


def save_run(task: Task, folder: Path, saved: SavedTrace) -> Path:
    """Write a run of a task, as `write_trace` does.

    Raises:
        UnsavedRun: if it cannot be written, or could not be read again.
    """
    try:
        _require_readable(task.system, saved.trace)
        return write_trace(folder, saved)
    except (OSError, EncodingError) as error:
        raise UnsavedRun(str(error)) from error


def saved_line(task: Task, folder: Path, saved: SavedTrace) -> str:
    """Save a run of a task; what a person is told of it."""
    try:
        return f"Saved: {printable_path(save_run(task, folder, saved))}"
    except UnsavedRun as error:
        return printable_line(f"Not saved: {error}")


def _require_readable(system: System, trace: Trace[Any]) -> None:
    """Refuse a run that could not be read again.

    Raises:
        UnsavedRun: if no name of the model leads to the class of a value.
        EncodingError: if a value has no JSON form.
    """
    try:
        trace_of([*entries(trace)], value_classes(system.state, system.mentioned))
    except UnknownClass as error:
        raise UnsavedRun(
            f"the run has a value of the class {error.name}, which could not be found"
            f" when it is read: expected a class at the top of a module of the model"
            f" {system.name}, or one that a cell or a parameter is annotated with"
        ) from error


def file_name(text: str) -> str:
    """Part of a file's name after a text from a suite or a model: never a path."""
    return ILLEGAL.sub("_", text).lstrip(".")[:MOST_CHARACTERS]


def write_trace(folder: Path, saved: SavedTrace) -> Path:
    """Write a trace; its name ends in a digest, so equal traces are one file.

    Raises:
        OSError: if the folder cannot be written.
    """
    text = dumps(saved)
    header = saved.header
    digest = sha256(text.encode()).hex()[:DIGEST_LENGTH]
    subject = header.property.partition("(")[0]
    names = "-".join((header.scenario, header.protocol, subject))
    path = folder / f"{file_name(names)}-{digest}.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
    return path
