"""Make the archive of Spark's classes, with which Spark starts sooner.

    python -m replicheck.explorer.spark.archiving

Spark runs one job, and tells which classes that takes; then Java archives them, which
takes it a while, and 90 MB beside the compiled kernels. To be repeated after an update
of Java or Spark.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from pyspark import SparkContext

from replicheck.explorer.errors import ClusterError
from replicheck.explorer.spark import archive, java, session


def make() -> Path:
    """Make the archive for the Java that Spark would use; return its place.

    Raises:
        ClusterError: if Spark does not start, or Java makes none.
    """
    home = java.chosen()
    made = archive.place(home)
    beside = made.with_name(f"{made.name}.{uuid4().hex[:12]}")
    with TemporaryDirectory() as folder:
        classes = Path(folder) / "classes"
        command = [
            *(str(home / "bin" / "java"), "-Xshare:dump", "-Xlog:disable"),
            f"-XX:SharedClassListFile={classes}",
            f"-XX:SharedArchiveFile={beside}",
            *("-cp", _noted(classes)),
        ]
        _do(command)
    beside.replace(made)
    return made


def _noted(classes: Path) -> str:
    """Have a job done, its classes noted in a file; return where Spark finds them."""
    options = f"spark.driver.extraJavaOptions=-XX:DumpLoadedClassList={classes}"
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--conf {options} pyspark-shell"
    context = session.begin("local[2]")
    context.parallelize(range(4), 2).map(abs).collect()
    path: str = context._jvm.System.getProperty("java.class.path")
    context.stop()
    gateway = SparkContext._gateway
    assert gateway is not None, "the context had one"
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()
    return path


def _do(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr + done.stdout).strip().partition("\n")[0]
        raise ClusterError(f"Java makes no archive of Spark's classes: {said}")


if __name__ == "__main__":
    try:
        print(make())
    except ClusterError as error:
        sys.exit(f"{error}")
