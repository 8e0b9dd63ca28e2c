"""Saved runs in the present model: replayed, or why they cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from replicheck.cli.main import main
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.explorer.engine import Search
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.instances import instances
from replicheck.explorer.interpreter.judge import ErrorJudge, Judge, NoJudge
from replicheck.explorer.properties import Property, always, every_step, no_deadlock
from replicheck.explorer.report import Trace
from replicheck.explorer.states.symmetry import Reduction
from replicheck.invariants.replication.properties import SAFETY
from replicheck.model.replication.protocols import KIP_101, replication_model
from replicheck.traces.json_lines import write
from replicheck.traces.replay.disabling_guard import last_guard
from replicheck.traces.replay.replay import Ending, Replay, Replayer, replacements
from shipped import CATALOGUE
from toys import (
    Counter,
    Toy,
    Walk,
    add,
    counter,
    go,
    go_or_fall,
    graph,
    hole,
    is_below_two,
    never_goes_down,
    start_again,
)


def run_of(model: Toy, claim: Property) -> Trace[Any]:
    """The shortest run of a model that violates a property."""
    return Naive().explore(model, [claim], Search()).violations[0].trace


def replay_trace(saved: Trace[Any], model: Toy, claim: Property) -> Replay:
    """The replay of a run in a model."""
    return Replayer(model, Judge(model, claim)).replay(saved)


@pytest.mark.parametrize(
    ("model", "claim"),
    [
        (counter(add), always(is_below_two)),
        (counter(add, start_again, limit=2), every_step(never_goes_down)),
        (graph((1,), ()), no_deadlock()),
    ],
    ids=["invariant", "step", "deadlock"],
)
def test_a_run_still_violates(model: Toy, claim: Property) -> None:
    """In the model that it was saved from, a run ends as it did."""
    saved = run_of(model, claim)
    found = replay_trace(saved, model, claim)
    assert found.ending is Ending.VIOLATES
    assert found.state == len(saved.states)
    assert found.trace == saved
    assert found.differences == ()


def test_a_function_still_raises() -> None:
    """A run to an error of the model is judged by the error."""
    report = Naive().explore(hole(), [], Search())
    assert report.failure is not None
    player = Replayer(hole(), ErrorJudge(hole(), [], report.failure.function))
    found = player.replay(report.failure.trace)
    assert (found.ending, found.instance) == (
        Ending.VIOLATES,
        "ValueError: fell into the hole",
    )


def falls_at_two(walk: Walk) -> bool:
    """It cannot be asked at 2."""
    if walk.at == 2:
        raise ValueError("fell")
    return True


def falls_from_one(before: Walk, after: Walk) -> bool:
    """It cannot be asked of a step from 1."""
    return falls_at_two(after)


@pytest.mark.parametrize(
    "claim", [always(falls_at_two), every_step(falls_from_one)], ids=["state", "step"]
)
def test_a_property_still_raises(claim: Property) -> None:
    """A run to an error of a property is judged by that error."""
    model = graph((1,), (2,), ())
    report = Naive().explore(model, [claim], Search())
    assert report.failure is not None
    judge = ErrorJudge(model, [claim], report.failure.function)
    found = Replayer(model, judge).replay(report.failure.trace)
    assert (found.ending, found.instance) == (Ending.VIOLATES, "ValueError: fell")


def test_what_raises_now_and_did_not_before() -> None:
    """An error of the model decides nothing, and is named."""
    saved = run_of(graph((1,), (2,), (3,), (4,), ()), no_deadlock())
    model = Toy((go_or_fall,), (Walk(((1,), (2,), (3,), (4,), ()), 0),))
    player = Replayer(model, NoJudge(), {"go": "go_or_fall"})
    found = player.replay(saved)
    assert (found.ending, found.state) == (Ending.CHANGED, 5)
    assert found.reason == "go_or_fall raises ValueError: fell into the hole"
    walk = graph((1,), (2,), ())
    asked = Replayer(walk, Judge(walk, always(falls_at_two))).replay(
        run_of(walk, no_deadlock())
    )
    assert asked.reason == "the property raises ValueError: fell"


def careful_add(counter: Counter, amount: int) -> Iterator[Counter]:
    """Add nothing that leads to 2."""
    if counter.value + amount >= 2:
        return
    yield counter.evolve(value=counter.value + amount)


def test_a_guard_says_no() -> None:
    """The guard is named by its question, its answer and its line."""
    saved = run_of(graph((1,), (2,), ()), no_deadlock())

    def hesitate(state: Walk) -> Iterator[Walk]:
        if state.at == 1:
            return
        yield from go(state)

    hesitate.__name__ = "go"
    model = Toy((hesitate,), (Walk(((1,), (2,), ()), 0),))
    found = Replayer(model, NoJudge()).replay(saved)
    assert (found.ending, found.state) == (Ending.KEEPS, 3)
    assert found.guard is not None
    assert (found.guard.question, found.guard.answer) == ("at", "1")
    assert found.guard.code == "if state.at == 1:"
    assert found.guard.file == __file__


def test_an_action_that_asks_nothing_has_no_guard() -> None:
    """What is disabled in every state has no question to be named."""

    def never(state: Walk) -> Iterator[Walk]:
        yield from ()

    (action,) = instances([never], {})
    assert last_guard(action, Walk((), 0)) is None


def test_an_action_that_is_gone() -> None:
    """A run with an action that does not exist any more decides nothing."""
    saved = run_of(counter(add), always(is_below_two))
    found = replay_trace(saved, counter(start_again), always(is_below_two))
    assert found.ending is Ending.CHANGED
    assert "there is no action add(amount=2)" in found.reason


def test_a_step_that_leads_elsewhere() -> None:
    """The run goes on from where the step leads now, and says so."""
    saved = run_of(graph((1,), (2,), ()), no_deadlock())
    found = replay_trace(saved, graph((3,), (2,), (), (4,), ()), no_deadlock())
    assert found.ending is Ending.VIOLATES
    (difference,) = found.differences
    assert difference.state == 2
    assert [(str(c.cell), c.old, c.new) for c in difference.changes] == [("at", 1, 3)]


def test_another_beginning() -> None:
    """A run from a state in which the model does not begin decides nothing."""
    saved = run_of(graph((1,), ()), no_deadlock())
    found = replay_trace(saved, graph((1,), (), starts=(1,)), no_deadlock())
    assert (found.ending, found.state) == (Ending.CHANGED, 1)


def test_an_action_gives_way_to_the_one_in_its_place() -> None:
    """Protocols are compared place by place."""
    assert replacements([add, go], [careful_add, go]) == {"add": "careful_add"}


BOUNDS = "brokers=2,log_size=2,records=2,max_leader_epoch=2"
ENDS_IN = "leader_isr_has_records_below_hw"


def invoke(*words: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(main, words)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a run by which KIP-101 violates an invariant."""
    folder = tmp_path_factory.mktemp("runs")
    words = ["replication", "--protocol", "kip-101", "--bounds", BOUNDS]
    words += ["--engine", "naive", "--invariant", ENDS_IN, "--traces", str(folder)]
    assert invoke("check", *words).exit_code == 12
    (file,) = folder.iterdir()
    return file


