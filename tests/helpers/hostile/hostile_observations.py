"""Hostile observations: what a cluster is said to have shown, and logs of brokers."""

from __future__ import annotations

import gzip
import json
from contextlib import suppress
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from hostile.attacks import Attack
from hostile.hostile_values import damaged, hostile_texts, with_hostile_value

OBSERVED = Path(__file__).resolve().parents[2] / "observations"
RUN = OBSERVED / "runs" / "isr_shrinks.jsonl"
LOGS = OBSERVED / "logs" / "leaders_directory"
LINES = 400
"""So many lines are kept of each log."""
QUICK = ("--limit-nodes", "30", "--limit-seconds", "3")
VALIDATE = (
    ("validate", "seen.jsonl", *QUICK),
    ("validate", "seen.jsonl", *QUICK, "--show"),
    ("validate", "seen.jsonl", "seen.jsonl", *QUICK, "--traces", "runs"),
)
OBSERVE = (
    ("observe", "kafka-2.5.1", "logs"),
    ("observe", "kafka-3.9", "logs"),
    ("observe", "kafka-2.5.1", "logs", "--no-clocks"),
    ("observe", "kafka-2.5.1", "logs", "--slack", "0"),
)
LOG_PARTS = (
    "",
    "\n",
    "[",
    "]",
    "(",
    "{",
    "9" * 5_000,
    "-1",
    "\x00",
    "\x1b[31m",
    "é",
    "\n::error::x",
    "x" * 100_000,
    "99999-99-99",
)


@st.composite
def hostile_observations(draw: st.DrawFn) -> Attack:
    """File of observations in which something is of another type, or missing."""
    lines = [json.loads(line) for line in RUN.read_text("utf-8").splitlines()]
    lines = lines[: draw(st.integers(1, len(lines)))]
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.sampled_from((0, len(lines) - 1, len(lines) // 2)))
        if isinstance(lines[at], dict) and lines[at]:
            lines[at] = draw(with_hostile_value(lines[at]))
    content = "\n".join(json.dumps(line) for line in lines).encode()
    if draw(st.integers(0, 4)) == 0:
        content = damaged(draw, content)
    return Attack(draw(st.sampled_from(VALIDATE)), {"seen.jsonl": content}, True)


@cache
def logs() -> dict[str, str]:
    """The first lines of the logs of a cluster, by file."""
    found = {}
    for path in sorted(LOGS.iterdir()):
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = gzip.decompress(content)
        lines = content.decode("utf-8").splitlines(keepends=True)
        found[path.name.removesuffix(".gz")] = "".join(lines[:LINES])
    return found


@st.composite
def hostile_logs(draw: st.DrawFn) -> Attack:
    """Logs in which words are others, bytes are damaged, or a file is no file."""
    files = {f"logs/{name}": text.encode() for name, text in logs().items()}
    name = draw(st.sampled_from(sorted(files)))
    words = files[name].decode().split(" ")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(words) - 1))
        words[at] = draw(st.sampled_from(LOG_PARTS) | hostile_texts)
    files[name] = " ".join(words).encode("utf-8", "replace")
    if draw(st.booleans()):
        name = draw(st.sampled_from(sorted(name for name in files if "jsonl" in name)))
        files[name] = draw(_with_hostile_line(files[name]))
    match draw(st.integers(0, 9)):
        case 0:
            files[name] = damaged(draw, files[name])
        case 1:
            files[f"{name}.gz"] = damaged(draw, gzip.compress(files.pop(name)))
        case 2:
            files[f"{name}/inside"] = files.pop(name)
        case 3:
            files[f"logs/{draw(st.sampled_from(NAMES))}"] = files.pop(name)
    return Attack(draw(st.sampled_from(OBSERVE)), files, True)


@st.composite
def _with_hostile_line(draw: st.DrawFn, content: bytes) -> bytes:
    """Lines of JSON of which one has a part that is another."""
    lines = content.split(b"\n")
    at = draw(st.integers(0, len(lines) - 1))
    with suppress(ValueError):
        line = json.loads(lines[at])
        if isinstance(line, dict) and line:
            lines[at] = json.dumps(draw(with_hostile_value(line))).encode()
    return b"\n".join(lines)


NAMES = (
    "broker-.log",
    "broker--1.log",
    "broker-99999999999999999999.log",
    "broker-x\x1b[31m.log",
    "log.1",
    "log.x",
    "log.100000000",
    "operator.jsonl",
    "zookeeper.jsonl",
    "é.log",
)
