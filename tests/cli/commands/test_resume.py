"""``replicheck resume``: a run ended at any moment ends as one that never was."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import pytest
from click.testing import CliRunner, Result

from command_line.processes import REPLICHECK
from replicheck.cli.main import main
from replicheck.cli.runs.run_folder import ORDER, ORDER_SEAL, RUNS
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from searches.interrupted_searches import Killed
from slow import slow

SMALL = "brokers=2,log_size=2,records=2,max_leader_epoch=2"
TINY = "brokers=2,log_size=1,records=1,max_leader_epoch=1"
CHECK = (
    *("check", "replication", "--protocol", "kip-101", "--bounds", SMALL, "--no-cache"),
    *("--keep-going", "--checkpoint-every", "0", "--json", "report.json"),
)
LARGE = [str(REPLICHECK), *CHECK[:5], "max_leader_epoch=3", *CHECK[6:-2]]
SUITE = f"""
[[check]]
scenario = "replication"
bounds = {{ {TINY.replace(",", ", ")} }}
[[check]]
scenario = "replication"
protocol = "kip-101"
bounds = {{ {SMALL.replace(",", ", ")} }}
[[check]]
scenario = "replication"
bounds = {{ {SMALL.replace(",", ", ")} }}
"""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run where files may be written."""
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def report() -> dict[str, Any]:
    """The JSON report but for what no two runs have in common."""
    whole: dict[str, Any] = json.loads(Path("report.json").read_text("utf-8"))
    for result in whole["results"]:
        del result["seconds"], result["details"]
    Path("report.json").unlink()
    return whole


@pytest.fixture(scope="module")
def whole_report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of a run without interruption."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("whole"))
        assert run(*CHECK).exit_code == 12
        return report()


def end_by(number: signal.Signals, after: float, *arguments: str) -> tuple[int, str]:
    """Run the installed command, and send a signal some time after a search began."""
    with subprocess.Popen(
        [REPLICHECK, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after)
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)
        return process.returncode, out


def kill_at(moment: random.Random) -> None:
    """Run the installed command and kill it, most often between two levels."""
    with subprocess.Popen(
        [REPLICHECK, *CHECK], stdout=DEVNULL, stderr=DEVNULL
    ) as process:
        wanted = moment.randrange(20)
        while process.poll() is None and levels_kept() < wanted:
            time.sleep(0.0005)
        time.sleep(moment.uniform(0, 0.01))
        process.kill()


def levels_kept() -> int:
    """The number of levels in the checkpoint that is being written again."""
    with suppress(FileNotFoundError):
        for manifest in RUNS.glob("*/task-0/manifest.json"):
            body = json.loads(manifest.read_text("utf-8"))["body"]
            return len(body["snapshot"]["levels"])
    return 0


@pytest.mark.parametrize("seed", [*range(5), *map(slow, range(5, 20))])
def test_kill_at_any_moment(whole_report: dict[str, Any], seed: int) -> None:
    """After kill -9, resume gives the report and the exit code of a whole run."""
    kill_at(random.Random(seed))
    if list(RUNS.glob("*/run.json")):
        Path("report.json").unlink(missing_ok=True)
        done = run("resume", "--threads", str(1 + seed % 3))
        assert done.exit_code == 12, done.stderr
        assert report() == whole_report
        assert not list(RUNS.glob("*/*"))
    elif not Path("report.json").exists():
        assert "there is no run to resume" in run("resume").stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_checkpoint(number: signal.Signals) -> None:
    """Both end with 77 and a message; what it says finishes the run."""
    arguments = ("check", "replication", "--bounds", "max_leader_epoch=3")
    code, out = end_by(number, 0.2, *arguments, "--limit-states", "60000")
    assert code == 77
    assert "Traceback" not in out
    (folder,) = RUNS.iterdir()
    assert f"go on from the last checkpoint: replicheck resume {folder}" in out
    done = run("resume", str(folder))
    assert "117,982 states" in done.stdout
    assert "limit on states cut" in done.stdout
    assert not RUNS.exists()


@pytest.fixture
def _killed_in_the_second(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run a suite of three until its process is killed in the second search."""
    Path("suite.toml").write_text(SUITE, "utf-8")
    explore, searches = BreadthFirst.explore, []

    def kill(engine: BreadthFirst, *arguments: Any) -> Any:
        searches.append(engine)
        if len(searches) == 2:
            raise Killed
        return explore(engine, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(BreadthFirst, "explore", kill)
        with pytest.raises(Killed):
            options = "--no-cache", "--checkpoint-every", "0", "--json", "-"
            run("check", "suite.toml", *options)
    yield


@pytest.mark.usefixtures("_killed_in_the_second")
def test_a_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is finished is not searched again, and the file of the suite not needed."""
    expected = run("check", "suite.toml", "--no-cache", "--json", "report.json")
    reported = report()
    Path("suite.toml").unlink()
    done = run("resume")
    assert "1 of 3 searches are done" in done.stderr
    assert done.exit_code == expected.exit_code == 12
    Path("report.json").write_text(done.stdout, "utf-8")
    assert report() == reported


@pytest.mark.usefixtures("_killed_in_the_second")
@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("run.json", '"every": 0.0', '"every": 1.0', "changed after it was written"),
        ("run.json", "}", "", "is torn"),
        ("run.json", '"schema": 1', '"schema": 0', "the schema 0, expected 1"),
        ("result-0", '"together": 1', '"together": 2', "changed after it was written"),
        ("result-0", "replicheck result", "other", "is torn"),
    ],
)
def test_a_bad_run_folder(name: str, old: str, new: str, message: str) -> None:
    """A torn, old or foreign file is refused with one message and the code 151."""
    (path,) = RUNS.glob(f"*/{name}")
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    done = run("resume")
    assert done.exit_code == 151
    assert str(path) in done.stderr
    assert message in done.stderr


