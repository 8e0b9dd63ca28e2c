"""Hostile commands: arguments, and the files that searches and traces read."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import strategies as st

import toys
from hostile.attacks import Attack
from hostile.hostile_values import (
    HOSTILE_TEXTS,
    damaged,
    hostile_texts,
    hostile_words,
    with_hostile_value,
)
from replicheck.cli.runs.run_folder import ORDER, ORDER_SEAL
from replicheck.cli.tasks.run_request import RunRequest
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.traces.json_lines import digest_of, dumps
from saved_runs import loss

COMMANDS = (
    ("check", "counter", "--engine", "naive", "--limit-states", "50"),
    ("check", "counter"),
    ("show", "counter"),
    ("export", "counter", "--format", "dot"),
    ("simulate", "counter", "--walks", "3", "--threads", "1"),
    ("trace", "show"),
    ("trace", "replay"),
    ("resume",),
    ("list",),
    ("rules",),
    (),
)
OPTIONS = (
    "--protocol",
    "--step-reductions",
    "--bounds",
    "--engine",
    "--invariant",
    "--limit-states",
    "--limit-depth",
    "--limit-seconds",
    "--limit-memory",
    "--limit-disk",
    "--threads",
    "--fingerprints",
    "--entry",
    "--json",
    "--junit",
    "--html",
    "--markdown",
    "--mutants",
    "--format",
    "--output",
    "--seed",
    "--steps",
    "--walks",
    "--require-covered",
    "--checkpoint-every",
    "--coverage",
    "--paranoid",
    "--symmetry",
    "--keep-going",
    "--all-violations",
    "--no-cache",
)
ARGUMENT_VALUES = (
    *HOSTILE_TEXTS,
    "limit=1",
    "limit=0",
    "limit=99999999999999999999",
    "limit=x,limit=2",
    "1",
    "0",
    "-1",
    "99999999",
    "1G",
    "9" * 400 + "G",
    "all",
    "none",
    "naive",
    ".",
    "out.json",
    "missing/out.json",
)


@st.composite
def hostile_arguments(draw: st.DrawFn) -> Attack:
    """Command line with options and values that make no sense together."""
    return Attack(hostile_words(draw, COMMANDS, OPTIONS, ARGUMENT_VALUES), {})


SUITE = """
summary = "Counters"

[scenarios.mine]
summary = "A counter"
model = "counter"
protocol = "round"
invariants = ["is_within_its_limit"]
steps = []
witnesses = ["reaches_its_limit"]
bounds = { limit = 3 }
limits = { states = 40, seconds = 5.0 }

[[check]]
scenario = "mine"
expect = { verdict = "holds", states = 5, violations = {} }

[[check]]
scenario = "counter"
protocol = "raising"
dead_actions = ["add"]
"""
TOML_PARTS = (
    "[",
    "]",
    "[[check]]\n",
    "=",
    '"',
    '"""',
    "\n",
    ".",
    "#",
    "a.b.c.d.e.f.g.h.i.j.k.l.m.n = 1\n",
    "x = " + "[" * 3_000 + "\n",
    "x = " + "9" * 5_000 + "\n",
    '[scenarios."/outside/x"]\n',
    '"\\n::error::x"',
    '"\\u001b[31m"',
    '"\\u0000"',
    "-1",
    "1979-05-27",
    "nan",
    "inf",
    "0x" + "f" * 40,
    "true",
    "{}",
    "[]",
    "\ufeff",
    "é",
)


@st.composite
def hostile_suites(draw: st.DrawFn) -> Attack:
    """Suite file in which some words or characters are others."""
    words = SUITE.split(" ") if draw(st.booleans()) else list(SUITE)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(words) - 1))
        part = draw(st.sampled_from(TOML_PARTS))
        match draw(st.integers(0, 3)):
            case 0:
                words[at] = part
            case 1:
                words.insert(at, part)
            case 2:
                words[at] = json.dumps(draw(hostile_texts))
            case _:
                words[at] = ""
    content = (" " if len(words) < len(SUITE) / 2 else "").join(words)
    reports = ("--json", "r.json", "--markdown", "r.md", "--junit", "r.xml")
    arguments = ("check", "mine.toml", "--engine", "naive", "--no-cache", *reports)
    return Attack(arguments, {"mine.toml": content.encode("utf-8", "replace")})


TRACE_COMMANDS = (
    *(
        ("trace", "show", "run.jsonl", "--format", name)
        for name in (
            "text",
            "jsonl",
            "itf",
            "mermaid",
            "plantuml",
            "dot",
            "shiviz",
            "html",
            "pytest",
        )
    ),
    ("trace", "show", "run.jsonl", "--group-by-broker"),
    ("trace", "replay", "run.jsonl"),
    ("trace", "replay", "run.jsonl", "--protocol", "kip-320"),
)


@st.composite
def hostile_traces(draw: st.DrawFn) -> Attack:
    """Saved run with a right digest, in which something is of another type."""
    head, *states = map(json.loads, dumps(loss()).splitlines())
    if draw(st.booleans()):
        head = draw(with_hostile_value(head))
    else:
        states = draw(with_hostile_value(states))
    if isinstance(states, list) and draw(st.integers(0, 9)):
        head["states"] = len(states)
    lines = [json.dumps(state, separators=(",", ":")) for state in states]
    if isinstance(head, dict):
        head["digest"] = digest_of(head, lines)
    content = "\n".join([json.dumps(head), *lines])
    arguments = draw(st.sampled_from(TRACE_COMMANDS))
    return Attack(arguments, {"run.jsonl": content.encode()}, shipped=True)


@st.composite
def hostile_run_folders(draw: st.DrawFn) -> Attack:
    """Folder of a run with a right checksum, in which something is another thing."""
    searches = tasks(toys.catalogue(), ("counter",), Overrides("naive"))
    request = RunRequest(tuple(searches), Path("counterexamples"))
    body = draw(with_hostile_value(request.as_json))
    content = ORDER_SEAL.close(body)
    if draw(st.integers(0, 4)) == 0:
        content = damaged(draw, content)
    return Attack(("resume", "run"), {f"run/{ORDER}": content})


@st.composite
def hostile_caches(draw: st.DrawFn) -> Attack:
    """File of mutants, or a cached result, of which something is another thing."""
    mutants = {"mutants": [{"name": "m", "rule": "r", "status": "killed"}]}
    mutants["mutants"][0] |= {"property": "p", "length": 3}  # type: ignore[dict-item]
    content = json.dumps(draw(with_hostile_value(mutants))).encode()
    if draw(st.booleans()):
        content = damaged(draw, content)
    arguments = ("check", "counter", "--engine", "naive", "--mutants", "m.json")
    return Attack((*arguments, "--html", "page.html"), {"m.json": content})
