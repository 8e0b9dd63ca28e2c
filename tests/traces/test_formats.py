"""Runs in the formats of other tools, each read again by somebody else's reader."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import itf_py
import networkx
import pydot
import pytest
from attrs import evolve
from click.testing import CliRunner, Result

from replicheck.cli.main import main
from replicheck.cli.saved_traces.loaded_trace import read_trace
from replicheck.explorer.engine import Search, unwatched
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.errors import ModelError, TooManyStates
from replicheck.explorer.properties import always
from replicheck.explorer.report import Trace
from replicheck.invariants.catalogue.systems import SYSTEMS
from replicheck.traces.formats.dot import dot, graph_dot
from replicheck.traces.formats.itf import itf, itf_value
from replicheck.traces.formats.mermaid import mermaid
from replicheck.traces.formats.plantuml import plantuml
from replicheck.traces.formats.sequence_diagram import scenes
from replicheck.traces.formats.shiviz import EVENT, shiviz
from replicheck.traces.formats.state_graph import graphml, state_graph
from replicheck.traces.json_lines import Header, SavedTrace, write
from replicheck.traces.value_json import EncodingError
from saved_runs import loss, of_scenario
from shipped import CATALOGUE
from toys import add, counter, hole, is_below_two

RUNS = [
    loss,
    lambda: of_scenario("cluster-s2"),
    lambda: of_scenario("fetching-two-brokers"),
]


@pytest.fixture(params=RUNS, ids=["replication", "cluster", "fetching"])
def saved(request: pytest.FixtureRequest) -> SavedTrace:
    """Return a run of each model."""
    found: SavedTrace = request.param()
    return found


def in_order(form: Any) -> Any:
    """Return a JSON value in which every set is sorted."""
    if isinstance(form, list):
        return [in_order(value) for value in form]
    if not isinstance(form, dict):
        return form
    if "#set" in form:
        return {"#set": sorted(map(in_order, form["#set"]), key=json.dumps)}
    return {key: in_order(value) for key, value in form.items()}


def read_dot(text: str) -> Any:
    """Return the one graph in a text, read by pydot."""
    graphs = pydot.graph_from_dot_data(text)
    assert graphs is not None and len(graphs) == 1
    return graphs[0]


def test_itf_is_read_by_itf_py(saved: SavedTrace) -> None:
    """It comes back as it was, state by state, with integers as integers."""
    document = json.loads(itf(saved))
    trace = itf_py.trace_from_json(document)
    again = itf_py.trace_to_json(trace)["states"]
    assert in_order(again) == in_order(document["states"])
    assert len(trace.states) == len(saved.trace.states)
    assert [state.values["action_taken"] for state in trace.states] == [
        "init",
        *(step.action for step in saved.trace.steps),
    ]
    for state in trace.states:
        assert set(state.values) == set(trace.vars)


def test_itf_values() -> None:
    """Integers, sets, functions, tuples and variants are as ADR-015 demands."""
    document = json.loads(itf(loss()))
    last = document["states"][-1]
    assert document["#meta"]["format"] == "ITF"
    assert last["next_record"] == {"#bigint": "1"}
    assert [index for index, _log in last["logs"]["#map"]] == [
        {"#bigint": "0"},
        {"#bigint": "1"},
        {"#bigint": "2"},
    ]
    record = {"id": {"#bigint": "0"}, "epoch": {"#bigint": "2"}}
    assert last["logs"]["#map"][1][1] == {
        "tag": "Log",
        "value": {"records": [{"tag": "Record", "value": record}]},
    }
    assert last["partition_state"]["value"]["isr"] == {
        "#set": [{"#bigint": "1"}, {"#bigint": "2"}]
    }
    assert last["nondet_picks"] == {
        "#tup": [
            {"#tup": ["leader", {"#bigint": "0"}]},
            {"#tup": ["follower", {"#bigint": "2"}]},
        ]
    }


def test_itf_refuses_what_it_cannot_hold() -> None:
    """A value without form is named."""
    with pytest.raises(EncodingError, match="has no ITF form"):
        itf_value(1.5)


def test_dot_is_read_by_pydot(saved: SavedTrace) -> None:
    """It has a node for each state and an edge for each step, in order."""
    graph = read_dot(dot(saved))
    edges = [edge for edge in graph.get_edges() if edge.get_destination() != "broken"]
    assert [edge.get_label().strip('"') for edge in edges] == [
        step.label for step in saved.trace.steps
    ]
    numbers = range(1, len(saved.trace.states))
    assert [(edge.get_source(), edge.get_destination()) for edge in edges] == [
        (f"s{number}", f"s{number + 1}") for number in numbers
    ]


def test_dot_keeps_quotes_and_breaks() -> None:
    """What has a meaning in the language is escaped."""
    header = Header("s", "m", "p", clause='a "b" \\ c')
    saved = SavedTrace(header, Trace(next(iter(counter(add).initial_states()))))
    graph = read_dot(dot(saved))
    (node,) = graph.get_node("broken")
    assert node.get_label() == '"a \\"b\\" \\\\ c"'


VECTOR = re.compile(EVENT.replace("?<", "?P<"))


def test_shiviz_logs_are_consistent(saved: SavedTrace) -> None:
    """Its own expression splits the log, and every clock is one that ShiViz accepts.

    A host counts its own events one by one, and knows of no event that is not there.
    """
    text = shiviz(saved, SYSTEMS[saved.header.model].describer)
    found = [match.groupdict() for match in VECTOR.finditer(text)]
    assert len(found) * 2 == len(text.splitlines())
    seen: dict[str, dict[str, int]] = {}
    for event in found:
        host, clock = event["host"], json.loads(event["clock"])
        before = seen.get(host, {})
        assert clock[host] == before.get(host, 0) + 1
        assert all(clock.get(process, 0) >= count for process, count in before.items())
        for other, count in clock.items():
            assert other == host or seen[other][other] >= count
        seen[host] = clock
    told = {event["event"].partition(" ")[0] for event in found}
    assert told == {str(n) for n in range(2, len(saved.trace.states) + 1)}


def arrows(saved: SavedTrace) -> list[tuple[str, str, str]]:
    """Return every message of a run with the title of its step."""
    describer = SYSTEMS[saved.header.model].describer
    return [
        (*message, scene.title)
        for scene in scenes(saved.trace, describer)
        for message in scene.messages
    ]


def unescaped(text: str) -> str:
    """Return a text as Mermaid shows it."""
    named = text.replace("#lt;", "<").replace("#gt;", ">")
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), named)


MERMAID = (
    r"sequenceDiagram",
    r"    participant (?P<id>L\d+) as (?P<lane>[^#;\n]+)",
    r"    (?P<source>L\d+)->>(?P<target>L\d+): (?P<text>.+)",
    r"    Note over L\d+(,L\d+)?: .+",
)
PLANTUML = (
    r"@startuml",
    r"title .+",
    r'participant "(?P<lane>[^"]+)" as (?P<id>L\d+)',
    r"(?P<source>L\d+) -> (?P<target>L\d+) : (?P<text>.+)",
    r"note over L\d+(, L\d+)?\n(?:(?!end note).+\n)+end note",
    r"@enduml",
)


def read_sequence(text: str, forms: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Return the messages of a diagram of which every line has one of these forms."""
    place, lanes, found = 0, {}, []
    while place < len(text):
        matches = (re.compile(form + r"\n").match(text, place) for form in forms)
        match = next(
            (match_of_line for match_of_line in matches if match_of_line), None
        )
        assert match is not None, text[place : place + 80]
        parts = match.groupdict()
        if "lane" in parts:
            lanes[parts["id"]] = parts["lane"]
        if "source" in parts:
            ends = lanes[parts["source"]], lanes[parts["target"]]
            found.append((*ends, parts["text"]))
        place = match.end()
    return found


