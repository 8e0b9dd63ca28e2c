"""Kafka's jars: by their coordinates, in a cache, each checked by its digest.

A jar comes from the local Maven repository, from the repository whose address
``REPLICHECK_MAVEN_REPOSITORY`` has, or through ``mvn``.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
import urllib.request
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

from attrs import frozen

from replicheck.cli.conformance.harness.errors import HarnessUnavailable
from replicheck.cli.conformance.harness.tools import SECONDS, run_tool
from replicheck.explorer.runtime.digest import sha256
from replicheck.explorer.runtime.private_files import (
    is_private_file,
    make_private_folder,
)

REPOSITORY = "REPLICHECK_MAVEN_REPOSITORY"
MOST_BYTES = 256 * 2**20
"""Of a jar that is downloaded; the largest has a tenth of it."""
LISTED = Path(__file__).with_name("jars.toml")
STYLE = re.compile("\x1b\\[[0-9;]*m")
"""What sets a color of a terminal; mvn resets it even where it sets none."""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>replicheck</groupId><artifactId>jars</artifactId><version>1</version>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""


@frozen
class Artifact:
    """A jar by its Maven coordinates, with the SHA-256 digest that it must have."""

    coordinates: str
    digest: str

    @property
    def path(self) -> str:
        """Path below the root of a Maven repository."""
        group, artifact, version, *_ = self.coordinates.split(":")
        return "/".join((*group.split("."), artifact, version, self.file_name))

    @property
    def file_name(self) -> str:
        """Name of the file, without a folder."""
        _, artifact, version, *classifier = self.coordinates.split(":")
        return "-".join((artifact, version, *classifier)) + ".jar"

    @property
    def dependency(self) -> str:
        """Dependency element of a POM; nothing that it depends on comes with it."""
        names = ("groupId", "artifactId", "version", "classifier")
        parts = zip(names, self.coordinates.split(":"), strict=False)
        inside = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in parts)
        return (
            f"    <dependency>{inside}<exclusions><exclusion><groupId>*</groupId>"
            "<artifactId>*</artifactId></exclusion></exclusions></dependency>"
        )

    def is_in(self, file: Path) -> bool:
        """Tell whether a file has the digest."""
        if not file.is_file():
            return False
        return sha256(file.read_bytes()).hex() == self.digest


def cache_folder() -> Path:
    """Folder for jars and compiled harnesses in the user's cache.

    Raises:
        HarnessUnavailable: if nothing says where it is.
    """
    chosen, home = os.environ.get("XDG_CACHE_HOME"), _home()
    if chosen:
        return Path(chosen) / "replicheck" / "conformance"
    if home is None:
        raise HarnessUnavailable(
            "there is no home directory to keep the jars of Kafka in: set HOME, or"
            " XDG_CACHE_HOME to a folder of yours"
        )
    return home / ".cache" / "replicheck" / "conformance"


def private_cache_folder(name: str) -> Path:
    """Folder of the cache, made if there is none: Java runs what is in it.

    Raises:
        HarnessUnavailable: if it cannot be made, or another user can write there.
    """
    cache = cache_folder()
    try:
        for folder in (cache.parent, cache, cache / name):
            make_private_folder(folder)
    except OSError as error:
        raise HarnessUnavailable(
            f"the jars of Kafka cannot be kept: {error}"
        ) from error
    return cache / name


def _home() -> Path | None:
    """Home directory; None if there is none, and no entry of the user has one."""
    try:
        return Path.home()
    except RuntimeError:
        return None


@cache
def versions() -> tuple[str, ...]:
    """Versions around a ZooKeeper that there is a harness for, the oldest first."""
    listed = tomllib.loads(LISTED.read_text("utf-8"))
    return tuple(name for name in listed["versions"] if name != "every")


@cache
def kraft_versions() -> tuple[str, ...]:
    """Versions in KRaft mode that there is a harness for, the oldest first."""
    return tuple(tomllib.loads(LISTED.read_text("utf-8"))["kraft"])


def artifacts_of(version: str) -> tuple[Artifact, ...]:
    """Artifacts that the harness for a version is compiled and run with."""
    listed = tomllib.loads(LISTED.read_text("utf-8"))
    names = listed["kraft"].get(version)
    if names is None:
        names = sorted((*listed["versions"]["every"], *listed["versions"][version]))
    return tuple(Artifact(name, listed["digests"][name]) for name in names)


def are_at_hand(version: str) -> bool:
    """Tell whether the jars of a version are on this machine already."""
    jars, repository = cache_folder() / "jars", _local_repository()
    return all(
        (jars / artifact.file_name).is_file()
        or (repository is not None and (repository / artifact.path).is_file())
        for artifact in artifacts_of(version)
    )


def jars_of(version: str) -> tuple[Path, ...]:
    """Jars of a version as files, fetched where the cache lacks them.

    Raises:
        HarnessUnavailable: if one cannot be fetched, or is not what its digest says.
    """
    folder = private_cache_folder("jars")
    artifacts = artifacts_of(version)
    missing = [a for a in artifacts if not _is_kept(a, folder / a.file_name)]
    repository = _local_repository()
    if repository is not None:
        missing = _copied(missing, repository, folder)
    if missing:
        address = os.environ.get(REPOSITORY)
        if address:
            _download(missing, address, folder)
        else:
            _fetch_with_maven(missing, folder)
    return tuple(folder / artifact.file_name for artifact in artifacts)


def _is_kept(artifact: Artifact, file: Path) -> bool:
    """Tell whether the cache has a jar whole, which no other user can have written."""
    return is_private_file(file) and artifact.is_in(file)


def _local_repository() -> Path | None:
    home = _home()
    return None if home is None else home / ".m2" / "repository"


def _copied(
    missing: Sequence[Artifact], repository: Path, folder: Path
) -> list[Artifact]:
    """Copy what a local repository has; return what it lacks."""
    left = []
    for artifact in missing:
        found = repository / artifact.path
        if artifact.is_in(found):
            _keep(artifact, found, folder)
        else:
            left.append(artifact)
    return left


def _download(missing: Sequence[Artifact], address: str, folder: Path) -> None:
    with TemporaryDirectory(dir=folder) as beside:
        for artifact in missing:
            url, file = f"{address.rstrip('/')}/{artifact.path}", Path(beside, "jar")
            try:
                with urllib.request.urlopen(url, timeout=SECONDS) as answer:
                    file.write_bytes(answer.read(MOST_BYTES))
            except (OSError, ValueError) as error:
                raise HarnessUnavailable(
                    f"{url} cannot be downloaded: {error}. Check {REPOSITORY} and the"
                    " network"
                ) from error
            _keep(artifact, file, folder)


def _fetch_with_maven(missing: Sequence[Artifact], folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise HarnessUnavailable(
            f"{len(missing)} jars of Kafka are needed, such as"
            f" {missing[0].coordinates}. Install Maven (mvn), or set {REPOSITORY} to"
            " the address of a Maven repository"
        )
    with TemporaryDirectory(dir=folder) as beside:
        pom = "\n".join(artifact.dependency for artifact in missing)
        Path(beside, "pom.xml").write_text(POM.format(dependencies=pom), "utf-8")
        command = [maven, "-q", "-B", "-Dstyle.color=never"]
        command += ["dependency:copy-dependencies"]
        command += [f"-DoutputDirectory={beside}/lib"]
        done = run_tool(command, Path(beside))
        if done.returncode:
            told = STYLE.sub("", done.stdout + done.stderr).strip().splitlines()
            errors = [line for line in told if re.match(r"\[ERROR\] *[^ ]", line)]
            reason = (errors or told or ["no reason was told"])[0]
            raise HarnessUnavailable(f"mvn could not fetch the jars of Kafka: {reason}")
        for artifact in missing:
            _keep(artifact, Path(beside, "lib", artifact.file_name), folder)


def _keep(artifact: Artifact, file: Path, folder: Path) -> None:
    """Put a jar into the cache, whole or not at all.

    Raises:
        HarnessUnavailable: if it is not what its digest says.
    """
    with TemporaryDirectory(dir=folder) as beside:
        copy = Path(beside, "copy")
        shutil.copyfile(file, copy)
        copy.chmod(0o600)
        # The copy, which no other user can change.
        if not artifact.is_in(copy):
            raise HarnessUnavailable(
                f"{artifact.coordinates} came with another content than its digest"
                f" {artifact.digest[:12]}… says; expected the published jar"
            )
        copy.replace(folder / artifact.file_name)
