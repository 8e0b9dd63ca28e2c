"""Files that a command is to write: what cannot be is refused before any search."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from command_line.checks import check
from command_line.messages import require_message
from command_line.own_models import run
from replicheck.cli.main import main

KIP_101 = ("replication", "--protocol", "kip-101", "--bounds", "brokers=2")
FULL = "/dev/full"

needs_a_full_device = pytest.mark.skipif(
    not Path(FULL).exists(), reason="there is no device that is always full"
)
pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("form", ["--html", "--junit", "--json", "--markdown"])
def test_a_folder_that_takes_no_file(form: str) -> None:
    """That is tried out, since rights do not tell it; nothing is searched."""
    done = check("counter", form, "/proc/report")
    require_message(done, 2, f"{form}: /proc/report cannot be written: /proc takes no")
    assert done.stdout == ""


def test_nothing_is_left_of_the_trial() -> None:
    """After a run there is the report, and no other file."""
    check("counter", "--json", "report.json", "--no-cache")
    assert [path.name for path in Path().iterdir()] == ["report.json"]


@pytest.mark.parametrize("second", ["x.xml", "./x.xml", "link.xml"])
def test_two_reports_in_one_file(second: str) -> None:
    """They are refused, however the file is named: one would replace the other."""
    Path("link.xml").symlink_to("x.xml")
    done = check("counter", "--junit", "x.xml", "--html", second)
    require_message(done, 2, "--junit and --html are both")
    assert "give each its own file" in done.stderr
    assert not Path("x.xml").exists()


def test_two_reports_to_a_device() -> None:
    """What a device takes replaces nothing."""
    words = ("--junit", "/dev/null", "--html", "/dev/null")
    assert check("counter", *words).exit_code == 0


ASKED = {
    "check": KIP_101,
    "find": (*KIP_101, "--reach", "record_is_committed"),
    "simulate": KIP_101,
    "fuzz": KIP_101,
    "diff": ("replication", "kip-101", "kip-320", *KIP_101[3:]),
    "ways": ("two_phase.py", "participants_agree", "--protocol", "impatient"),
}
"""Commands that save runs, with what they find one of."""


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ASKED)
def test_runs_that_cannot_be_saved_are_found_all_the_same(command: str) -> None:
    """The command goes on, and says at the run that it is not saved."""
    Path("counterexamples").touch()
    done = run(command, *ASKED[command])
    assert done.exit_code in (0, 12), done.output
    assert re.search("(?i)not saved|could be saved|cannot be saved", done.output)
    assert "counterexamples" in done.output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ASKED)
def test_a_folder_for_runs_that_is_named_must_take_files(command: str) -> None:
    """It is refused before any search."""
    Path("runs").touch()
    done = run(command, *ASKED[command], "--traces", "runs")
    require_message(done, 2, "--traces: runs is no directory")


@pytest.mark.usefixtures("folder")
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs Linux' /proc")
def test_a_folder_for_runs_that_could_not_be_made() -> None:
    """Also where it seems that it may be written, no search begins."""
    done = run("check", *KIP_101, "--traces", "/proc/runs")
    message = "--traces: /proc/runs cannot be written: /proc takes no new file"
    require_message(done, 2, message)


@needs_a_full_device
@pytest.mark.parametrize("command", ["check", "simulate"])
def test_a_report_without_room_does_not_hide_a_violation(command: str) -> None:
    """A message names the report, and the code is that of the violation."""
    done = run(command, *KIP_101, "--json", FULL)
    assert done.exit_code == 12
    assert f"--json: {FULL} cannot be written: No space left" in done.stderr
    assert "VIOLATED" in done.stdout


@needs_a_full_device
def test_a_report_without_room_where_all_is_well() -> None:
    """The code is 2, lest what reads the report takes an old one for new."""
    assert check("counter", "--json", FULL).exit_code == 2


@needs_a_full_device
def test_one_report_without_room_costs_no_other() -> None:
    """The others are written, and a run with checkpoints is kept for a second try."""
    keeping = ("--no-cache", "--checkpoint", "kept", "--checkpoint-every", "0")
    done = run("check", *KIP_101, "--json", FULL, "--html", "page.html", *keeping)
    assert done.exit_code == 12
    assert Path("page.html").exists()
    assert "not every report is written; to go on" in done.stdout
    Path("page.html").unlink()
    assert run("resume", "kept").exit_code == 12
    assert Path("page.html").exists()


@pytest.mark.parametrize("command", [("check",), ("trace", "replay")])
def test_the_help_names_the_code_of_runs_for_ever(command: tuple[str, ...]) -> None:
    """It is 15."""
    words = CliRunner().invoke(main, [*command, "--help"]).stdout.split()
    assert "15" in words or "15," in words


def test_the_help_says_which_engine_keeps_a_run_for_each_last_action() -> None:
    """The others keep one for each property."""
    told = " ".join(CliRunner().invoke(main, ["check", "--help"]).stdout.split())
    assert "engines other than breadth-first keep one for each property" in told
