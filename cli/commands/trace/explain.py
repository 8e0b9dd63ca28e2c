"""``replicheck trace explain``: when a violation was avoidable, and what it needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen

from replicheck.cli.commands.own_model import own_model
from replicheck.cli.console.errors import BrokenContract
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.console.output import require_writable_file
from replicheck.cli.saved_traces.loaded_trace import (
    LoadedTrace,
    ModelChanged,
    foreign_states,
    load_trace,
)
from replicheck.cli.saved_traces.smaller_bounds import SmallerBounds
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.explorer.errors import message_of
from replicheck.explorer.interpreter.judge import InstanceJudge
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.json_lines import SavedTrace, write
from replicheck.traces.printable_text import printable_line
from replicheck.traces.replay import avoidability
from replicheck.traces.replay.replay import Ending, Replayer

MOST_STATES = 1_000_000
MOST_ESCAPES = 20_000


@frozen
class Explanation:
    """A run that still violates, and what it is a run of."""

    saved: SavedTrace
    run: LoadedTrace
    claim: Property
    model: Model[Any]
    judge: InstanceJudge

    def escape(self, limit: int) -> avoidability.Verdict:
        """The last state from which the violation can be avoided."""
        return avoidability.last_escape(
            self.model,
            self.saved.trace,
            self.judge,
            avoidability.EscapeLimits(limit),
            self.run.system.describer,
        )


def _limit(name: str, most: int, purpose: str) -> Callable[..., Any]:
    """Option that limits the states of a search."""
    return click.option(
        name,
        type=click.IntRange(min=1),
        default=most,
        show_default=True,
        help=purpose,
    )


@click.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@_limit(
    "--limit-states",
    MOST_STATES,
    "End each search for a violation with fewer faults after so many states.",
)
@_limit(
    "--limit-escapes",
    MOST_ESCAPES,
    "End each search for a run that avoids it after so many states.",
)
@click.option(
    "--avoiding",
    "avoiding_file",
    metavar="FILE",
    help="Save the run that avoids it, as a trace.",
)
@own_model
@click.pass_obj
def explain(
    catalogue: Catalogue,
    /,
    path: Path,
    limit_states: int,
    limit_escapes: int,
    avoiding_file: str | None,
) -> None:
    """Say until when a violation could have been avoided, and which faults it needs.

    Exit codes: 0 explained, 10 a run for ever, or the present model does not violate by
    this run, 75 error in the model, 151 no trace.
    """
    saved = read_trace(catalogue, path)
    if avoiding_file is not None:
        require_writable_file(avoiding_file, "--avoiding")
    try:
        with foreign_states(path):
            explained = _explained(saved, load_trace(catalogue, saved.header))
    except ModelChanged as error:
        message = f"Error: {path}: cannot be explained: {error}"
        click.echo(printable_line(message), err=True)
        sys.exit(ExitCode.EXPECTATION)
    try:
        verdict = explained.escape(limit_escapes)
    except Exception as error:
        raise BrokenContract(message_of(error)) from error
    for line in _avoidable(explained.saved.trace, verdict):
        click.echo(printable_line(line))
    if avoiding_file is not None and verdict.escape is not None:
        header = evolve(saved.header, property="", kind="", instance="")
        write(Path(avoiding_file), SavedTrace(header, verdict.escape.trace))
    sparing = SmallerBounds(explained.run, explained.claim, limit_states)
    with foreign_states(path):
        for line in sparing.lines(explained.saved.trace):
            click.echo(printable_line(line))


def _explained(saved: SavedTrace, run: LoadedTrace) -> Explanation:
    """The run, if it still violates.

    Raises:
        ModelChanged: if it does not, or is one for ever.
    """
    if saved.header.loop is not None:
        raise ModelChanged("it is a run for ever, and nothing is said of fairness")
    if run.claim is None:
        raise ModelChanged("it is about no property")
    model = run.model()
    judge = run.judge(model)
    replay = Replayer(model, judge).replay(saved.trace)
    if replay.ending is not Ending.VIOLATES:
        raise ModelChanged("it violates no longer; replay it to see why")
    # A file has a named tuple as a tuple; the model's own states have its class.
    own = evolve(saved, trace=replay.trace)
    return Explanation(own, run, run.claim, model, judge)


def _avoidable(trace: Trace[Any], verdict: avoidability.Verdict) -> Iterator[str]:
    escape = verdict.escape
    if verdict.unknown:
        numbers = ", ".join(map(str, sorted(verdict.unknown)))
        yield f"Undecided: whether it can be avoided from state {numbers}."
    if escape is None and verdict.unknown:
        yield "Avoidable: from no state of the run, as far as was searched."
        return
    if escape is None:
        yield "Not avoidable: every run from the first state comes to a violation."
        return
    last = len(trace.states)
    yield f"Avoidable until state {escape.state} of {last}."
    if len(verdict.doomed) > 1:
        first = min(verdict.doomed)
        yield f"      From state {first} on, every run comes to a violation."
    yield f"      it went on  {trace.steps[escape.state - 1].label}"
    if not escape.steps:
        yield f"      avoiding    nothing more happens: {escape.end.value}"
        return
    yield f"      avoiding    {escape.instead}"
    kept = f"That run keeps it for {len(escape.steps)} steps"
    yield f"      {kept}; then {escape.end.value}."
