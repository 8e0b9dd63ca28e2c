"""Runs and state graphs in Graphviz' language.

Source: https://graphviz.org/doc/info/lang.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from replicheck.explorer.report import Trace
from replicheck.explorer.states.layout import Layout
from replicheck.traces.formats.repetition import repetition_of
from replicheck.traces.json_lines import SavedTrace
from replicheck.traces.state_diff import changes
from replicheck.traces.value_text import note_change


def dot(saved: SavedTrace) -> str:
    """A saved run as a chain of states, each with what changed."""
    head = ["digraph trace {", "  rankdir=TB;", "  node [shape=box];"]
    return (
        "\n".join(
            [*head, *_chain(saved.trace), *_repetition(saved), *_instance(saved), "}"]
        )
        + "\n"
    )


def _chain(trace: Trace[Any]) -> Iterator[str]:
    layout = Layout.of(trace.start)
    yield _node("s1", {"label": "1 initial state"})
    before = trace.start
    for number, step in enumerate(trace.steps, start=2):
        changed = [
            f"{change.cell} {note_change(change.old, change.new)}"
            for change in changes(layout, before, step.state)
        ]
        yield _node(f"s{number}", {"label": "\n".join([str(number), *changed])})
        yield _edge(f"s{number - 1}", f"s{number}", {"label": step.label})
        before = step.state


def _repetition(saved: SavedTrace) -> Iterator[str]:
    repetition = repetition_of(saved)
    if repetition is not None:
        look = {"label": repetition.text, "style": "dashed", "constraint": "false"}
        last = len(saved.trace.states)
        yield _edge(f"s{last}", f"s{repetition.state}", look)


def _instance(saved: SavedTrace) -> Iterator[str]:
    if saved.header.instance:
        last = len(saved.trace.states)
        yield _node("broken", {"label": saved.header.instance, "shape": "note"})
        yield _edge(f"s{last}", "broken", {"style": "dashed", "label": "breaks"})


def graph_dot(graph: Any) -> str:
    """A state graph, with the attributes of its nodes and edges."""
    return "\n".join(["digraph states {", *_graph_lines(graph), "}"]) + "\n"


def _graph_lines(graph: Any) -> Iterator[str]:
    for number, attributes in graph.nodes(data=True):
        yield _node(f"s{number}", attributes)
    for source, target, attributes in graph.edges(data=True):
        yield _edge(f"s{source}", f"s{target}", attributes)


def _node(name: str, attributes: Mapping[str, Any]) -> str:
    return f"  {name} [{_listed(attributes)}];"


def _edge(source: str, target: str, attributes: Mapping[str, Any]) -> str:
    return f"  {source} -> {target} [{_listed(attributes)}];"


def _listed(attributes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_quoted(value)}" for name, value in attributes.items())


def _quoted(value: Any) -> str:
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
