"""Class archive: Spark's classes as Java has loaded and verified them once.

The first start of Spark has Java make it when the process ends, later ones use it. It
is for one Java, one Spark and one set of options. Java itself checks it, and starts
without one that is torn. It is code: one that another user can have written is not
used.
"""

from __future__ import annotations

import atexit
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, Popen
from time import sleep, time
from typing import Any
from uuid import uuid4

import psutil
import pyspark
from attrs import frozen
from py4j.protocol import Py4JError
from pyspark import SparkContext

from replicheck.explorer.native.object_code import cache_folder
from replicheck.explorer.runtime.digest import NAME, digest
from replicheck.explorer.runtime.private_files import is_private_file

SWITCH = "REPLICHECK_SPARK_ARCHIVE"
"""Where this environment variable is ``off``, there is none."""
VERSION = re.compile(r'JAVA_VERSION="(\d+)')
# The user is told of errors, not of an archive that does not fit.
IN_USE = "-Xlog:disable -Xlog:all=error:stderr -XX:+UnlockDiagnosticVMOptions"
CHECKED = "-XX:+VerifySharedSpaces"
MAKING = "-Xlog:disable -XX:+UnlockDiagnosticVMOptions -XX:-DisplayVMOutput"
LOOKS, PAUSE = 1200, 0.1
"""How often, and after how many seconds each, the end of a process looks for Java's.

That takes some seconds. Time in which the machine is asleep does not count.
"""
STALE = 3600
"""Seconds after which what is being made was left by a process that was killed."""


FIRST_WITH_CACHE = 25
"""The Java from which on it is called a cache, and needs no other archive below it."""


@frozen
class ArchiveVariant:
    """The options of Java that use an archive, and that record one at its end."""

    use: str
    record: str


VARIANTS = {
    ".jsa": ArchiveVariant("-XX:SharedArchiveFile", "-XX:ArchiveClassesAtExit"),
    ".aot": ArchiveVariant("-XX:AOTCache", "-XX:AOTMode=record -XX:AOTConfiguration"),
}
"""By the suffix of the archive."""
MAIN_CLASS = "org.apache.spark.deploy.SparkSubmit"


def options(java: Path, other_options: str) -> str:
    """Java options that use the archive, or make it where there is none yet.

    Args:
        java: its folder.
        other_options: the options that it has beside these.
    """
    name = name_of(java, _content(java / "release"), other_options)
    if name is None or os.environ.get(SWITCH) == "off":
        return ""
    made = cache_folder() / name
    kind = VARIANTS[made.suffix]
    if is_private_file(made):
        return f'{IN_USE} {CHECKED} "{kind.use}={made}"'
    if made.exists() or _running_java() is not None:
        return ""
    if not _can_be_made(made.parent):
        return ""
    _remove_stale(made)
    beside = made.with_name(f"{made.stem}-{uuid4().hex[:12]}{made.suffix}")
    atexit.register(_end, beside, made)
    return f'{MAKING} {kind.record}="{beside}"'


def name_of(java: Path, release: str, other_options: str) -> str | None:
    """The name of the archive for a Java and the Spark that is installed.

    Args:
        release: what the Java says of itself; None is returned if that is no version.
    """
    version = VERSION.search(release)
    if version is None:
        return None
    suffix = ".aot" if int(version[1]) >= FIRST_WITH_CACHE else ".jsa"
    files = sorted((_spark() / "jars").glob("*.jar"))
    known = [f"{file.name} {file.stat().st_size}" for file in files]
    parts = (
        str(java),
        release,
        other_options,
        str(_spark()),
        pyspark.__version__,
        *known,
    )
    content = "\n".join(parts).encode()
    return f"spark-{digest(content, NAME)}{suffix}"


def _can_be_made(folder: Path) -> bool:
    """Tell whether the folder can be written and Java can archive Spark's classes.

    It archives nothing if a folder with files is among what it loads classes from, as
    that of Spark's configuration is.
    """
    chosen = os.environ.get("SPARK_CONF_DIR")
    configuration = Path(chosen) if chosen else _spark() / "conf"
    has_files = configuration.is_dir() and any(configuration.iterdir())
    return os.access(folder, os.W_OK) and not has_files


def _running_java() -> Any:
    """Gateway to Spark's Java, if it runs, and this release of Spark names it so."""
    return getattr(SparkContext, "_gateway", None)


def _end(recorded: Path, made: Path) -> None:
    """End Java, which records its classes then, and put the archive in its place."""
    gateway = _running_java()
    whole = recorded.with_stem(f"{recorded.stem}-whole")
    try:
        if gateway is not None:
            command = psutil.Process(gateway.proc.pid).cmdline()
            with suppress(Py4JError):
                gateway.shutdown()
            gateway.proc.stdin.close()
            if _has_ended(gateway.proc) and _is_assembled(command, recorded, whole):
                whole.replace(made)
    except (OSError, psutil.Error, KeyboardInterrupt):
        return
    finally:
        recorded.unlink(missing_ok=True)
        whole.unlink(missing_ok=True)


def _is_assembled(command: Sequence[str], recorded: Path, whole: Path) -> bool:
    """Make the archive of what was recorded; return whether Java came to its end.

    A cache is made by another Java. That which recorded would start it, too, but then
    it tells the user its options.

    Args:
        command: that of the Java which recorded.
    """
    if whole.suffix == ".jsa":
        recorded.replace(whole)
        return True
    options = command[: command.index(MAIN_CLASS)]
    create = [
        *(option for option in options if not option.startswith("-XX:AOT")),
        "-XX:AOTMode=create",
        f"-XX:AOTConfiguration={recorded}",
        f"-XX:AOTCache={whole}",
    ]
    return _has_ended(Popen(create, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL))


def _has_ended(java: Popen[bytes]) -> bool:
    """Wait until Java has ended or the time for that is over; tell whether it has."""
    for _ in range(LOOKS):
        if java.poll() is not None:
            return True
        sleep(PAUSE)
    return False


def _remove_stale(made: Path) -> None:
    for path in made.parent.glob(f"{made.stem}-*"):
        with suppress(OSError):
            if path.stat().st_mtime < time() - STALE:
                path.unlink()


def _spark() -> Path:
    return Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent)


def _content(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
