"""Every command takes a model by its file, by a name in it, and by its module."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from zipfile import ZipFile

import pytest

from command_line.own_models import EXAMPLES, run
from replicheck.invariants.catalogue.catalogue import Catalogue
from replicheck.invariants.catalogue.own import offered_models
from replicheck.invariants.catalogue.own.module_loading import own_files

pytestmark = pytest.mark.usefixtures("folder", "package")
REFERENCES = ("two_phase.py", "two_phase.py:model", "kit.commit:model")
OFFERED = "commit"
"""The name under which an installed package offers the model."""
COMMANDS = {
    "check": (0, "visited all 74 states"),
    "check --engine naive": (0, "visited all 74 states"),
    "check --engine numpy-walk": (0, "visited all 74 states"),
    "check --protocol impatient --coverage": (12, "participants_agree is violated"),
    "show": (0, "participants  3"),
    "list": (0, "impatient"),
    "mutants": (0, "1 killed"),
    "find --reach all_participants_commit": (0, "a shortest run to it has 8 states"),
    "diff two-phase impatient": (0, "Properties that differ: 1 of 2"),
    "ways participants_agree --protocol impatient": (0, "minimal sets of faults: 1"),
    "simulate --protocol impatient --walks 100": (12, "participants_agree"),
    "fuzz --protocol impatient --examples 100": (12, "drawn: participants 1-4"),
    "export --format promela": (0, "proctype"),
    "export --format dot": (0, "digraph"),
}


@pytest.fixture
def package(folder: Path) -> None:
    """A package in the current directory, with a module that imports another."""
    kit = folder / "kit"
    kit.mkdir()
    kit.joinpath("__init__.py").touch()
    kit.joinpath("numbers.py").write_text("CRASHES = 1\n", "utf-8")
    text = (EXAMPLES / "two_phase.py").read_text("utf-8")
    relative = "from .numbers import CRASHES as CRASHES\nfrom enum import"
    kit.joinpath("commit.py").write_text(text.replace("from enum import", relative))


@pytest.fixture
def offer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An entry point of the model."""
    monkeypatch.syspath_prepend(folder)
    point = metadata.EntryPoint(OFFERED, "two_phase:model", offered_models.GROUP)
    offers = {offered_models.GROUP: metadata.EntryPoints([point])}
    none = metadata.EntryPoints()
    monkeypatch.setattr(metadata, "entry_points", lambda group: offers.get(group, none))
    offered_models.installed.cache_clear()
    yield
    offered_models.installed.cache_clear()


def forget() -> None:
    """Forget what was imported, as a new process would not know it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "kit"]:
        del sys.modules[name]


@pytest.mark.usefixtures("offer")
@pytest.mark.parametrize("reference", [*REFERENCES, OFFERED])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_takes_a_reference(command: str, reference: str) -> None:
    """With the same answer, however the model is named."""
    name, *options = command.split()
    code, told = COMMANDS[command]
    done = run(name, reference, *options)
    assert done.exit_code == code, done.output
    assert told in done.stdout


@pytest.mark.parametrize("reference", REFERENCES)
def test_a_trace_and_a_run_name_the_model(reference: str) -> None:
    """Its code is run once the user names it as the file does."""
    done = run("check", reference, "--protocol", "impatient", "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    file = result["violations"][0]["file"]
    for command in ("replay", "explain", "show"):
        assert f"add --model {reference}" in run("trace", command, file).stderr
        read = run("trace", command, file, "--model", reference)
        assert read.exit_code in (0, 12), read.output
    stop = ("--limit-seconds", "1e-9", "--checkpoint", "kept", "--no-cache")
    assert run("check", reference, *stop).exit_code == 77
    on = ("resume", "kept", "--limit-seconds", "100")
    assert f"add --model {reference}" in run(*on).stderr
    assert "visited all 74 states" in run(*on, "--model", reference).stdout


@pytest.mark.usefixtures("offer")
def test_a_trace_and_a_run_of_an_offered_model_need_no_more() -> None:
    """What is installed was trusted when it was installed."""
    done = run("check", OFFERED, "--protocol", "impatient", "--json", "-")
    (result,) = json.loads(done.stdout)["results"]
    file = result["violations"][0]["file"]
    for command in ("replay", "explain", "show"):
        read = run("trace", command, file)
        assert read.exit_code in (0, 12), read.output
    stop = ("--limit-seconds", "1e-9", "--checkpoint", "kept", "--no-cache")
    assert run("check", OFFERED, *stop).exit_code == 77
    resumed = run("resume", "kept", "--limit-seconds", "100")
    assert "visited all 74 states" in resumed.stdout


def test_the_cache_knows_the_modules_of_a_package() -> None:
    """An edit of a module that it imports by a relative import is searched anew."""

    def is_cached() -> bool:
        forget()
        done = run("check", "kit.commit:model", "--json", "-")
        (result,) = json.loads(done.stdout)["results"]
        return bool(result["cached"])

    assert [is_cached(), is_cached()] == [False, True]
    Path("kit/numbers.py").write_text("CRASHES = 2\n", "utf-8")
    assert not is_cached()


def test_workers_get_a_package_that_is_not_installed(folder: Path) -> None:
    """As an archive with all of its modules; a file as it is."""
    forget()
    Catalogue.shipped().load("kit.commit:model")
    Catalogue.shipped().load("two_phase.py")
    files = {file.name: file for file in own_files()}
    assert files["two_phase.py"] == folder / "two_phase.py"
    names = ZipFile(files["kit.zip"]).namelist()
    assert names == ["kit/__init__.py", "kit/commit.py", "kit/numbers.py"]


def test_an_archive_has_what_a_file_imports_beside_it(folder: Path) -> None:
    """Packages beside the file, too."""
    forget()
    shutil.rmtree(folder / "kit" / "__pycache__", ignore_errors=True)
    Path("two_phase.py").write_text("from kit.commit import model\n", "utf-8")
    sys.modules.pop("two_phase", None)
    assert "visited all 74 states" in run("check", "two_phase.py:model").stdout
    assert "kit.zip" in [file.name for file in own_files()]