def test_replay_with_its_protocol(saved: Path) -> None:
    """The exit code is that of the violation."""
    done = invoke("trace", "replay", str(saved))
    assert done.exit_code == 12
    assert done.output.startswith(f"still violates: state 12 breaks {ENDS_IN}: ")


def test_replay_with_the_protocol_that_mends_it(saved: Path) -> None:
    """Under KIP-320 a guard says no, and is named."""
    done = invoke("trace", "replay", str(saved), "--protocol", "kip-320")
    assert done.exit_code == 0, done.output
    assert "no longer violates: at state " in done.output
    assert "is disabled, because `replicas[" in done.output
    assert "follower.py:" in done.output


@pytest.mark.parametrize(("expect", "code"), [("violates", 0), ("keeps", 10)], ids=str)
def test_replay_with_an_expectation(saved: Path, expect: str, code: int) -> None:
    """An expectation that is met is 0, another 10."""
    assert invoke("trace", "replay", str(saved), "--expect", expect).exit_code == code


def test_replay_of_a_property_that_is_gone(saved: Path, tmp_path: Path) -> None:
    """The message says what the model has not, and what is near."""
    trace = read_trace(CATALOGUE, saved)
    other = tmp_path / "other.jsonl"
    write(other, evolve(trace, header=evolve(trace.header, property=f"{ENDS_IN}s")))
    done = invoke("trace", "replay", str(other))
    assert done.exit_code == 10
    assert (
        f"the model changed: at state 1, there is no property {ENDS_IN}s; did you"
        in (done.output)
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model": "replications"}, 'there is no model "replications"'),
        ({"protocol": "kip-1"}, 'there is no protocol "kip-1"'),
    ],
    ids=str,
)
def test_replay_of_what_is_not_here(
    saved: Path, tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    """A trace of another system is refused with 151."""
    trace = read_trace(CATALOGUE, saved)
    other = tmp_path / "other.jsonl"
    write(other, evolve(trace, header=evolve(trace.header, **changed)))
    done = invoke("trace", "replay", str(other))
    assert done.exit_code == 151
    assert message in done.output


@pytest.mark.parametrize("subcommand", ["replay"])
@pytest.mark.parametrize(
    "text", ["", "no trace", "{}", json.dumps({"schema": 1, "scenario": "x"})]
)
def test_what_is_no_trace(tmp_path: Path, subcommand: str, text: str) -> None:
    """One line says which file and what is wrong; the exit code is 151."""
    file = tmp_path / "trace.jsonl"
    file.write_text(text, "utf-8")
    done = invoke("trace", subcommand, str(file))
    assert done.exit_code == 151
    assert done.output.startswith(f"Error: {file}: ")
    assert len(done.output.splitlines()) == 1


@pytest.mark.parametrize(
    "reduction", Reduction, ids=lambda reduction: reduction.name.lower()
)
def test_a_run_is_as_it_was_whatever_counts_as_one_state(reduction: Reduction) -> None:
    """A run that was found up to symmetry is a run of the plain model, step by step."""
    model, claim = replication_model(KIP_101), always(SAFETY[0])
    search = BreadthFirst(reduction=reduction)
    report = search.explore(model, [claim], Search())
    found = Replayer(model, Judge(model, claim)).replay(report.violations[0].trace)
    assert (found.ending, found.state) == (Ending.VIOLATES, 11)
    assert found.differences == ()
