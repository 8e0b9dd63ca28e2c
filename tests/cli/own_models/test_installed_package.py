"""A package that is installed as installers leave it offers its model by name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line.own_models import EXAMPLES


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Folder of packages with one that has a model, and its metadata."""
    package = tmp_path / "packages" / "my_package"
    metadata = tmp_path / "packages" / "my_package-1.dist-info"
    for folder in (package, metadata):
        folder.mkdir(parents=True)
    package.joinpath("__init__.py").touch()
    shutil.copy(EXAMPLES / "two_phase.py", package)
    metadata.joinpath("METADATA").write_text(
        "Metadata-Version: 2.1\nName: my-package\nVersion: 1\n", "utf-8"
    )
    metadata.joinpath("entry_points.txt").write_text(
        "[replicheck.models]\ncommit = my_package.two_phase:model\n", "utf-8"
    )
    return package.parent


def test_its_model_is_known_by_its_name(installed: Path, tmp_path: Path) -> None:
    """Every command takes the name, in a process that has imported nothing of it."""

    def told(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "replicheck.cli", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed)},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    assert "visited all 74 states" in told("check", "commit", "--no-cache")
    assert "impatient" in told("list", "commit")
    assert "learn" in told("show", "commit")
