"""The session: a Spark context, with settings for tasks that share only files.

What the user's own configuration says, wins: that of ``spark-submit``, of
``PYSPARK_SUBMIT_ARGS``, and of ``spark-defaults.conf``.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pyspark
from pyspark import SparkConf, SparkContext

from replicheck.explorer.engines.partitioned.spark import class_archive, java_home
from replicheck.explorer.errors import ClusterError

LOCAL = re.compile(r"local(?:\[([^,\]]+)\])?")
RETRIES = 4
# Java only hands out tasks: to compile it well, or soon, is in vain.
JAVA_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=5 -XX:+UseSerialGC"
    " -XX:-UsePerfData"
)
SETTINGS: Mapping[str, str] = {
    # A socket of TCP costs every task some 40 ms of waiting.
    "spark.python.unix.domain.socket.enabled": "true",
    "spark.executor.extraJavaOptions": JAVA_OPTIONS,
    # That of NumPy starts threads that wait by spinning; no task asks for any.
    "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
    # A task waits for no particular machine: all of them read the same store.
    "spark.locality.wait": "0s",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
LOCAL_SETTINGS: Mapping[str, str] = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    # The command shows the progress itself.
    "spark.ui.enabled": "false",
    # Workers are forked from a process that has imported and compiled everything.
    "spark.python.daemon.module": f"{__package__}.daemon",
}


def running() -> SparkContext | None:
    """The application that runs already in this process, if any."""
    return getattr(SparkContext, "_active_spark_context", None)


def begin(master: str | None) -> SparkContext:
    """Start Spark.

    Raises:
        ClusterError: if it does not start.
    """
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    options = JAVA_OPTIONS if submitted else _prepared()
    try:
        return SparkContext(conf=_configuration(master, submitted, options))
    except Exception as error:
        first = str(error).strip().partition("\n")[0]
        raise ClusterError(
            f"Spark does not start ({first}); see above for what it says itself"
        ) from error


def _prepared() -> str:
    """Set what Spark's own launcher reads; return the options of the driver's Java."""
    chosen = java_home.chosen()
    options = f"{JAVA_OPTIONS} {class_archive.options(chosen, JAVA_OPTIONS)}".rstrip()
    os.environ["JAVA_HOME"] = str(java_home.home_of(chosen))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # Those of the short-lived Java that works out how to start Spark.
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", JAVA_OPTIONS)
    return options


def _configuration(
    master: str | None, submitted: bool, driver_options: str
) -> SparkConf:
    if submitted:
        SparkContext._ensure_initialized()
    configuration = SparkConf()
    for key, value in settings(master, driver_options).items():
        is_asked_for = key == "spark.master" and master is not None
        if is_asked_for or not configuration.contains(key):
            configuration.set(key, value)
    return configuration


def settings(master: str | None, driver_options: str = JAVA_OPTIONS) -> dict[str, str]:
    """Our settings, without those that the user's own configuration has.

    Args:
        driver_options: of the driver's Java.
    """
    taken = _defaults() | _named_in(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
    if master is None and "spark.master" not in taken:
        master = "local[*]"
    wanted = {
        **SETTINGS,
        "spark.app.name": "replicheck",
        "spark.driver.extraJavaOptions": driver_options,
    }
    if master is not None and LOCAL.match(master):
        wanted |= LOCAL_SETTINGS
    ours = {key: value for key, value in wanted.items() if key not in taken}
    return ours if master is None else {**ours, "spark.master": _retrying(master)}


def _retrying(master: str) -> str:
    """A local master with retries, which Spark's own ones do not have."""
    found = LOCAL.fullmatch(master)
    return f"local[{found[1] or 1},{RETRIES}]" if found else master


def _defaults() -> set[str]:
    """The settings of the user's ``spark-defaults.conf``."""
    home = os.environ.get("SPARK_HOME") or str(Path(pyspark.__file__).parent)
    folder = Path(os.environ.get("SPARK_CONF_DIR") or Path(home) / "conf")
    try:
        lines = (folder / "spark-defaults.conf").read_text("utf-8").splitlines()
    except OSError:
        return set()
    stripped = [line.strip() for line in lines]
    return {re.split(r"[\s=:]", line)[0] for line in stripped if line[:1] not in "#"}


def _named_in(arguments: str) -> set[str]:
    found = set(re.findall(r"(spark\.[\w.]+)=", arguments))
    return found | ({"spark.master"} if "--master" in arguments else set())
