"""``replicheck trace replay``: whether a saved run can still be taken, and violates."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from replicheck.cli.commands.own_model import own_model
from replicheck.cli.console.exit_codes import ExitCode, most_severe
from replicheck.cli.console.options import saved_files
from replicheck.cli.saved_traces.loaded_trace import (
    ModelChanged,
    foreign_states,
    load_trace,
)
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.json_lines import Header, SavedTrace
from replicheck.traces.printable_text import printable_line, printable_path
from replicheck.traces.replay.replay import Ending, Replay, Replayer, replacements
from replicheck.traces.value_text import note_change

CODES = {
    "always": ExitCode.INVARIANT,
    "step": ExitCode.STEP_PROPERTY,
    "deadlock": ExitCode.DEADLOCK,
    "leads_to": ExitCode.LIVENESS,
    "eventually_always": ExitCode.LIVENESS,
    "error": ExitCode.MODEL_ERROR,
}
EXPECTED = {"violates": Ending.VIOLATES, "keeps": Ending.KEEPS}


@click.command()
@saved_files
@click.option(
    "--protocol",
    metavar="NAME",
    help="Take the run in this protocol; an action that it does not have gives way to"
    " the one in its place.",
)
@click.option(
    "--expect",
    type=click.Choice(list(EXPECTED)),
    help="Exit 0 if and only if this is what becomes of the run, else 10.",
)
@own_model
@click.pass_obj
def replay(
    catalogue: Catalogue,
    /,
    paths: tuple[Path, ...],
    protocol: str | None,
    expect: str | None,
) -> None:
    """Step the present model through saved runs.

    A run still violates its property, or it does not, and then which guard says no, or
    the model changed too much to tell. A run that was saved for no property is still
    one, or no longer. Exit codes: 0 no longer violates, still a run (or as expected),
    10 no longer a run, the model changed (or not as expected), 11, 12, 13, 15, 75 still
    a deadlock, a violated invariant, a violated step property, a violated claim about
    runs for ever, an error in the model; 151 no trace. Of several, the most severe.
    """
    codes = []
    for path in paths:
        saved = read_trace(catalogue, path)
        with foreign_states(path):
            found = replay_trace(catalogue, saved, protocol)
            lines = list(map(printable_line, _lines(saved.header, found)))
        if len(paths) > 1:
            click.echo(f"{printable_path(path)}:")
        for line in lines:
            click.echo(line)
        codes.append(_code(saved.header, found, expect))
    sys.exit(most_severe(codes))


def replay_trace(
    catalogue: Catalogue, saved: SavedTrace, protocol: str | None = None
) -> Replay:
    """Replay of a saved run in the present model.

    Raises:
        BadInput: if there is no such model or protocol.
    """
    run = load_trace(catalogue, saved.header, protocol)
    before = run.system.protocols_by_name.get(saved.header.protocol, run.protocol)
    replaced = replacements(before.actions, run.protocol.actions)
    try:
        model = run.model()
        judge, run_judge = run.judge(model), run.run_judge(model)
        player = Replayer(model, judge, replaced, run_judge)
    except ModelChanged as error:
        return Replay(Ending.CHANGED, 1, saved.trace, reason=str(error))
    return player.replay(saved.trace)


def _lines(header: Header, replay: Replay) -> Iterator[str]:
    yield f"{_outcome_text(header, replay)}: {_reason(header, replay)}"
    if replay.guard is not None and replay.guard.code:
        yield f"      {replay.guard.code}"
    for difference in replay.differences:
        yield (
            f"It is another run from state {difference.state} on, where"
            f" {difference.action} leads elsewhere than when it was saved:"
        )
        for change in difference.changes:
            yield f"      {change.cell}  {note_change(change.old, change.new)}"


def _outcome_text(header: Header, replay: Replay) -> str:
    """Outcome of a replay; for a run without property, whether it is a run still."""
    if header.kind or replay.ending is Ending.CHANGED:
        return replay.ending.value
    return "still a run" if _is_whole(replay) else "no longer a run"


def _is_whole(replay: Replay) -> bool:
    """Tell whether the run was taken to its end."""
    return len(replay.trace.states) >= replay.state


def _reason(header: Header, replay: Replay) -> str:
    if replay.ending is Ending.CHANGED:
        return f"at state {replay.state}, {replay.reason}"
    if replay.ending is Ending.VIOLATES and header.loop is not None:
        begin = f"the run repeats from state {header.loop + 1} on"
        return f"{begin}, and breaks {header.property}: {replay.instance}"
    if replay.ending is Ending.VIOLATES:
        return f"state {replay.state} breaks {header.property}: {replay.instance}"
    if not _is_whole(replay):
        why = "it asks nothing of the state"
        if replay.guard is not None:
            why = str(replay.guard)
        return f"at state {replay.state}, {replay.action} is disabled, because {why}"
    if not header.kind:
        return f"the run can be taken to its end, state {replay.state}"
    if header.loop is not None:
        return "the run can be taken to its end, and is no fair loop that breaks it"
    return f"the run can be taken to its end, and state {replay.state} breaks nothing"


def _code(header: Header, replay: Replay, expect: str | None) -> ExitCode:
    ending = replay.ending
    if expect is not None:
        met = EXPECTED[expect] is ending
        return ExitCode.AS_EXPECTED if met else ExitCode.EXPECTATION
    if ending is Ending.CHANGED or not (header.kind or _is_whole(replay)):
        return ExitCode.EXPECTATION
    if ending is Ending.KEEPS:
        return ExitCode.AS_EXPECTED
    return CODES[header.kind]
