"""Run folders that SIGKILL left, that are not there, or that cannot be written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from command_line.messages import require_message
from replicheck.cli.main import main
from replicheck.cli.runs.run_folder import RUNS

TINY = "brokers=2,log_size=1,records=1,max_leader_epoch=1"
SMALL = "brokers=2,log_size=2,records=2,max_leader_epoch=2"
CHECK = ("check", "replication", "--protocol", "kip-101", "--bounds", SMALL)
CUT = ("--limit-seconds", "0.0001")

pytestmark = pytest.mark.usefixtures("elsewhere")


def run(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def left_by_a_killed_process(folder: Path) -> None:
    """Make what SIGKILL leaves between the lock and the end of ``run.json``."""
    folder.mkdir(parents=True, mode=0o700)
    for name in ("lock", "result-1", f"run.json.{'0' * 16}.part"):
        (folder / name).touch(0o600)


def ended_process() -> int:
    """The number of a process that is gone."""
    with subprocess.Popen(["true"]) as process:
        pass
    return process.pid


def test_a_folder_that_a_killed_process_left() -> None:
    """The next run removes it, but not one of a process that is there, nor a run."""
    left = RUNS / f"20260101T000000Z-{ended_process()}"
    at_work = RUNS / f"20260101T000000Z-{os.getpid()}"
    other = RUNS / "mine"
    for folder in (left, at_work, other):
        left_by_a_killed_process(folder)
    arguments = ("check", "replication", "--bounds", TINY, "--no-cache")
    run(*arguments)
    assert {*RUNS.iterdir()} == {at_work, other}


def test_a_named_folder_that_a_killed_process_left() -> None:
    """The next run with that name takes it over, and believes nothing that is in it."""
    left_by_a_killed_process(Path("kept"))
    cut = run(*CHECK, "--no-cache", "--checkpoint", "kept", *CUT)
    assert cut.exit_code == 77
    names = {path.name for path in Path("kept").iterdir()}
    assert names == {"run.json", "task-0", "result-1"}
    left_by_a_killed_process(Path("other"))
    (Path("other") / "result-1").rename("other/result-0")
    cut = run(
        *CHECK, "--no-cache", "--checkpoint", "other", "--limit-seconds", "0.0001"
    )
    assert {path.name for path in Path("other").iterdir()} == {"run.json", "task-0"}
    assert run("resume", "other", "--limit-seconds", "100").exit_code == 12
    assert not Path("other").exists()


@pytest.mark.parametrize(
    ("name", "told"),
    [("nothere", "there is no such folder"), ("file", "this is a file")],
)
def test_a_run_is_looked_for_in_a_folder(name: str, told: str) -> None:
    """What is named and is none is said to be none, and which run is meant without."""
    Path("file").touch()
    message = f"there is no run in {name}: {told}; without DIR the newest run in"
    require_message(run("resume", name), 151, message)


def test_a_run_in_a_folder_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A search writes what it comes to beside the run, so it is refused at once."""
    run(*CHECK, "--no-cache", "--checkpoint", "kept", *CUT)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    message = "DIR: kept cannot be written"
    require_message(run("resume", "kept"), 2, message)
