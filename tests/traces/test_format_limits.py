"""Formats of runs: what is refused, and what no file is written for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve, frozen
from click.testing import CliRunner, Result

from command_line.messages import require_message
from command_line.own_models import COUNTER, imports_of, run
from replicheck.cli.main import main
from replicheck.cli.saved_traces.trace_reading import read_trace
from replicheck.explorer.engine import unwatched
from replicheck.explorer.errors import ModelError, TooManyStates
from replicheck.explorer.properties import Property, always, every_step
from replicheck.model.state_base import Cells
from replicheck.traces.formats.state_graph import state_graph
from replicheck.traces.json_lines import write
from saved_runs import loss
from shipped import CATALOGUE
from toys import Counter, Toy, add, counter, hole, never_goes_down, start_again


def test_a_state_graph_that_is_too_large() -> None:
    """Nothing is drawn rather than a part."""
    with pytest.raises(TooManyStates):
        state_graph(counter(add, limit=9), [], 3, unwatched)


def test_a_state_graph_of_a_model_that_raises() -> None:
    """The action is named."""
    with pytest.raises(ModelError, match="go_or_fall raised ValueError"):
        state_graph(hole(), [], 100, unwatched)


def test_a_state_graph_has_broken_step_properties_at_its_edges() -> None:
    """A step is marked with each instance that it breaks, as a state is."""
    model = counter(add, start_again, limit=2)
    graph = state_graph(model, [every_step(never_goes_down)], 100, unwatched)
    broken = {data["label"]: data["broken"] for *_, data in graph.edges(data=True)}
    assert broken["start_again"] == "never_goes_down"
    assert {broken[label] for label in broken if label != "start_again"} == {""}


def raises_at_two(state: Counter) -> bool:
    """A claim or a constraint that raises."""
    return 1 // (state.value - 2) < 9


FLOATS = """
@model.initial
def begin(size: Size) -> Counter:
    return Counter(0)

@model.action
def go(s: Counter) -> Iterator[Counter]:
    yield s.evolve(value=s.value + 1 if s.value < 3 else 0.5)
"""


@frozen
class Lists(Cells):
    """A cell with what has no hash, after a step."""

    value: object = 0


def make_list(state: Lists) -> Iterator[Lists]:
    """Put a list into the cell."""
    yield state.evolve(value=[1])


@pytest.mark.parametrize(
    ("model", "claims", "told"),
    [
        (counter(add), [always(raises_at_two)], "`raises_at_two` raises ZeroDiv"),
        (counter(add, constraints=[raises_at_two]), [], "`raises_at_two` raises Zero"),
        (Toy((make_list,), (Lists(),)), [], "a cell of a state raises TypeError: unh"),
    ],
)
def test_a_state_graph_of_a_model_with_an_error(
    model: Toy, claims: list[Property], told: str
) -> None:
    """What raises is named."""
    with pytest.raises(ModelError, match=told):
        state_graph(model, claims, 100, unwatched)


def test_a_graph_of_a_model_that_check_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused, too, though all of its states were found."""
    with imports_of(tmp_path, monkeypatch):
        Path("floats.py").write_text(COUNTER + FLOATS, "utf-8")
        done = run("export", "floats.py", "--format", "dot")
    require_message(done, 75, " holds 0.5 of type float, which has no")


SMALL = "brokers=1,log_size=1,records=1,max_leader_epoch=0"


@pytest.mark.parametrize("form", ["graphml", "dot"])
def test_export_of_a_state_graph(form: str) -> None:
    """The command writes the graph of a scenario within its bounds."""
    words = ["export", "replication", "--format", form, "--bounds", SMALL]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "elect_leader(leader=0)" in done.stdout


def test_export_of_a_graph_that_is_too_large() -> None:
    """The default limit is one that tools can draw."""
    words = ["export", "replication", "--format", "dot", "--limit-states", "5"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 77
    assert "larger than 5 states" in done.output


def show(path: Path, *options: str) -> Result:
    """Run the command on a file."""
    return CliRunner().invoke(main, ["trace", "show", str(path), *options])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a run."""
    path = tmp_path / "run.jsonl"
    write(path, loss())
    return path


def test_the_native_form_comes_back(file: Path) -> None:
    """What is shown as JSON Lines is the file."""
    assert show(file, "--format", "jsonl").output == file.read_text("utf-8")


@pytest.mark.parametrize(
    ("form", "part"),
    [
        ("text", "at state 11: "),
        ("itf", '"format": "ITF"'),
        ("mermaid", "sequenceDiagram\n"),
        ("plantuml", "@startuml\n"),
        ("dot", "digraph trace {\n"),
        ("shiviz", 'broker-1 {"broker-1": 1, '),
        ("html", "<!doctype html>"),
        ("pytest", "def test_replication_kip_279_leader_isr_"),
    ],
)
def test_show_in_every_form(file: Path, tmp_path: Path, form: str, part: str) -> None:
    """Every form goes to standard output, or whole to a file."""
    done = show(file, "--format", form)
    assert done.exit_code == 0, done.output
    assert part.lower() in done.output.lower()
    output = tmp_path / "shown"
    assert show(file, "--format", form, "--output", str(output)).exit_code == 0
    assert output.read_text("utf-8") == done.output


@pytest.mark.parametrize(
    ("kind", "part"), [("error", "ERROR fetch raised "), ("", "      Faults     none")]
)
def test_show_what_violates_no_property(tmp_path: Path, kind: str, part: str) -> None:
    """An error of the model has its text, and so has a run that shows nothing."""
    header = evolve(loss().header, kind=kind, property="fetch", instance="ValueError")
    write(tmp_path / "run.jsonl", evolve(loss(), header=header))
    done = show(tmp_path / "run.jsonl")
    assert done.exit_code == 0, done.output
    assert done.output.startswith(part)


def test_only_a_text_can_be_full(file: Path) -> None:
    """In every other form it would change nothing."""
    assert len(show(file, "--full").output) > len(show(file).output)
    done = show(file, "--full", "--format", "svg")
    require_message(done, 2, "--full is of runs as text: a run as svg has the same")


def test_a_regression_test_passes_and_then_fails(file: Path, tmp_path: Path) -> None:
    """It is a module that pytest runs; under a corrected protocol it fails."""
    text = show(file, "--format", "pytest").output
    corrected = text.replace("'kip-279'", "'kip-320'")
    for name, module, passed in (("now", text, True), ("then", corrected, False)):
        path = tmp_path / f"test_{name}.py"
        path.write_text(module, "utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(tmp_path)]
        done = subprocess.run([*command, str(path)], capture_output=True, text=True)
        assert (done.returncode == 0) is passed, done.stdout


def test_a_run_that_the_model_cannot_take(file: Path, tmp_path: Path) -> None:
    """Another order of it cannot be proved, so the exit code is 10."""
    other = tmp_path / "other.jsonl"
    trace = read_trace(CATALOGUE, file)
    write(other, evolve(trace, header=evolve(trace.header, protocol="kip-320")))
    done = show(other, "--group-by-broker")
    assert done.exit_code == 10
    assert "the present model cannot take it" in done.output
