"""Runs that are taken again from their steps, as a regression test does."""

from __future__ import annotations

from collections.abc import Sequence

from replicheck.cli.saved_traces.loaded_trace import load_trace
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.json_lines import Header
from replicheck.traces.replay.replay import Replay, Replayer


def replay_steps(
    header: Header,
    steps: Sequence[str],
    models: Sequence[str] = (),
    claims: Sequence[str] = (),
) -> Replay:
    """Replay of a run, given as labels of steps, in the present model.

    It runs the code of models and properties of the user's own.

    Args:
        header: what the run is a run of, and what it shows.
        steps: their labels, such as ``fetch(leader=0, follower=2)``; where an action
            has several next states, ``fetch(leader=0) [2]`` leads to the second.
        models: the file of the model, ``FILE.py``, if it is one of the user's own.
        claims: properties of the user's own, ``FILE.py:NAME``.

    Raises:
        CannotTake: if a step cannot be taken any more, naming it.
        ModelChanged: if there is no such start or property any more.
        BadInput: if there is no such model, protocol or property.
        ScenarioError: if a model of the user's own cannot be explored as it is written.
    """
    catalogue = Catalogue.shipped()
    for reference in models:
        catalogue.load(reference)
    catalogue.claims.extend(claims)
    run = load_trace(catalogue, header)
    model = run.model()
    player = Replayer(model, run.judge(model), run_judge=run.run_judge(model))
    return player.replay(Stepper(model).take(steps))
