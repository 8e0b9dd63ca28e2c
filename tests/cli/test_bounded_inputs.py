"""What comes from outside is bounded, and never makes a path or a command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner, Result

import toys
from replicheck.cli.main import main
from replicheck.cli.reports.formats import REPORT_FORMATS
from replicheck.cli.reports.markdown_table import folded_text, markdown_text
from replicheck.cli.runs.trace_files import file_name, write_trace
from replicheck.cli.tasks.run_request import REPORTS, RunRequest
from replicheck.traces.json_lines import SavedTrace, digest_of, dumps
from saved_runs import loss

OWN = """
[scenarios."{name}"]
summary = "A counter"
model = "counter"
protocol = "up"

[[check]]
scenario = "{name}"
"""

pytestmark = pytest.mark.usefixtures("elsewhere")


def invoke(*arguments: str) -> Result:
    """Run a command on the catalogue of the counters."""
    return CliRunner().invoke(main, arguments, obj=toys.catalogue())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = " + "[" * 3_000, "nested too deeply"),
        ("x = " + "[" * 13 + "]" * 13, "nested more than"),
        ("x = " + "9" * 5_000, "5000 digits"),
        ("x = " + "9" * 20, "more than 64 bits"),
        (".".join("a" * 50_000) + " = 1", "a key of 12 or more parts"),
        ('x = "' + "y" * 10_001 + '"', "a text of 10,001 characters"),
        ('x = "\\u001b[31m"', "control character U+001B"),
        ("#" * 2**21, "larger than"),
        (OWN.format(name="/outside/x"), "is no name"),
        (OWN.format(name="..\\\\x"), "is no name"),
        (OWN.format(name="x\\n::error::y"), "expected one line"),
        (OWN.format(name="x\\u0000"), "control character U+0000"),
    ],
)
def test_a_suite_is_bounded(text: str, reason: str) -> None:
    """It is refused in one line that names the file."""
    Path("mine.toml").write_text(text, "utf-8")
    found = invoke("check", "mine.toml")
    assert found.exit_code == 151
    assert found.stderr.startswith("Error: mine.toml: ")
    assert reason in found.stderr
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--threads", "99999999"),
        ("--limit-memory", "9" * 400),
        ("--limit-memory", "2000T"),
        ("--bounds", "limit=" + "9" * 5_000),
    ],
)
def test_an_option_is_bounded(arguments: tuple[str, str]) -> None:
    """What no machine has is wrong usage."""
    found = invoke("check", "counter", *arguments)
    assert found.exit_code == 2
    assert arguments[0] in found.stderr


def test_a_long_name_of_a_file() -> None:
    """The system's reason is given, and the message has a length."""
    found = invoke("check", "x" * 5_000)
    assert found.exit_code == 151
    assert "File name too long" in found.stderr
    assert len(found.stderr) < 5_000


def test_a_newline_in_an_argument_begins_no_command() -> None:
    """A CI server acts on lines that begin with two colons."""
    found = invoke("check", "x\n::error::injected")
    assert not any(line.startswith("::") for line in found.stderr.splitlines())


def test_a_newline_in_a_trace_begins_no_line_of_a_page(tmp_path: Path) -> None:
    """Nor do lines of a page that goes to standard output begin a command."""
    saved = loss()
    header = evolve(saved.header, instance="x\n::error::injected")
    path = write_trace(tmp_path / "traces", SavedTrace(header, saved.trace))
    found = CliRunner().invoke(main, ["trace", "show", str(path), "--format", "html"])
    assert found.exit_code == 0
    assert not any(line.startswith("::") for line in found.stdout.splitlines())


def test_a_step_that_no_model_has_is_told_in_printable_words(tmp_path: Path) -> None:
    """Its arguments can have any names."""
    head, *states = map(json.loads, dumps(loss()).splitlines())
    states[3]["arguments"]["x\x1a"] = 0
    lines = [json.dumps(state, separators=(",", ":")) for state in states]
    head["digest"] = digest_of(head, lines)
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([json.dumps(head), *lines]))
    for words in (["show", "--format", "pytest"], ["replay"], ["explain"]):
        done = CliRunner().invoke(main, ["trace", words[0], str(path), *words[1:]])
        assert done.exit_code in (10, 151), done.output
        assert "\x1a" not in done.output


def test_a_run_has_reports_that_there_are(tmp_path: Path) -> None:
    """A run folder that asks for another one is refused when it is read."""
    assert set(REPORTS) == set(REPORT_FORMATS)
    with pytest.raises(ValueError, match="must be in"):
        RunRequest((), tmp_path, {"$class": "report.json"})
    with pytest.raises(TypeError, match="must be <class 'dict'>"):
        RunRequest((), tmp_path, "")  # type: ignore[arg-type]


def test_a_name_makes_no_path(tmp_path: Path) -> None:
    """A trace stays in its folder, whatever its header says."""
    saved = loss()
    header = evolve(saved.header, scenario="../../outside", property="/a/b")
    path = write_trace(tmp_path / "traces", SavedTrace(header, saved.trace))
    assert path.parent == tmp_path / "traces"
    assert file_name("..\x1b/\n" * 99).isprintable()


def test_markdown_has_no_html_of_others() -> None:
    """Neither a name nor a run ends the text it stands in."""
    assert markdown_text("<script>") == "&lt;script&gt;"
    lines = list(folded_text("<b>", "a\n```\n<script>"))
    assert "<details><summary>&lt;b&gt;</summary>" in lines
    assert lines.count("````") == 1


def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    """There is one line and no traceback."""
    gone = tmp_path / "gone"
    gone.mkdir()
    script = "import os, sys; os.chdir(sys.argv[1]); os.rmdir(sys.argv[1]);" + (
        "sys.argv[1:] = ['list']; from replicheck.cli.program import main; main()"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, str(gone)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert found.stderr == (
        "Error: the current directory cannot be used: No such file or directory\n"
    )


NO_READER = """
import os, pwd, sys

def no_entry(user):
    raise KeyError(f"getpwuid(): uid not found: {user}")

pwd.getpwuid = no_entry
from replicheck.cli.program import main
main()
"""
"""The command of a user of whom the system knows no name and no home."""


@pytest.mark.parametrize("engine", ["naive", "breadth-first"])
def test_a_user_without_home_and_passwd_entry(tmp_path: Path, engine: str) -> None:
    """The search is done, and its result kept beside it or not at all."""
    arguments = ("check", "replication", "--bounds", "brokers=1", "--engine", engine)
    found = subprocess.run(
        [sys.executable, "-c", NO_READER, *arguments],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 10, found.stderr
    assert "Traceback" not in found.stderr
    assert "the bounds are too small to show" in found.stdout


def test_sigterm_while_starting() -> None:
    """It ends as Ctrl-C does, before there is a search to end."""
    script = "import replicheck.cli.program as program, os, signal;" + (
        "program._load_command = lambda: os.kill(os.getpid(), signal.SIGTERM);"
        "program.main()"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert found.returncode == 77
    assert found.stderr == "Error: interrupted\n"
