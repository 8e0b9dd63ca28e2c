"""Hostile inputs of every kind, and the law that each is tried against.

Whatever a file, an argument or a request holds: the exit code or the status is a
documented one, nobody sees a traceback or a control character, and nothing is written
but where the user said.
"""

from __future__ import annotations

import json
import socket
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

from attrs import frozen
from click.testing import CliRunner, Result
from hypothesis import strategies as st

import toys
from replicheck.cli.console.exit_codes import ExitCode
from replicheck.cli.main import main
from replicheck.cli.runs.run_folder import ORDER, ORDER_SEAL
from replicheck.cli.state_browser.api import BrowserApi
from replicheck.cli.state_browser.server import LOOPBACK, Application, serve
from replicheck.cli.tasks.run_request import RunRequest
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.traces.json_lines import digest_of, dumps
from replicheck.traces.printable_text import printable
from saved_runs import loss

MOST_SECONDS = 30.0
"""Of the processor, for one input: a hang is a failure, a slow machine is none."""
INSIDE = "inside"
"""The folder in which a command runs; nothing may be written beside it."""


@frozen
class Attack:
    """A command line with the files that it finds."""

    arguments: tuple[str, ...]
    files: Mapping[str, bytes]
    shipped: bool = False
    """Whether the catalogue is the shipped one, not that of the counters."""


def problem_with(attack: Attack) -> str:
    """What a command did that none may do with any input; empty if nothing."""
    with tempfile.TemporaryDirectory() as folder:
        inside = Path(folder) / INSIDE
        inside.mkdir()
        for name, content in attack.files.items():
            (inside / name).parent.mkdir(parents=True, exist_ok=True)
            (inside / name).write_bytes(content)
        catalogue = Catalogue.shipped() if attack.shipped else toys.catalogue()
        before = time.process_time()
        with chdir(inside), warnings.catch_warnings(action="ignore"):
            found = CliRunner().invoke(main, attack.arguments, obj=catalogue)
        seconds = time.process_time() - before
        beside = sorted({path.name for path in Path(folder).iterdir()} - {INSIDE})
    return _problem_of(found) or _problem_around(beside, seconds)


def _problem_of(found: Result) -> str:
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        return f"raised {type(found.exception).__name__}: {found.exception}"
    if found.exit_code not in [int(code) for code in ExitCode]:
        return f"exit code {found.exit_code}"
    if "Traceback (most recent call last)" in found.output:
        return "a traceback was printed"
    if printable(found.output) != found.output:
        return "a control character was printed"
    if any(line.startswith("::") for line in found.output.splitlines()):
        return "a command of a CI server was printed"
    return ""


def _problem_around(beside: list[str], seconds: float) -> str:
    if beside:
        return f"wrote {beside} outside of its folder"
    if seconds > MOST_SECONDS:
        return f"took {seconds:.0f} s"
    return ""


def deep(levels: int) -> Any:
    """List within a list, and so on."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


HOSTILE_TEXTS = (
    "",
    " ",
    "-",
    "--help",
    "../missing/outside",
    "/missing/../outside/x",
    "a/b",
    "x\n::error::injected",
    "\x1b[31mred",
    "\x00",
    "\u202eright to left",
    "<script>alert(1)</script>",
    "`|`",
    "```",
    "é" * 300,
    "x" * 5_000,
    "9" * 5_000,
    "1e999",
    "NaN",
    "counter",
    "replication",
    "kip-101",
)
HOSTILE_VALUES: tuple[Any, ...] = (
    *HOSTILE_TEXTS,
    None,
    True,
    0,
    -1,
    2**63,
    10**30,
    1.5,
    [],
    {},
    [[]],
    [None],
    {"a": {}},
    deep(60),
    {"$class": "replication:Cluster"},
    {"$class": ["x"]},
    {"$set": 3},
    {"$set": [{}]},
    {"$enum": "x", "name": []},
)
hostile_texts = st.sampled_from(HOSTILE_TEXTS) | st.text(max_size=20)
hostile_values = st.sampled_from(HOSTILE_VALUES) | st.integers() | st.text(max_size=9)


@st.composite
def with_hostile_value(draw: st.DrawFn, whole: Any) -> Any:
    """JSON value in which one part is another, is missing, or is there too often."""
    whole = json.loads(json.dumps(whole))
    holder, key = draw(st.sampled_from(list(_parts(whole))))
    change = draw(st.integers(0, 9))
    if change == 0:
        del holder[key]
    elif change == 1 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif change == 1:
        holder[draw(hostile_texts)] = holder[key]
    else:
        holder[key] = draw(hostile_values)
    return whole


def _parts(whole: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each part of a JSON value by what holds it, and its key there."""
    inside = whole.items() if isinstance(whole, dict) else enumerate(whole)
    for key, value in list(inside):
        yield whole, key
        if isinstance(value, dict | list):
            yield from _parts(value)


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
    "--merge",
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
    words = list(draw(st.sampled_from(COMMANDS)))
    pairs = st.tuples(st.sampled_from(OPTIONS), st.sampled_from(ARGUMENT_VALUES))
    for option, value in draw(st.lists(pairs, max_size=3)):
        words += [option, value] if draw(st.integers(0, 5)) else [value]
    # No argument of a process has a NUL character.
    return Attack(tuple(word.replace("\x00", "") for word in words), {})


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
    ("trace", "show", "run.jsonl", "--interleaving", "calm"),
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
        content = _damaged(draw, content)
    return Attack(("resume", "run"), {f"run/{ORDER}": content})


