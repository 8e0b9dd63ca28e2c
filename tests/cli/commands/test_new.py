"""``replicheck new``: the files that it writes run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy  # noqa: F401  # cannot be imported twice, as after a pytester
import pytest

from command_line.own_models import run


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_the_files_run(pytester: pytest.Pytester) -> None:
    """The model holds, the suite is as expected, and so are both in pytest."""
    done = run("new", "my_lock")
    assert done.exit_code == 0, done.output
    assert "wrote my_lock.py\nwrote my_lock-suite.toml\nwrote test_my_lock.py" in (
        done.stdout
    )
    checked = run("check", "my_lock.py", "--json", "-")
    (result,) = json.loads(checked.stdout)["results"]
    assert (result["verdict"], result["states"]) == ("holds", 4)
    assert run("check", "my_lock-suite.toml").exit_code == 0
    found = pytester.runpytest_subprocess("--replicheck-engine", "naive")
    found.assert_outcomes(passed=4)
    sys.modules.pop("my_lock", None)


def test_the_test_runs_in_each_import_mode(pytester: pytest.Pytester) -> None:
    """Also where pytest adds no folder to those that Python imports from."""
    assert run("new", "my_lock", "--folder", "models").exit_code == 0
    for mode in ("prepend", "append", "importlib"):
        found = pytester.runpytest_subprocess(
            f"--import-mode={mode}", "models/test_my_lock.py"
        )
        found.assert_outcomes(passed=2)


def test_another_folder() -> None:
    """It is made, and what there is in it is never replaced."""
    assert run("new", "my_lock", "--folder", "models").exit_code == 0
    again = run("new", "my_lock", "--folder", "models")
    assert again.exit_code == 151
    assert "models/my_lock.py: this file is there already" in again.stderr


def test_two_at_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another process wrote since this one looked is not replaced."""
    assert run("new", "my_lock").exit_code == 0
    Path("my_lock.py").write_text("mine = 1\n", "utf-8")
    monkeypatch.setattr(Path, "exists", lambda path: False)
    late = run("new", "my_lock")
    assert late.exit_code == 151
    assert "my_lock.py: this file is there already" in late.stderr
    assert Path("my_lock.py").read_text("utf-8") == "mine = 1\n"


def test_pytest_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is installed with replicheck has no pytest: it says how to get it."""
    monkeypatch.setattr("replicheck.cli.commands.new.find_spec", lambda name: None)
    assert "pip install pytest" in run("new", "my_lock").stdout


@pytest.mark.parametrize("name", ["os", "numpy", "replicheck", "__main__"])
def test_a_name_of_another_module(name: str) -> None:
    """It would be hidden by that module, or hide it."""
    done = run("new", name)
    assert done.exit_code == 151
    assert "there is a module of this name already" in done.stderr
    assert not list(Path().iterdir())


@pytest.mark.parametrize("name", ["my-lock", "2pc", "class", "../lock", ""])
def test_a_name_that_is_none(name: str) -> None:
    """Python could not import it."""
    done = run("new", name)
    assert done.exit_code == 151
    assert "such as my_model" in done.stderr
    assert not list(Path().iterdir())
