"""Runs reordered and explained: the same end, and when it could be avoided."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner

from checkout import GALLERY
from replicheck.cli.main import main
from replicheck.cli.runs.trace_files import make_saved_trace
from replicheck.cli.saved_traces.loaded_trace import load_trace
from replicheck.cli.saved_traces.smaller_bounds import SmallerBounds
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.interpreter.judge import Judge
from replicheck.explorer.interpreter.stepper import Stepper
from replicheck.explorer.properties import always, no_deadlock
from replicheck.explorer.report import Step, Trace
from replicheck.invariants.describers.model_describer import ModelDescriber
from replicheck.invariants.replication.properties import SAFETY
from replicheck.model.replication.protocols import KIP_279, replication_model
from replicheck.traces.json_lines import SavedTrace, write
from replicheck.traces.replay.avoidability import (
    End,
    EscapeLimits,
    escape_text,
    last_escape,
)
from replicheck.traces.replay.commuting_steps import group_by_actor, switches
from replicheck.traces.replay.replay import Ending, Replayer
from saved_runs import loss
from searches.two_counters import TwoCounters, add_left, add_right
from shipped import CATALOGUE, SYSTEMS
from toys import Toy, Walk, go, graph

STRONG_ISR = "leader_isr_has_records_below_hw"


PAIRS = Toy((add_left, add_right), (TwoCounters(limit=2),))


def side(step: Step[Any]) -> str:
    """Name of the side that takes a step."""
    return step.action


def test_steps_of_one_actor_stand_together() -> None:
    """What commutes changes places; the end, and the last step, stay."""
    run = Stepper(PAIRS).take(["add_left", "add_right", "add_left", "add_right"])
    grouped = group_by_actor(PAIRS, run, side)
    assert [step.action for step in grouped.steps] == [
        "add_left",
        "add_left",
        "add_right",
        "add_right",
    ]
    assert grouped.states[-1] == run.states[-1]
    assert (switches(run, side), switches(grouped, side)) == (3, 1)


def test_what_does_not_commute_stays() -> None:
    """The right cannot grow before the left."""
    run = Stepper(PAIRS).take(["add_left", "add_right", "add_left"])
    assert group_by_actor(PAIRS, run, side) == run


def test_a_grouped_counterexample_still_violates() -> None:
    """The run of KIP-279 has fewer changes of broker and ends in the same state."""
    describer, model = SYSTEMS["replication"].describer, replication_model(KIP_279)
    saved = loss().trace

    def actor(step: Step[Any]) -> str | None:
        return describer.actor(step.action, step.arguments)

    grouped = group_by_actor(model, saved, actor)
    assert switches(grouped, actor) < switches(saved, actor)
    player = Replayer(model, Judge(model, always(SAFETY[0])))
    replay = player.replay(grouped)
    assert (replay.ending, replay.differences) == (Ending.VIOLATES, ())
    assert grouped.states[-1] == saved.states[-1]


def is_not_four(walk: Walk) -> bool:
    """4 is bad."""
    return walk.at != 4


def is_not_one(walk: Walk) -> bool:
    """The walk is not at 1."""
    return walk.at != 1


def run_to_four(*edges: tuple[int, ...]) -> tuple[Toy, Trace[Any]]:
    """A graph, and the shortest way to 4."""
    model = graph(*edges)
    report = Naive().explore(model, [always(is_not_four)], Search())
    return model, report.violations[0].trace


@pytest.mark.parametrize(
    ("edges", "state", "avoiding", "end"),
    [
        (((1, 5), (2,), (3,), (4,), (), ()), 1, [5], End.REST),
        (((1,), (2, 5), (3,), (4,), (), ()), 2, [5], End.REST),
        (((1,), (2,), (3, 1), (4,), ()), 3, [1, 2], End.CIRCLE),
        (((1,), (2, 5), (3,), (4,), (), (6,), ()), 2, [5, 6], End.REST),
    ],
)
def test_the_last_state_from_which_it_can_be_avoided(
    edges: tuple[tuple[int, ...], ...], state: int, avoiding: list[int], end: End
) -> None:
    """It is the last with a run that rests or goes round; the others are doomed."""
    model, run = run_to_four(*edges)
    found = last_escape(
        model, run, Judge(model, always(is_not_four)), EscapeLimits(100)
    )
    assert found.escape is not None
    assert (found.escape.state, found.escape.end) == (state, end)
    kept = found.escape.trace
    assert [step.state.at for step in kept.steps[state - 1 :]] == avoiding
    assert kept.steps[: state - 1] == run.steps[: state - 1]
    assert sorted(found.doomed) == list(range(state + 1, len(run.states) + 1))
    assert escape_text(run, found).startswith(f"until state {state} of ")


def test_what_cannot_be_avoided() -> None:
    """Where every run leads to the violation, there is no such state."""
    model, run = run_to_four((1, 2), (3,), (3,), (4,), ())
    found = last_escape(
        model, run, Judge(model, always(is_not_four)), EscapeLimits(100)
    )
    assert found.escape is None
    assert len(found.doomed) == len(run.states)


def test_what_the_search_leaves_open() -> None:
    """A state from which too many others are reached is unknown, not doomed."""
    model, run = run_to_four((1, 5), (2,), (3,), (4,), (), (6,), (7,), ())
    found = last_escape(model, run, Judge(model, always(is_not_four)), EscapeLimits(2))
    assert found.escape is None
    assert found.unknown == (1,)


def test_the_searches_have_a_limit_together() -> None:
    """Past it the states before are unknown too."""
    model, run = run_to_four((1, 5), (2,), (3,), (4,), (), (6,), (7,), ())
    claim = Judge(model, always(is_not_four))
    found = last_escape(model, run, claim, EscapeLimits(100, total=0))
    assert found.escape is None
    assert found.unknown == (1,)
    assert escape_text(run, found).startswith("not known")


def test_a_step_that_changes_nothing_is_no_way_out() -> None:
    """To stay is not to avoid."""
    model = graph((1, 0), (1,))
    report = Naive().explore(graph((1,), ()), [no_deadlock()], Search())
    run = report.violations[0].trace
    found = last_escape(model, run, Judge(model, always(is_not_one)), EscapeLimits(100))
    assert found.escape is None


def leap(walk: Walk) -> Iterator[Walk]:
    """Be at 5, wherever it was; the model has it before all else."""
    yield walk.evolve(at=5)


@pytest.mark.parametrize(
    ("edges", "instead"),
    [
        (((1,), (4, 2), (), (), (), ()), "by go in place of go"),
        (((1,), (4,), (), (), (), ()), "by the fault leap in place of go"),
    ],
)
def test_a_fault_is_the_last_resort(
    edges: tuple[tuple[int, ...], ...], instead: str
) -> None:
    """It is named as what would have avoided the violation only as the fault it is."""
    _, run = run_to_four(*edges)
    model = Toy((leap, go), (Walk(edges),))
    claim = Judge(model, always(is_not_four))
    describer = ModelDescriber(faults=frozenset({"leap"}))
    found = last_escape(model, run, claim, EscapeLimits(100), describer)
    assert escape_text(run, found) == f"until state 2 of 3, {instead}"


def test_explain(tmp_path: Path) -> None:
    """The command names the step that should not have been, and the faults."""
    path = tmp_path / "run.jsonl"
    write(path, loss())
    avoiding = tmp_path / "avoiding.jsonl"
    words = ["trace", "explain", str(path), "--limit-states", "20000"]
    words += ["--avoiding", str(avoiding)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    lines = [line.strip() for line in done.output.splitlines()]
    assert lines[0] == "Avoidable until state 10 of 11."
    assert "Needs: records 1 of 2, max_leader_epoch 2 of 2." in lines
    assert any(
        line.startswith("with max_leader_epoch 1: not violated in all")
        for line in lines
    )
    less = "records or max_leader_epoch"
    assert (
        lines[-1]
        == f"No run with less of {less}, and no more of the rest, violates it."
    )


def needs_of(saved: SavedTrace, limit: int = 20_000) -> list[str]:
    """The line on the bounds that a run needs."""
    run = load_trace(CATALOGUE, saved.header)
    assert run.claim is not None
    return list(SmallerBounds(run, run.claim, limit).lines(saved.trace))


def test_less_is_enough() -> None:
    """The search goes on from a run that needs less, until none does."""
    bounds: dict[str, object] = {"brokers": 2, "log_size": 1}
    choices = Overrides("naive", protocol="commit-alone", bounds=bounds)
    (task,) = tasks(CATALOGUE, ["replication"], choices)
    claim = next(claim for claim in task.properties if claim.name == STRONG_ISR)
    report = Naive().explore(task.model, [claim], Search())
    (found,) = report.violations
    steps = [step.label for step in found.trace.steps]
    wasteful = Stepper(task.model).take(
        [*steps[:-1], "elect_leader(leader=0)", steps[-1]]
    )
    about = {"property": STRONG_ISR, "kind": "always", "instance": found.instance}
    lines = needs_of(make_saved_trace(task, wasteful, **about))
    assert lines[0] == "Needs: records 1 of 2, max_leader_epoch 1 of 2."
    assert "Less is enough: records 1 of 2, max_leader_epoch 0 of 2." in lines
    assert lines[-1].startswith("No run with less of records")


def test_what_the_steps_before_a_run_need() -> None:
    """No run from there has less."""
    path = GALLERY / "m-18-notify-before-marking.jsonl"
    lines = needs_of(read_trace(CATALOGUE, path))
    assert lines[1].endswith("directory_failures 0: the steps before the run need it")
    assert lines[-1].startswith("No run with less of directory_failures,")


def test_explain_nothing(tmp_path: Path) -> None:
    """A run that violates no longer is not explained."""
    path = tmp_path / "run.jsonl"
    write(path, evolve(loss(), header=evolve(loss().header, protocol="kip-320")))
    done = CliRunner().invoke(main, ["trace", "explain", str(path)])
    assert done.exit_code == 10
    assert "replay it to see why" in done.output
