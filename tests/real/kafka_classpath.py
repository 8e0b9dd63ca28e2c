"""Classpaths of Kafka's published releases, resolved by Maven into a cache."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

COORDINATES = {
    "2.5.1": (
        "org.apache.kafka:kafka_2.13:2.5.1",
        "log4j:log4j:1.2.17",
        "org.slf4j:slf4j-log4j12:1.7.30",
    ),
    "3.9.1": (
        "org.apache.kafka:kafka_2.13:3.9.1",
        "org.slf4j:slf4j-reload4j:1.7.36",
    ),
}
"""For each version what Maven resolves: the broker, and the logger beneath it."""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>replicheck</groupId><artifactId>cluster</artifactId><version>1</version>
  <dependencies>{dependencies}</dependencies>
</project>
"""
PARTS = ("groupId", "artifactId", "version")


def classpath_of(version: str) -> str:
    """Classpath of a broker; its jars are fetched where the cache lacks them.

    Raises:
        subprocess.CalledProcessError: if Maven cannot resolve it.
    """
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(home) / "replicheck" / "clusters" / version
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as beside:
            pom = POM.format(
                dependencies="".join(map(_dependency, COORDINATES[version]))
            )
            Path(beside, "pom.xml").write_text(pom, "utf-8")
            command = ["mvn", "-q", "-B", "dependency:copy-dependencies"]
            command.append(f"-DoutputDirectory={beside}/jars")
            subprocess.run(command, cwd=beside, check=True)
            Path(beside, "jars").replace(folder)
    return f"{folder}/*"


def _dependency(coordinates: str) -> str:
    parts = zip(PARTS, coordinates.split(":"), strict=True)
    inside = "".join(f"<{name}>{part}</{name}>" for name, part in parts)
    return f"<dependency>{inside}</dependency>"
