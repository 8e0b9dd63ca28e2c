"""A model of a user's own is searched by the workers of Spark, and resumed there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command_line.own_models import EXAMPLES
from slow import by_night

pytest.importorskip("pyspark", reason="needs pip install 'replicheck[spark]'")

SMALL_LEVELS = """
import atexit, sys
from replicheck.explorer.engines.partitioned import engine
engine.SMALL_LEVEL, engine.PATIENCE = 100, 0
atexit.register(lambda: print("workers:", "pyspark" in sys.modules))
from replicheck.cli.main import main
main()
"""
"""The command, of which the workers do levels that the driver would do alone."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Variables of a process that knows an installed package with a model.

    The current directory has the same model in a file, and in a package.
    """
    installed = tmp_path / "installed"
    for package in (tmp_path / "kit", installed / "my_package"):
        package.mkdir(parents=True)
        package.joinpath("__init__.py").touch()
        shutil.copy(EXAMPLES / "two_phase.py", package)
    shutil.copy(EXAMPLES / "two_phase.py", tmp_path)
    metadata = installed / "my_package-1.dist-info"
    metadata.mkdir()
    metadata.joinpath("METADATA").write_text(
        "Metadata-Version: 2.1\nName: my-package\nVersion: 1\n", "utf-8"
    )
    metadata.joinpath("entry_points.txt").write_text(
        "[replicheck.models]\ncommit = my_package.two_phase:model\n", "utf-8"
    )
    return {
        **os.environ,
        "PYTHONPATH": str(installed),
        "PYSPARK_SUBMIT_ARGS": "--conf spark.ui.enabled=false pyspark-shell",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "reference",
    [
        "two_phase.py",
        *(
            pytest.param(reference, marks=by_night)
            for reference in ("two_phase.py:model", "kit.two_phase:model", "commit")
        ),
    ],
)
def test_a_search_is_cut_and_resumed(
    reference: str, environment: dict[str, str], tmp_path: Path
) -> None:
    """The code of a run is named again, except that of an installed package."""

    def told(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", SMALL_LEVELS, *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    spark = ("--engine", "spark", "--master", "local[2]", "--no-cache")
    wide = ("--bounds", "participants=5,crashes=2")
    cut = ("--limit-seconds", "1e-9", "--checkpoint", "kept")
    assert "the limit on seconds cut the search" in told(
        "check", reference, *wide, *spark, *cut
    )
    named = () if reference == "commit" else ("--model", reference)
    output = told("resume", "kept", "--limit-seconds", "400", *named)
    assert "visited all 809 states" in output, output
    assert "workers: True" in output
