"""A search on Spark outlives whatever is killed, and goes on where its driver was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner

from replicheck.cli.main import main
from replicheck.cli.runs.run_folder import RUNS
from replicheck.cli.tasks.task import Overrides, tasks
from replicheck.explorer.engine import Progress, Search, Stop
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.partitioned import task_split
from replicheck.explorer.engines.partitioned.engine import Partitioned
from shipped import CATALOGUE

pytest.importorskip("pyspark", reason="needs pip install 'replicheck[spark]'")

import pyspark
from pyspark import SparkContext

from replicheck.explorer.engines.partitioned.spark import java_home
from replicheck.explorer.engines.partitioned.spark.runner import spark
from slow import by_night

pytestmark = pytest.mark.slow
BOUNDS = {"brokers": 3, "log_size": 2, "records": 2, "max_leader_epoch": 1}
LEVEL = 13
"""The driver is killed once this level is complete; Spark is at work from 8 on."""
COMMAND = """
from replicheck.explorer.engines.partitioned import engine
engine.SMALL_LEVEL, engine.PATIENCE = 2000, 0
from replicheck.cli.main import main
main()
"""
"""The command, but for what it takes to need Spark."""
PORT = 17_077
QUIET = "--conf spark.ui.enabled=false pyspark-shell"
# So that tasks have two attempts at once, whichever ends first.
SPECULATION = " ".join(
    f"--conf spark.speculation{name}"
    for name in ("=true", ".interval=20ms", ".multiplier=1.01", ".quantile=0.1")
)
EXECUTOR, PYTHON = "CoarseGrainedExecutorBackend", "pyspark.daemon"


class Standalone:
    """A master and two workers on the loopback interface."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._class = Path(pyspark.__file__).parent / "bin" / "spark-class"
        address = ("--host", "127.0.0.1", "--webui-port", "0")
        self._processes = [
            self._start("master.Master", *address, "--port", str(PORT)),
            *(
                self._start(
                    "worker.Worker",
                    *address,
                    *("--cores", "1", "--memory", "1g"),
                    *("--work-dir", str(folder / f"work-{number}")),
                    f"spark://127.0.0.1:{PORT}",
                )
                for number in (1, 2)
            ),
        ]

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(self._class), f"org.apache.spark.deploy.{name}", *arguments],
            stdout=(self._folder / "log").open("ab"),
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "JAVA_HOME": str(java_home.home()),
                "SPARK_LOCAL_IP": "127.0.0.1",
                "SPARK_DAEMON_MEMORY": "256m",
            },
        )

    def kill(self, wanted: str) -> bool:
        """Kill one process of the workers; tell whether there was one."""
        for worker in self._processes[1:]:
            for process in _descendants(worker.pid):
                try:
                    if wanted in " ".join(process.cmdline()) and process.children():
                        victim = (
                            process if wanted == EXECUTOR else process.children()[0]
                        )
                        victim.kill()
                        return True
                except psutil.Error:
                    continue
        return False

    def kill_worker(self) -> bool:
        """Kill the second worker with all that it has started."""
        for process in [*_descendants(self._processes[2].pid)]:
            process.kill()
        self._processes[2].kill()
        return True

    def end(self) -> None:
        """Kill everything."""
        for worker in self._processes:
            for process in _descendants(worker.pid):
                process.kill()
            worker.kill()
            worker.wait()


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def end_java() -> None:
    """End the Java of an earlier test: it would keep that test's settings."""
    gateway = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        SparkContext._gateway = SparkContext._jvm = None


@pytest.fixture
def standalone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Standalone]:
    """A running cluster."""
    end_java()
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{SPECULATION} {QUIET}")
    cluster = Standalone(tmp_path)
    yield cluster
    cluster.end()


def test_kills_on_a_standalone_cluster(
    standalone: Standalone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An executor, a Python worker and a worker are killed; the report is the same."""
    monkeypatch.setattr(task_split, "FEWEST_STATES", 100)
    choices = Overrides("spark", "kip-101", BOUNDS, stop="decided")
    (task,) = tasks(CATALOGUE, ("replication",), choices)
    pending: list[tuple[int, Callable[[], bool]]] = [
        (9, lambda: standalone.kill(PYTHON)),
        (11, lambda: standalone.kill(EXECUTOR)),
        (13, standalone.kill_worker),
    ]
    killed: list[int] = []

    def watch(progress: Progress) -> None:
        if pending and progress.depth >= pending[0][0] and pending[0][1]():
            killed.append(pending.pop(0)[0])

    cluster = spark(f"spark://127.0.0.1:{PORT}")
    engine = Partitioned(buckets=8, cluster=cluster, small=2400, name="spark")
    search = Search(stop=Stop.DECIDED, watch=watch)
    found = engine.explore(task.model, task.properties, search)
    local = BreadthFirst(threads=1)
    assert killed == [9, 11, 13]
    assert found == local.explore(task.model, task.properties, task.search(print))


@by_night
def test_the_driver_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After kill -9 of the driver, resume gives the report of the local engine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", QUIET)
    bounds = ",".join(f"{name}={value}" for name, value in BOUNDS.items())
    command = ["check", "replication", "--protocol", "kip-101", "--keep-going"]
    command += ["--bounds", bounds, "--json", "report.json"]
    CliRunner().invoke(main, command, catch_exceptions=False)
    expected = report()
    spark_command = [*command, "--engine", "spark", "--master", "local[2]"]
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, *spark_command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as worker:
        while worker.poll() is None and not has_reached(LEVEL):
            time.sleep(0.002)
        worker.kill()
    assert worker.returncode < 0, "it ended before it could be killed"
    done = CliRunner().invoke(main, ["resume", "--master", "local[1]"])
    assert done.exit_code == 12, done.output
    assert report() == expected
    assert not RUNS.exists()


def has_reached(level: int) -> bool:
    """Tell whether a level is complete."""
    name = f"*/task-0/store/level-{level:05d}/manifest.json"
    with suppress(FileNotFoundError):
        return any(RUNS.glob(name))
    return False


def report() -> dict[str, Any]:
    """The JSON report but for what differs by engine."""
    whole: dict[str, Any] = json.loads(Path("report.json").read_text("utf-8"))
    for result in whole["results"]:
        for name in ("seconds", "details", "engine", "command"):
            result.pop(name, None)
    Path("report.json").unlink()
    return whole
