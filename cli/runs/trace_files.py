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
from replicheck.traces.json_lines import Header, SavedTrace, dumps

DIGEST_LENGTH = 8
ILLEGAL = re.compile(r"[^\w .+=-]", re.ASCII)
"""What a name of a file does not have here."""
MOST_CHARACTERS = 200
"""Of a file's name before the digest: file systems take 255."""


def save_traces(result: Result, folder: Path) -> Result:
    """Write every trace of a result to a file of its own, and note where.

    A full disk must not cost the result, so it only becomes a note.
    """
    files: dict[str, Path] = {}
    report = result.report
    try:
        for trace in make_saved_traces(result.task, report.violations, report.failure):
            files[trace.header.property] = write_trace(folder, trace)
        for violation in report.others:
            (trace,) = make_saved_traces(result.task, [violation], None)
            files[other_key(violation)] = write_trace(folder, trace)
    except OSError as error:
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
