"""A counterexample as text: a summary of six lines, then a line for each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Any

from attrs import frozen

from replicheck.explorer.properties import Kind
from replicheck.explorer.report import Failure, Step, Trace, Violation
from replicheck.traces.describer import Describer
from replicheck.traces.log_strips import drawn
from replicheck.traces.printable_text import printable, printable_line
from replicheck.traces.record_history import ledger
from replicheck.traces.run_text import (
    INDENT,
    SHORT,
    RunDetail,
    TextForm,
    end_lines,
    is_fault,
    moved_text,
    run_lines,
    states_text,
)

PLACES = {
    Kind.ALWAYS: "at state {last}: ",
    Kind.STEP: "by the step to state {last}: ",
    Kind.DEADLOCK: "at state {last}, where no action is enabled: ",
    Kind.LEADS_TO: "by what repeats from state {loop} on: ",
    Kind.EVENTUALLY_ALWAYS: "by what repeats from state {loop} on: ",
}

ENVIRONMENT = "environment"
"""What takes the faults that are no participant's steps."""
REST = "others"
"""What takes the steps of actions in which no participant is named."""
MOST_NAMED = 3
"""Steps of a setup that are named; of a longer one it is told how long it is."""


@frozen
class Commentary:
    """What is known of a run besides its states.

    ``claim`` is the violated property in words, ``run`` what is known of the length of
    the run, ``avoidable`` the last state from which the violation could be avoided,
    ``begins`` where the run begins, if it could elsewhere, ``setup`` the steps that
    were taken before it; each is empty where it is not known. Without ``describer``
    the text has no faults, no actors, no summaries of actions and no logs.
    """

    claim: str = ""
    describer: Describer | None = None
    run: str = "the shortest run"
    avoidable: str = ""
    begins: str = ""
    setup: Sequence[str] = ()


NO_COMMENTARY = Commentary()


def violation_text(
    violation: Violation[Any],
    commentary: Commentary = NO_COMMENTARY,
    form: TextForm = SHORT,
) -> str:
    """Text of a violation: the property, what broke it, and the run to it."""
    trace = violation.trace
    last = len(trace.states)
    loop = None if violation.loop is None else violation.loop + 1
    place = PLACES[violation.kind].format(last=last, loop=loop)
    rows = [
        ("Violated", place + printable_line(violation.instance)),
        *_rows(trace, commentary),
    ]
    return _text(
        [
            f"VIOLATED {violation.property}: {_length(violation, commentary)}",
            *_claim(commentary, form),
            *_table(rows, form),
            *_run(trace, commentary, form, loop),
        ]
    )


def _length(violation: Violation[Any], commentary: Commentary) -> str:
    last, loop = len(violation.trace.states), violation.loop
    states = states_text(last)
    if loop is None:
        return f"{commentary.run} has {states}"
    if loop + 1 == last:
        return f"the run has {states}, in the last of which it stays for ever"
    return f"the run has {states} and repeats those from state {loop + 1} on"


def failure_line(failure: Failure[Any]) -> str:
    """Line for a function of the model that raised."""
    return f"ERROR {failure.function} raised {printable_line(failure.message)}"


def failure_text(
    failure: Failure[Any],
    commentary: Commentary = NO_COMMENTARY,
    form: TextForm = SHORT,
) -> str:
    """Text of a function of the model that raised, and of the run to that state."""
    last = len(failure.trace.states)
    rows = [("Called", f"on state {last}"), *_rows(failure.trace, commentary)]
    return _text(
        [
            failure_line(failure),
            *_table(rows, form),
            *_run(failure.trace, commentary, form),
        ]
    )


def run_text(trace: Trace[Any], commentary: Commentary, form: TextForm) -> str:
    """Text of a run that violates nothing."""
    rows = _rows(trace, commentary)
    return _text([*_table(rows, form), *_run(trace, commentary, form)])


def _text(lines: Iterable[str]) -> str:
    return printable("\n".join(lines))


def _claim(commentary: Commentary, form: TextForm) -> Iterator[str]:
    if commentary.claim:
        yield from _wrapped(INDENT, commentary.claim, INDENT, form)


def _rows(trace: Trace[Any], commentary: Commentary) -> Iterator[tuple[str, str]]:
    """Yield the rows of the summary: where it begins, faults, until when, who."""
    describer = commentary.describer
    if commentary.begins:
        yield "Begins", commentary.begins
    if describer is not None:
        faults = [
            f"{number} {step.label}"
            for number, step, mark in _marked(trace, describer)
            if mark
        ]
        yield "Faults", ", ".join(faults) or _no_fault(commentary.setup)
    if commentary.avoidable:
        yield "Avoidable", commentary.avoidable
    if describer is not None:
        steps = _steps_by_actor(trace, describer)
        if steps:
            yield "Steps", steps