def test_mermaid_has_every_message(saved: SavedTrace) -> None:
    """Each line is one that the language has, and the messages are those of the run."""
    text = mermaid(saved, SYSTEMS[saved.header.model].describer)
    found = read_sequence(text, MERMAID)
    assert [(a, b, unescaped(c)) for a, b, c in found] == arrows(saved)
    for line in text.splitlines():
        assert not re.search(r"#(?!\w+;)|(?<!#lt)(?<!#gt)(?<!#\d\d);", line), line


def test_mermaid_is_read_by_its_own_parser(saved: SavedTrace) -> None:
    """It finds the lanes and the messages of the run."""
    parser = pytest.importorskip("mermaid_parser").MermaidParser()
    describer = SYSTEMS[saved.header.model].describer
    read = parser.parse(mermaid(saved, describer))["graph_data"]["state"]["records"]
    lanes = {name: actor["description"] for name, actor in read["actors"].items()}
    assert tuple(lanes.values()) == describer.lanes(saved.trace.start)
    told = [message for message in read["messages"] if "placement" not in message]
    assert [
        (lanes[message["from"]], lanes[message["to"]], message["message"])
        for message in told
    ] == arrows(saved)


def test_plantuml_has_every_message(saved: SavedTrace) -> None:
    """Each line is one that the language has, and the messages are those of the run."""
    describer = SYSTEMS[saved.header.model].describer
    found = read_sequence(plantuml(saved, describer), PLANTUML)
    assert [(a, b, c.replace("~", "")) for a, b, c in found] == arrows(saved)


@pytest.mark.skipif(not shutil.which("plantuml"), reason="there is no plantuml")
def test_plantuml_is_drawn_by_plantuml_itself(saved: SavedTrace) -> None:
    """It draws every lane and the title of every step; what is wrong it refuses."""
    describer = SYSTEMS[saved.header.model].describer
    text = plantuml(saved, describer)
    drawn = draw_by_plantuml(text)
    assert drawn.returncode == 0
    for lane in describer.lanes(saved.trace.start):
        assert f"|{lane}|" in drawn.stdout
    for scene in scenes(saved.trace, describer):
        assert scene.title in drawn.stdout
    wrong = text.replace("participant", "particpant")
    assert draw_by_plantuml(wrong).returncode != 0


