"""Runs of real clusters: the logs are kept, observed, and validated."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from attrs import frozen
from fault_scenarios import SCENARIOS, WITH_SPARE_BROKER
from further_scenarios import FURTHER_SCENARIOS, SETTINGS
from kafka_classpath import classpath_of
from random_faults import RandomFaults
from real_cluster import REGULAR, NotReached, RealCluster
from reassignment_scenarios import REASSIGNMENT_SCENARIOS

from replicheck.cli.observations.extraction.extraction import extract

REPLICHECK = str(Path(sys.executable).with_name("replicheck"))
RANDOM = "random"
NAMED = {**SCENARIOS, **FURTHER_SCENARIOS}
"""Scenarios by name."""
SPARE_BROKER = WITH_SPARE_BROKER | {run.__name__ for run in REASSIGNMENT_SCENARIOS}
EXTRACTORS = {"2.5.1": "kafka-2.5.1", "3.9.1": "kafka-3.9"}
LIMIT_SECONDS = 120
SLACK = 100
"""Milliseconds by which lines may be late: all brokers share a few cores."""
TAIL = bytes(16)
"""Left of the zeros that ZooKeeper's log is filled up with."""

REST = 10
"""Seconds without an observation after which nothing is to come.

The longest that a broker waits before it does something by itself is 7.5 seconds: every
2.5 seconds a leader tells the controller of ISRs that have not changed for 5. A session
ends after 4 seconds, or 2 longer than asked for, and a follower is taken out of the ISR
after 1.5 seconds and at most 0.75 more.
"""
MOST_WAITED = 60
"""Seconds after which a cluster is taken for one that does not come to rest."""


@frozen
class RunPlan:
    """A run to make: a version of Kafka, and a scenario or the seed of random faults.

    ``protocol`` is ``inter.broker.protocol.version``, or empty for the version's own.
    """

    version: str
    scenario: str = RANDOM
    seed: int = 0
    protocol: str = ""

    @property
    def name(self) -> str:
        """Name of the run, as of its folder and its file of observations."""
        what = f"{RANDOM}-{self.seed}" if self.scenario == RANDOM else self.scenario
        protocol = f"-protocol-{self.protocol}" if self.protocol else ""
        return f"kafka-{self.version}{protocol}-{what}"


@frozen
class RecordedRun:
    """What became of a run: the exit code of ``replicheck validate``, and its text."""

    plan: RunPlan
    code: int
    text: str
    seconds: float

    @property
    def is_explained(self) -> bool:
        """Tell whether a run of the model explains it, and breaks no property."""
        return self.code == 0


def record(plan: RunPlan, parent: Path) -> RecordedRun:
    """Run a cluster as planned, below ``parent``; keep its logs and observations."""
    began = time.monotonic()
    folder = parent / plan.name
    shutil.rmtree(folder, ignore_errors=True)
    spare = plan.scenario == RANDOM or plan.scenario in SPARE_BROKER
    settings = {**SETTINGS.get(plan.scenario, {})}
    if plan.protocol:
        settings["inter.broker.protocol.version"] = plan.protocol
    classpath = classpath_of(plan.version)
    try:
        with RealCluster(classpath, folder, REGULAR + spare, settings) as cluster:
            if plan.scenario == RANDOM:
                RandomFaults(cluster, plan.seed).happen()
            else:
                NAMED[plan.scenario](cluster)
            wait_for_rest(cluster, EXTRACTORS[plan.version])
    except NotReached as error:
        # What happened until then is a run, too.
        print(f"{plan.name}: {error}", file=sys.stderr)
    finally:
        _keep_transactions(folder)
    code, text = validated(folder, plan)
    return RecordedRun(plan, code, text, time.monotonic() - began)


def validated(folder: Path, plan: RunPlan) -> tuple[int, str]:
    """Observe the logs in a folder and validate them; the exit code and the text."""
    observations = folder / f"{plan.name}.jsonl"
    command = [REPLICHECK, "observe", EXTRACTORS[plan.version], str(folder)]
    command += ["--slack", str(SLACK)]
    with observations.open("w") as out, (folder / "observe.txt").open("w") as summary:
        done = subprocess.run(command, stdout=out, stderr=summary, check=False)
    if done.returncode:
        return done.returncode, (folder / "observe.txt").read_text("utf-8")
    command = [REPLICHECK, "validate", str(observations), "--show"]
    command += ["--limit-seconds", str(LIMIT_SECONDS)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    text = result.stdout + result.stderr
    (folder / "validate.txt").write_text(text, "utf-8")
    return result.returncode, text


def wait_for_rest(cluster: RealCluster, extractor: str) -> None:
    """Wait until nothing was observed for long enough, and have the cluster say so."""
    end = time.monotonic() + MOST_WAITED
    while not cluster.is_at_rest and time.monotonic() < end:
        left = REST - _seconds_without_observation(cluster, extractor)
        cluster.is_at_rest = left <= 0
        time.sleep(max(0, left))


def _seconds_without_observation(cluster: RealCluster, extractor: str) -> float:
    now = datetime.now(UTC).timestamp()
    seen = extract(cluster.folder, extractor).observations
    return now - max(observation.end for observation in seen) / 1000


def _keep_transactions(folder: Path) -> None:
    """Keep ZooKeeper's transaction logs without what they are filled up with.

    The rest of the data goes.
    """
    data = folder / "data"
    kept = folder / "version-2"
    kept.mkdir(exist_ok=True)
    for file in (data / "zk" / "version-2").glob("log.*"):
        (kept / file.name).write_bytes(file.read_bytes().rstrip(b"\0") + TAIL)
    for out in data.glob("*.out"):
        out.replace(folder / out.name)
    shutil.rmtree(data, ignore_errors=True)