def _no_fault(setup: Sequence[str]) -> str:
    """Words for a run without a fault, of which there may be some before it."""
    if not setup:
        return "none"
    if len(setup) > MOST_NAMED:
        return f"none after the {len(setup)} steps of its setup"
    return f"none after its setup: {'; '.join(setup)}"


def _steps_by_actor(trace: Trace[Any], describer: Describer) -> str:
    counts = Counter(
        describer.actor(step.action, step.arguments) or (ENVIRONMENT if mark else REST)
        for _, step, mark in _marked(trace, describer)
    )
    if counts.keys() <= {ENVIRONMENT, REST}:
        return ""
    return ", ".join(f"{actor}: {count}" for actor, count in sorted(counts.items()))


def _table(rows: Iterable[tuple[str, str]], form: TextForm) -> Iterator[str]:
    for name, text in rows:
        yield from _wrapped(f"{INDENT}{name:9}  ", text, INDENT + " " * 11, form)


def _run(
    trace: Trace[Any],
    commentary: Commentary,
    form: TextForm,
    loop: int | None = None,
) -> Iterator[str]:
    """Yield the steps of a run, and where it begins to repeat, if it does."""
    describer = commentary.describer
    yield ""
    if form.detail is RunDetail.FULL:
        yield from run_lines(trace, describer)
        yield ""
        yield f"State {len(trace.states)}:"
        yield from end_lines(trace)
    else:
        yield from _step_rows(trace, describer, form, loop)
    if loop is not None:
        yield from _wrapped(INDENT, _repetition(trace, loop), INDENT, form)
    yield from _logs(trace, describer)


def _repetition(trace: Trace[Any], loop: int) -> str:
    """What the run does for ever."""
    last = len(trace.states)
    if loop == last:
        return (
            f"In state {last} it stays for ever: nothing is enabled but what the"
            " environment may leave out."
        )
    return f"State {last} is state {loop} again: so it goes on for ever."


def _step_rows(
    trace: Trace[Any],
    describer: Describer | None,
    form: TextForm,
    loop: int | None = None,
) -> Iterator[str]:
    """Yield a line for each step: its number, whether it is a fault, what it does.

    Where the line is too long, or has what the step took, the summary of the action
    stands in a line of its own, at the first step of the action only.
    """
    explained: set[str] = set()
    labels = [f"{mark}{step.label}" for _, step, mark in _marked(trace, describer)]
    column = min(max(map(len, labels), default=0), form.width // 3)
    before = trace.start
    for number, step, mark in _marked(trace, describer):
        if loop is not None and number == loop + 1:
            yield f"{INDENT}From here, state {loop}, it repeats:"
        head = f"{number:4}  {mark}{step.label}"
        summary = "" if describer is None else describer.summary(step.action)
        moved = moved_text(step, before, describer)
        before = step.state
        line = f"{head:{column + 6}}  {moved or summary}".rstrip()
        if len(line) <= form.width:
            yield line
        else:
            yield from _wrapped("", head, INDENT + "  ", form)
            yield from _wrapped(INDENT + "  ", moved, INDENT + "  ", form)
        if len(line) <= form.width and not moved:
            continue
        if step.action not in explained:
            yield from _wrapped(INDENT + "  ", summary, INDENT + "  ", form)
        explained.add(step.action)


def _marked(
    trace: Trace[Any], describer: Describer | None
) -> Iterator[tuple[int, Step[Any], str]]:
    """Yield each step with the number of its state and the mark of a fault."""
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        mark = "FAULT " if is_fault(step, before, describer) else ""
        yield number, step, mark
        before = step.state


def _wrapped(head: str, text: str, indent: str, form: TextForm) -> list[str]:
    """Lines of a text between words, the first after ``head``."""
    return wrap(
        text,
        max(form.width, len(indent) + 20),
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _logs(trace: Trace[Any], describer: Describer | None) -> Iterator[str]:
    """Yield the logs of the last state, and what became of each record."""
    if describer is None:
        return
    strips = describer.strips(trace.states[-1])
    entries = ledger(trace, describer)
    if entries:
        yield "Logs (e: epoch, ^: high watermark):"
        yield from (INDENT + line for line in drawn(strips))
        yield "Records:"
        yield from (f"{INDENT}{entry}" for entry in entries)
