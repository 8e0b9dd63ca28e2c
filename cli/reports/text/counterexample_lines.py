"""The counterexamples of a result on a terminal, and the files that hold them."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve
from rich.console import RenderableType
from rich.text import Text

from replicheck.cli.reports.counterexamples import (
    avoidable_text,
    commentary,
    task_commentary,
)
from replicheck.cli.results.result import Result
from replicheck.cli.results.run_summary import Assessment, last_action, other_key
from replicheck.explorer.report import Trace, Violation
from replicheck.traces.counterexample import failure_text, violation_text
from replicheck.traces.printable_text import printable_line, printable_path
from replicheck.traces.run_text import TextForm, states_text


def violation_names(result: Result, form: TextForm) -> Iterator[RenderableType]:
    """Yield each violated property, and the file of its run, or the run without one."""
    for violation in result.report.violations:
        if violation.property not in result.files:
            yield styled(_text(result, violation, form), "bold red")
            continue
        states = states_text(len(violation.trace.states))
        yield Text(f"  violated after {states}: {violation.property}")
        yield Text(f"    {result.show_command(violation.property)}")


def counterexample_lines(
    assessment: Assessment, form: TextForm
) -> Iterator[RenderableType]:
    """Yield the run to each violation and to the failure, and where each is saved."""
    result = assessment.result
    colour = "bold red" if assessment.failures else "bold green"
    printed: dict[str, Trace[object]] = {}
    for violation in result.report.violations:
        yield ""
        same = [name for name, trace in printed.items() if trace == violation.trace]
        if same:
            yield Text(
                f"VIOLATED {violation.property}: by the same run as {same[0]}", colour
            )
            yield Text(f"      Violated   {printable_line(violation.instance)}")
        else:
            yield styled(_text(result, violation, form), colour)
        printed[violation.property] = violation.trace
        yield from _saved(result, violation.property)
        yield from _lines_by_other_actions(result, violation.property)
    failure = result.report.failure
    if failure is not None:
        yield ""
        about = task_commentary(result.task, failure.trace)
        yield styled(failure_text(failure, about, form), "bold red")
        yield from _saved(result, failure.function)


def styled(text: str, colour: str) -> Text:
    """Text of a counterexample: the head in a colour, faults red."""
    heading, rest = text.split("\n", 1)
    whole = Text.assemble((heading, colour), "\n", rest)
    whole.highlight_regex(r"(?m)^ *\d+  FAULT .*$", "red")
    return whole


def _text(result: Result, violation: Violation[object], form: TextForm) -> str:
    avoidable = avoidable_text(result.task, violation)
    about = evolve(commentary(result, violation), avoidable=avoidable)
    return violation_text(violation, about, form)


def _lines_by_other_actions(result: Result, name: str) -> Iterator[Text]:
    """Yield a line for each run that breaks the same property by another action."""
    for violation in result.report.others:
        if violation.property == name:
            states = states_text(len(violation.trace.states))
            yield Text(f"Also by {last_action(violation)}, after {states}")
            yield from _saved(result, other_key(violation))


def _saved(result: Result, name: str) -> Iterator[Text]:
    if name in result.files:
        yield Text(f"Saved: {printable_path(result.files[name])}")
