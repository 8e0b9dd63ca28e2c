"""Files that are there whole or not at all, whenever their writer is killed."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checkout import ROOT
from replicheck.explorer.runtime.atomic_files import write_atomically, write_new
from replicheck.traces.json_lines import write
from saved_runs import loss

PLACES = ("os.fsync", "tempfile.mkstemp", "pathlib.Path.replace", "pathlib.Path.chmod")
"""What writing comes by: the process is killed when it gets there."""

KILLED = """
import importlib, os, signal, sys
module, _, name = {place!r}.rpartition(".")
if module == "pathlib.Path":
    import pathlib
    owner = pathlib.Path
else:
    owner = importlib.import_module(module)
setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
from replicheck.cli.main import main
main({words!r}, standalone_mode=True)
"""


def killed(place: str, words: list[str], folder: Path) -> None:
    """Run a command that is killed when it gets to a place."""
    code = KILLED.format(place=place, words=words)
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The file of a saved run."""
    path = tmp_path / "run.jsonl"
    write(path, loss())
    return path


SMALL = ["--bounds", "brokers=1,log_size=1,records=1,max_leader_epoch=0"]
COMMANDS = {
    "show": ["trace", "show", "run.jsonl", "--output", "out"],
    "export": ["export", "replication", "--format", "dot", *SMALL, "--output", "out"],
}


def test_a_full_disk_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that the user knows, not the one beside it; nothing is left."""

    def refuse(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_atomically(tmp_path / "out", "text")
    assert caught.value.filename == str(tmp_path / "out")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_writer_that_is_killed(run: Path, command: str, place: str) -> None:
    """The old file is left as it was, whatever the writer was about to do."""
    output = run.parent / "out"
    output.write_text("old", "utf-8")
    killed(place, COMMANDS[command], run.parent)
    assert output.read_text("utf-8") == "old"


@pytest.mark.parametrize("place", PLACES)
def test_a_check_that_is_killed_while_it_saves_a_trace(
    tmp_path: Path, place: str
) -> None:
    """There is no part of a trace among the counterexamples."""
    words = ["check", "replication", "--protocol", "commit-alone", "--engine", "naive"]
    words += ["--bounds", "brokers=2", "--traces", "found"]
    killed(place, words, tmp_path)
    assert list(tmp_path.glob("found/*.jsonl")) == []


QUICK = ["replication", *SMALL]
OTHERS = {
    "check": ["check", *QUICK, "--no-cache", "--markdown", "out"],
    "simulate": ["simulate", *QUICK, "--walks", "1", "--threads", "1", "--json", "out"],
    "explain": ["trace", "explain", "run.jsonl", "--avoiding", "out"],
    "dependencies": ["show", *QUICK, "--dependencies", "--output", "out.svg"],
    "gallery": ["trace", "gallery", "--folder", "."],
}
"""The other commands that write a file."""
WRITTEN = {"dependencies": "out.svg", "gallery": "truncate-to-high-watermark.jsonl"}
"""Its name, where it is not ``out``."""


@pytest.mark.parametrize("command", OTHERS)
def test_every_command_that_writes_leaves_the_old_file(run: Path, command: str) -> None:
    """Killed in the last moment before the new one is there."""
    name = WRITTEN.get(command, "out")
    output = run.parent / name
    output.write_text("old", "utf-8")
    (run.parent / "docs").mkdir()
    killed("pathlib.Path.replace", OTHERS[command], run.parent)
    assert output.read_text("utf-8") == "old"


KEPT = {
    "cli/conformance/harness/artifacts.py",
    "cli/conformance/harness/process.py",
}
"""What writes into temporary folders and caches of the conformance harness."""


def writers(tree: ast.AST) -> list[str]:
    """The calls of a module that write to a file by other means."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        modes = [
            argument.value
            for argument in (*node.args, *(k.value for k in node.keywords))
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        opens = name in ("open", "fdopen") and any(set(m) & set("wax+") for m in modes)
        if opens or name in ("write_text", "write_bytes"):
            found.append(f"{name} in line {node.lineno}")
    return found


def test_a_new_file_replaces_none(tmp_path: Path) -> None:
    """The first text stays, and nothing is left beside it."""
    path = tmp_path / "new.py"
    write_new(path, "first\n")
    with pytest.raises(FileExistsError, match=r"new\.py"):
        write_new(path, "second\n")
    assert path.read_text("utf-8") == "first\n"
    assert list(tmp_path.iterdir()) == [path]


def test_there_is_no_other_way_to_write_a_file() -> None:
    """So what is said here of some commands is true of all."""
    found = {
        str(path.relative_to(ROOT)): writers(ast.parse(path.read_text("utf-8")))
        for folder in ("cli", "traces")
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {name for name, calls in found.items() if calls} == KEPT


REPEATED = """
import sys
from pathlib import Path
from replicheck.explorer.runtime.atomic_files import write_atomically
text = "x" * 1_000_000
while True:
    for letter in "ab":
        write_atomically(Path(sys.argv[1]), text.replace("x", letter))
"""


@pytest.mark.parametrize("milliseconds", [1, 5, 20, 50])
def test_a_kill_at_any_moment(tmp_path: Path, milliseconds: int) -> None:
    """A reader finds one text or the other, never a part of one or a mixture."""
    path = tmp_path / "file"
    write_atomically(path, "a" * 1_000_000)
    writer = subprocess.Popen([sys.executable, "-c", REPEATED, str(path)])
    first = path.stat().st_ino
    while path.stat().st_ino == first:
        time.sleep(0.001)
    time.sleep(milliseconds / 1000)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    assert path.read_text("utf-8") in ("a" * 1_000_000, "b" * 1_000_000)


def test_a_pipe_is_written_and_not_replaced(tmp_path: Path) -> None:
    """What is no regular file stays what it is: ``/dev/null`` is not renamed away."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "whole")
    assert os.read(reader, 100) == b"whole"
    os.close(reader)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]