@pytest.mark.usefixtures("_killed_in_the_second")
def test_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other code may give other results, so it does not go on."""
    monkeypatch.setattr("replicheck.cli.tasks.source_digest.of_models", lambda: "other")
    done = run("resume")
    assert done.exit_code == 151
    assert "is of another version of replicheck: its code is" in done.stderr


def test_an_expectation_of_a_property_that_is_not_judged() -> None:
    """It is refused before the search, and not where the report is written."""
    run(*CHECK, "--checkpoint", "kept", "--limit-seconds", "0.0001")
    path = Path("kept", ORDER)
    body = ORDER_SEAL.open(path)
    expected = {"verdict": "violated", "violations": {"nothing": 3}}
    body["tasks"][0]["scenario"]["expect"] = expected
    path.write_bytes(ORDER_SEAL.close(body))
    done = run("resume", "kept")
    assert done.exit_code == 151
    assert 'scenario.expect.violations: there is no property "nothing"' in done.stderr


def test_a_damaged_checkpoint() -> None:
    """The file that is not as it was written is named, and the code is 151."""
    run(*CHECK, "--checkpoint", "kept", "--limit-seconds", "0.0001")
    path = Path("kept", "task-0", "fingerprints")
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    done = run("resume", "kept")
    assert done.exit_code == 151
    assert f"{path} has the checksum" in done.stderr


def test_nothing_to_resume() -> None:
    """Where no run was started or all have ended, that is what the message says."""
    assert run(*CHECK).exit_code == 12
    done = run("resume")
    assert done.exit_code == 151
    assert "there is no run to resume in" in done.stderr
    done = run("resume", "nowhere")
    assert done.exit_code == 151
    assert "there is no run in nowhere" in done.stderr


def test_a_limit_on_seconds_can_be_raised() -> None:
    """What it cut is kept, in the folder that the user named, and goes on."""
    arguments = ("check", "replication", "--bounds", SMALL, "--checkpoint", "kept")
    cut = run(*arguments, "--limit-seconds", "0.0001")
    assert cut.exit_code == 77
    assert "replicheck resume kept" in cut.stdout
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert "kept holds a run that is not finished" in refused.stderr
    done = run("resume", "kept", "--limit-seconds", "100")
    assert done.exit_code == 0
    assert "visited all 5,973 states" in done.stdout
    assert not Path("kept").exists()


def test_the_newest_of_the_runs_in_a_folder() -> None:
    """The folder that has them may be named as well, from anywhere."""
    for name in ("older", "the-newest"):
        arguments = (*CHECK, "--checkpoint", f"runs/{name}")
        assert run(*arguments, "--limit-seconds", "0.0001").exit_code == 77
    done = run("resume", "runs", "--limit-seconds", "100")
    assert done.exit_code == 12
    assert "resuming runs/the-newest" in done.stderr
    assert [path.name for path in Path("runs").iterdir()] == ["older"]


def test_a_run_that_goes_on_elsewhere() -> None:
    """Two processes never work on one run."""
    with subprocess.Popen(LARGE, stdout=DEVNULL, stderr=DEVNULL) as process:
        while not list(RUNS.glob("*/run.json")):
            assert process.poll() is None
            time.sleep(0.05)
        done = run("resume")
        process.kill()
    assert done.exit_code == 151
    assert "is used by another process" in done.stderr


def test_an_engine_without_checkpoints() -> None:
    """It refuses a folder for them."""
    done = run("check", "replication", "--engine", "naive", "--checkpoint", "kept")
    assert done.exit_code == 2
    assert "the engine naive keeps no checkpoints" in done.stderr


@pytest.mark.parametrize("name", ["lock", "run.json"])
def test_two_checks_with_one_checkpoint(name: str) -> None:
    """The second is told so before it searches, even if something is kept already."""
    kept = ("--checkpoint", "kept")
    with subprocess.Popen([*LARGE, *kept], stderr=DEVNULL) as process:
        while not Path("kept", name).exists():
            assert process.poll() is None
            time.sleep(0.05)
        done = run(*CHECK, *kept)
        assert process.poll() is None
        process.kill()
    assert done.exit_code == 151
    assert "--checkpoint: kept is used by another process" in done.stderr
