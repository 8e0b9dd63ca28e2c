"""Findings of the model of KRaft, on the classes of Apache Kafka 4.1.1.

Three brokers and the controller run in one JVM; Raft, network and time are replaced.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
MISSING = [name for name in ("java", "mvn") if shutil.which(name) is None]
RESULT = re.compile(r"RESULT merged=(?P<merged>\w+).*lost: (?P<lost>.*)")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"needs {', '.join(MISSING)}"),
]


def run(*command: str, folder: Path) -> str:
    """What a command prints; its errors are shown if it fails."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Kafka's jars in lib, and the compiled programs in classes."""
    folder = tmp_path_factory.mktemp("kraft")
    shutil.copy(FOLDER / "pom.xml", folder)
    jars = f"-DoutputDirectory={folder / 'lib'}"
    run("mvn", "-q", "-B", "dependency:copy-dependencies", jars, folder=folder)
    (folder / "classes").mkdir()
    programs = sorted(map(str, FOLDER.glob("*.scala")))
    compiler = ["java", "-cp", "lib/*", "scala.tools.nsc.Main", "-nowarn"]
    run(*compiler, "-classpath", "lib/*", "-d", "classes", *programs, folder=folder)
    return folder


def lost_records(folder: Path, program: str) -> list[tuple[bool, str]]:
    """Of each run, whether changes were published at once, and what was lost."""
    printed = run(
        "java", "-cp", "classes:lib/*", f"kafka.server.{program}", folder=folder
    )
    return [
        (found["merged"] == "true", found["lost"]) for found in RESULT.finditer(printed)
    ]


def test_a_leader_that_publishes_two_changes_at_once_loses_a_record(
    compiled: Path,
) -> None:
    """With ELR and without, whether a broker dies before or not (R-15)."""
    runs = lost_records(compiled, "SkippedEpoch")
    assert runs == [(True, "r1"), (False, "nothing")] * 4


def test_a_leader_that_misses_the_removal_of_a_replica_loses_all(
    compiled: Path,
) -> None:
    """A request handler is held up between the end and the ISR of a follower."""
    runs = lost_records(compiled, "RemovedReplica")
    assert runs == [(True, "r0 r1"), (False, "nothing")]
