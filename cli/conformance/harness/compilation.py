"""The harness, compiled at first use for a version of Kafka, and kept in the cache."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from replicheck.cli.conformance.harness.artifacts import (
    are_at_hand,
    artifacts_of,
    jars_of,
    kraft_versions,
    private_cache_folder,
)
from replicheck.cli.conformance.harness.errors import HarnessUnavailable
from replicheck.cli.conformance.harness.tools import run_tool
from replicheck.explorer.runtime.digest import NAME, digest
from replicheck.explorer.runtime.private_files import require_private_folder

SOURCES = Path(__file__).with_name("scala")
BEFORE_2_8 = ("2.4.1", "2.5.1", "2.6.1")
"""Versions that share what Kafka 2.8 changed."""
WITH_CONTROLLER = ("2.4.1", "2.5.1", "2.6.1")
"""Versions whose controller can be taken through its events."""
OLDEST_JAVA = 11
HEAP = "-Xmx512m"


@frozen
class Program:
    """A compiled harness: the Java that runs it, and its class path."""

    java: Path
    class_path: str


def program_for(version: str) -> Program:
    """Compiled harness for a version, from the cache if it is there.

    Raises:
        HarnessUnavailable: if there is no Java or jar, or it does not compile.
    """
    java = _java()
    jars = os.pathsep.join(map(str, jars_of(version)))
    folder = private_cache_folder("classes")
    classes = folder / f"{version}-{_digest(version)}"
    if not classes.is_dir():
        _compile(java, jars, version, classes)
    try:
        require_private_folder(classes)
    except OSError as error:
        raise HarnessUnavailable(f"the harness cannot be used: {error}") from error
    return Program(java, os.pathsep.join((str(classes), jars)))


def is_at_hand(version: str) -> bool:
    """Tell whether the harness of a version runs here without a download."""
    try:
        _java()
        return are_at_hand(version)
    except HarnessUnavailable:
        return False


def sources_of(version: str) -> tuple[Path, ...]:
    """Sources of the harness: the shared sources, and the sources of the version."""
    own = [SOURCES / "versions" / f"{version}.scala"]
    own += sorted((SOURCES / "lines").glob("*.scala"))
    if version in kraft_versions():
        return (*own, *sorted((SOURCES / "kraft").rglob("*.scala")))
    if version in BEFORE_2_8:
        own += sorted((SOURCES / "versions" / "before_2_8").glob("*.scala"))
    if version in WITH_CONTROLLER:
        own += sorted((SOURCES / "controller").glob("*.scala"))
    return (*sorted(SOURCES.glob("*.scala")), *own)


def _digest(version: str) -> str:
    """Digest of all that a compiled harness depends on."""
    parts = [source.read_bytes() for source in sources_of(version)]
    parts += [artifact.digest.encode() for artifact in artifacts_of(version)]
    return digest(b"\0".join(parts), NAME)


def _java() -> Path:
    home = os.environ.get("JAVA_HOME")
    found = Path(home, "bin", "java") if home else shutil.which("java")
    if found is not None and Path(found).is_file():
        return Path(found)
    lacking = "there is none: install one, or set JAVA_HOME"
    if home:
        lacking = (
            f"JAVA_HOME is {home}, and there is no {found}: set it to the folder of a"
            " Java, or unset it to take the one of the path"
        )
    raise HarnessUnavailable(
        f"Kafka's classes need Java {OLDEST_JAVA} or newer, and {lacking}"
    )


def _compile(java: Path, jars: str, version: str, classes: Path) -> None:
    with TemporaryDirectory(dir=classes.parent) as beside:
        fresh = Path(beside, "classes")
        fresh.mkdir(mode=0o700)
        command: list[str | Path] = [
            java,
            HEAP,
            "-cp",
            jars,
            "scala.tools.nsc.Main",
            "-cp",
            jars,
        ]
        command += ["-nowarn", "-d", fresh, *sources_of(version)]
        done = run_tool(command, Path())
        if done.returncode:
            raise HarnessUnavailable(
                f"the harness for Kafka {version} does not compile with {java}:\n"
                f"{(done.stdout + done.stderr).strip()[:3000]}"
            )
        try:
            fresh.replace(classes)
        except OSError:
            # Another process was faster; what it compiled is the same.
            if not classes.is_dir():
                raise
