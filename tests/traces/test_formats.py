"""Runs in the formats of other tools, each read again by somebody else's reader."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any
from xml.etree import ElementTree

import itf_py
import networkx
import pydot
import pytest

from replicheck.explorer.engine import Search, unwatched
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.properties import always
from replicheck.explorer.report import Trace
from replicheck.traces.formats.dot import dot, graph_dot
from replicheck.traces.formats.itf import itf, itf_value
from replicheck.traces.formats.mermaid import mermaid
from replicheck.traces.formats.plantuml import plantuml
from replicheck.traces.formats.sequence_diagram import scenes
from replicheck.traces.formats.shiviz import EVENT, shiviz
from replicheck.traces.formats.state_graph import graphml, state_graph
from replicheck.traces.json_lines import Header, SavedTrace
from replicheck.traces.value_json import EncodingError
from saved_runs import loss, of_scenario
from shipped import SYSTEMS
from toys import add, counter, is_below_two

RUNS = [
    loss,
    lambda: of_scenario("leader-disk-fails"),
    lambda: of_scenario("fetching-two-brokers-change-roles"),
]


@pytest.fixture(params=RUNS, ids=["replication", "cluster", "fetching"])
def saved(request: pytest.FixtureRequest) -> SavedTrace:
    """A run of each model."""
    found: SavedTrace = request.param()
    return found


def in_order(form: Any) -> Any:
    """A JSON value in which every set is sorted."""
    if isinstance(form, list):
        return [in_order(value) for value in form]
    if not isinstance(form, dict):
        return form
    if "#set" in form:
        return {"#set": sorted(map(in_order, form["#set"]), key=json.dumps)}
    return {key: in_order(value) for key, value in form.items()}


def read_dot(text: str) -> Any:
    """The one graph in a text, read by pydot."""
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
    header = Header("s", "m", "p", instance='a "b" \\ c')
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
    """Every message of a run with the title of its step."""
    describer = SYSTEMS[saved.header.model].describer
    return [
        (*message, scene.title)
        for scene in scenes(saved.trace, describer)
        for message in scene.messages
    ]


def unescaped(text: str) -> str:
    """A text as Mermaid shows it."""
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
    """The messages of a diagram of which every line has one of these forms."""
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