@st.composite
def hostile_caches(draw: st.DrawFn) -> Attack:
    """File of mutants, or a cached result, of which something is another thing."""
    mutants = {"mutants": [{"name": "m", "rule": "r", "status": "killed"}]}
    mutants["mutants"][0] |= {"property": "p", "length": 3}  # type: ignore[dict-item]
    content = json.dumps(draw(with_hostile_value(mutants))).encode()
    if draw(st.booleans()):
        content = _damaged(draw, content)
    arguments = ("check", "counter", "--engine", "naive", "--mutants", "m.json")
    return Attack((*arguments, "--html", "page.html"), {"m.json": content})


def _damaged(draw: st.DrawFn, content: bytes) -> bytes:
    at = draw(st.integers(0, len(content)))
    parts = (b"", b"\x00", b"\xff", b"[" * 3_000, b"9" * 5_000, b"NaN", b'"', b"{")
    return content[:at] + draw(st.sampled_from(parts)) + content[at + 1 :]


KINDS: Mapping[str, Callable[[], st.SearchStrategy[Attack]]] = {
    "arguments": hostile_arguments,
    "suites": hostile_suites,
    "traces": hostile_traces,
    "run folders": hostile_run_folders,
    "mutants": hostile_caches,
}

REQUEST_LINES = (
    b"POST /walk HTTP/1.1",
    b"POST /open HTTP/1.1",
    b"POST /trace HTTP/1.0",
    b"GET / HTTP/1.1",
    b"GET http://[::1/ HTTP/1.1",
    b"GET /\xff\xfe%00%zz HTTP/1.1",
    b"PUT /walk",
    b"\x00\x01\x02",
    b"GET " + b"/" * 70_000 + b" HTTP/1.1",
)
QUESTION = {"steps": ["elect_leader(leader=1)"], "at": 0, "text": "x"}
HEADERS = (
    b"Content-Type: application/json",
    b"Content-Type: text/plain",
    b"Content-Length: -1",
    b"Content-Length: x",
    b"Content-Length: 99999999999",
    b"Transfer-Encoding: chunked",
    b"Host: evil.example",
    b"Host: [",
    b"Origin: null",
    b"no header",
)


@st.composite
def hostile_requests(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Head of a request without its host, and a body."""
    body = json.dumps(draw(with_hostile_value(QUESTION))).encode()
    if draw(st.integers(0, 3)) == 0:
        body = _damaged(draw, body)
    if draw(st.integers(0, 9)) == 0:
        body = b"[" * 100_000
    lines = [draw(st.sampled_from(REQUEST_LINES[:3] * 4 + REQUEST_LINES))]
    if draw(st.integers(0, 3)):
        lines.append(HEADERS[0])
    if draw(st.integers(0, 3)):
        lines.append(b"Content-Length: %d" % len(body))
    lines += draw(st.lists(st.sampled_from(HEADERS), max_size=1))
    return b"\r\n".join(lines), body


@contextmanager
def running_server() -> Iterator[int]:
    """Server of a small scenario; its port."""
    (task,) = tasks(Catalogue.shipped(), ("replication",), Overrides("naive"))
    server = serve(Application(BrowserApi.of(task)), 0)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def status_of(port: int, head: bytes, body: bytes) -> int | None:
    """Status with which a request is answered; None if the connection is closed."""
    host = b"\r\nHost: 127.0.0.1:%d\r\n\r\n" % port
    with socket.create_connection((LOOPBACK, port), MOST_SECONDS) as connection:
        try:
            connection.sendall(head + host + body)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(65_536)
        except OSError:
            return None
    return int(answer.split()[1]) if answer.startswith(b"HTTP/") else None
