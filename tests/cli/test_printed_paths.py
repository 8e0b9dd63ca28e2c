"""Names of files and folders are printed without control characters."""

from __future__ import annotations

import json
from pathlib import Path
from xml.dom import minidom

import pytest
from click.testing import CliRunner, Result

from replicheck.cli.main import main
from replicheck.traces.printable_text import printable

SMALL = "brokers=2,log_size=2,records=2,max_leader_epoch=2"
FLAW = ("replication", "--protocol", "kip-101", "--bounds", SMALL)
HOSTILE = ("x\n::error::y", "x\x1b[31m", "x\u202ey", "x\x9by", "x\ry", "x\udcffy")
"""Names of folders: a line of a CI server, colours, marks of direction, no UTF-8."""

pytestmark = pytest.mark.usefixtures("elsewhere")


def run(*arguments: str) -> Result:
    """Run a command whose output is that of a terminal or a CI server."""
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert printable(done.output) == done.output, arguments
    assert not any(line.startswith("::") for line in done.output.splitlines())
    return done


@pytest.mark.parametrize("name", [HOSTILE[0], HOSTILE[-1]])
def test_folders_that_commands_write_to(name: str) -> None:
    """Each command says where it wrote, in one line."""
    assert run("new", "mine", "--folder", name).exit_code == 0
    check = ("check", *FLAW, "--no-cache")
    assert run(*check, "--traces", name).exit_code == 12
    kept = f"{name}/kept"
    cut = run(*check, "--checkpoint", kept, "--limit-seconds", "0.0001")
    assert "go on from the last checkpoint" in cut.stdout
    done = run("resume", kept, "--limit-seconds", "100")
    assert done.exit_code == 12
    traces = ("--traces", name)
    witness = "record_is_committed"
    assert run("find", *FLAW, "--reach", witness, *traces).exit_code == 0
    sides = ("replication", "kip-101", "kip-320")
    assert run("diff", *sides, "--bounds", SMALL, *traces).exit_code == 0
    saved = [str(path) for path in Path(name).glob("replication-kip-101-*.jsonl")]
    assert run("trace", "replay", *saved).exit_code == 12


@pytest.mark.usefixtures("folder")
def test_a_folder_that_walks_write_to() -> None:
    """The run that they find is told in one line, too."""
    run("new", "lock")
    walks = ("simulate", "lock.py", "--protocol", "greedy", "--walks", "90")
    for name in HOSTILE:
        assert run(*walks, "--traces", name).exit_code == 12


@pytest.mark.parametrize("name", HOSTILE)
def test_reports_that_name_a_folder(name: str) -> None:
    """No form of report has a control character, and XML is XML."""
    forms = ("--junit", "r.xml", "--markdown", "r.md", "--html", "r.html")
    options = ("--json", "r.json", "--traces", name, "--no-cache")
    assert run("check", *FLAW, *forms, *options).exit_code == 12
    for path in Path().glob("r.*"):
        text = path.read_text("utf-8")
        assert printable(text) == text
        assert "\n::" not in text
    minidom.parse("r.xml")
    (result,) = json.loads(Path("r.json").read_text("utf-8"))["results"]
    assert result["violations"][0]["file"].startswith(name)