def draw_by_plantuml(text: str) -> subprocess.CompletedProcess[str]:
    """Let PlantUML draw a diagram in letters."""
    command = ["plantuml", "-charset", "UTF-8", "-txt", "-pipe"]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, check=False
    )


def test_a_state_graph_has_all_states_and_steps() -> None:
    """Nodes, edges and levels are those that an engine counts."""
    model, claims = counter(add, limit=3), [always(is_below_two)]
    graph = state_graph(model, claims, 100, unwatched)
    report = Naive().explore(model, [], Search())
    counts = (report.states, report.generated)
    assert (graph.number_of_nodes(), graph.number_of_edges()) == counts
    depths = [attributes["depth"] for _node, attributes in graph.nodes(data=True)]
    assert [depths.count(n + 1) for n in range(report.depth)] == list(report.levels)
    broken = [attributes["broken"] for _node, attributes in graph.nodes(data=True)]
    assert broken == ["", "", "is_below_two", "is_below_two"]


def test_graphml_has_the_whole_graph() -> None:
    """An XML reader finds every node and edge, and networkx every attribute."""
    graph = state_graph(counter(add, limit=3), [], 100, unwatched)
    root = ElementTree.fromstring(graphml(graph))
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert len(list(root.iter(f"{space}node"))) == graph.number_of_nodes()
    assert len(list(root.iter(f"{space}edge"))) == graph.number_of_edges()
    again = networkx.parse_graphml(graphml(graph), node_type=int)
    assert dict(again.nodes(data=True)) == dict(graph.nodes(data=True))


def test_dot_has_the_whole_graph() -> None:
    """pydot finds every node and edge."""
    graph = state_graph(counter(add, limit=3), [], 100, unwatched)
    found = read_dot(graph_dot(graph))
    assert len(found.get_nodes()) == graph.number_of_nodes()
    assert len(found.get_edges()) == graph.number_of_edges()


def test_a_state_graph_that_is_too_large() -> None:
    """Nothing is drawn rather than a part."""
    with pytest.raises(TooManyStates):
        state_graph(counter(add, limit=9), [], 3, unwatched)


def test_a_state_graph_of_a_model_that_raises() -> None:
    """The action is named."""
    with pytest.raises(ModelError, match="go_or_fall raised ValueError"):
        state_graph(hole(), [], 100, unwatched)


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
    """Return the file of a run."""
    path = tmp_path / "run.jsonl"
    write(path, loss())
    return path


def test_the_native_form_comes_back(file: Path) -> None:
    """What is shown as JSON Lines is the file."""
    assert show(file, "--format", "jsonl").output == file.read_text("utf-8")


@pytest.mark.parametrize(
    ("form", "part"),
    [
        ("text", "State 11 breaks it: "),
        ("itf", '"format": "ITF"'),
        ("mermaid", "sequenceDiagram\n"),
        ("plantuml", "@startuml\n"),
        ("dot", "digraph trace {\n"),
        ("shiviz", 'broker-1 {"broker-1": 1, '),
        ("html", "<!doctype html>"),
        ("pytest", "def test_replication_kip_279_a_leaders_isr_"),
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
    ("kind", "part"), [("error", "ERROR fetch raised "), ("", "   1  initial state")]
)
def test_show_what_violates_no_property(tmp_path: Path, kind: str, part: str) -> None:
    """An error of the model has its story, and so has a run that shows nothing."""
    header = evolve(loss().header, kind=kind, property="fetch", clause="ValueError")
    write(tmp_path / "run.jsonl", evolve(loss(), header=header))
    done = show(tmp_path / "run.jsonl")
    assert done.exit_code == 0, done.output
    assert done.output.startswith(part)


def test_a_regression_test_passes_and_then_fails(file: Path, tmp_path: Path) -> None:
    """It is a module that pytest runs; under a mended protocol it fails."""
    text = show(file, "--format", "pytest").output
    mended = text.replace("'kip-279'", "'kip-320'")
    for name, module, passed in (("now", text, True), ("then", mended, False)):
        path = tmp_path / f"test_{name}.py"
        path.write_text(module, "utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(tmp_path)]
        done = subprocess.run([*command, str(path)], capture_output=True, text=True)
        assert (done.returncode == 0) is passed, done.stdout


def test_a_run_that_the_model_cannot_take(file: Path, tmp_path: Path) -> None:
    """A calm order of it cannot be proved, so the exit code is 10."""
    other = tmp_path / "other.jsonl"
    trace = read_trace(CATALOGUE, file)
    write(other, evolve(trace, header=evolve(trace.header, protocol="kip-320")))
    done = show(other, "--interleaving", "calm")
    assert done.exit_code == 10
    assert "the present model cannot take it" in done.output
