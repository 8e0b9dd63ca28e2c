"""A report on standard output is alone there, whatever the code of a model prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from command_line.own_models import COUNTER, run
from command_line.processes import run as run_process

PRINTING = (
    COUNTER
    + """
print("printed when it is loaded")

@model.initial
def zero(size: Size) -> Counter:
    print("printed at the beginning")
    return Counter()

@model.action
def go(s: Counter) -> Iterator[Counter]:
    print("printed by a step")
    if s.value < 3:
        yield s.evolve(value=s.value + 1)

def further(s: Counter) -> Iterator[Counter]:
    print("printed by a step")
    if s.value < 5:
        yield s.evolve(value=s.value + 1)

@model.always
def is_small(s: Counter) -> bool:
    return s.value <= 3

model.variant("goes-further", {go: further})
"""
)
JSON = {
    "check": ("check", "chatty.py", "--no-cache", "--engine", "naive"),
    "simulate": ("simulate", "chatty.py", "--walks", "2"),
    "fuzz": ("fuzz", "chatty.py", "--examples", "2"),
    "show": ("show", "chatty.py", "--dependencies"),
    "mutants": ("mutants", "chatty.py"),
}
NAMES = ("chatty", "chattier", "chattiest")


@pytest.fixture(autouse=True)
def _models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three models that print, in the current directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in NAMES:
        Path(f"{name}.py").write_text(PRINTING, "utf-8")
    yield
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("words", JSON.values(), ids=list(JSON))
def test_json_is_alone_on_standard_output(words: tuple[str, ...]) -> None:
    """What the model prints goes to standard error."""
    done = run(*words, "--json", "-")
    assert done.exit_code in (0, 10), done.stderr
    assert json.loads(done.stdout)
    assert "printed when it is loaded" in done.stderr
    assert "printed by a step" in done.stderr


def test_further_processes_do_not_print_there(tmp_path: Path) -> None:
    """Those in which the searches of a suite are done side by side."""
    files = [f"{name}.py" for name in NAMES]
    done = run_process(["check", *files, "--threads", "2", "--json", "-"], tmp_path)
    assert len(json.loads(done.stdout)["results"]) == len(NAMES)
    assert "printed by a step" in done.stderr


def test_each_form_is_alone_on_standard_output() -> None:
    """Also what is no JSON: a report for CI, a model for another checker, a run."""
    search = ("check", "chatty.py", "--engine", "naive")
    junit = run(*search, "--junit", "-")
    assert ElementTree.fromstring(junit.stdout).tag == "testsuites"
    export = run("export", "chatty.py", "--format", "dot")
    assert export.stdout.startswith("digraph")
    run(*search, "--protocol", "goes-further")
    (saved,) = map(str, Path("counterexamples").iterdir())
    del sys.modules["chatty"]
    shown = run("trace", "show", saved, "--model", "chatty.py", "--format", "itf")
    assert json.loads(shown.stdout)["states"]
    assert "printed when it is loaded" in shown.stderr


def test_without_a_report_a_search_prints_as_it_did() -> None:
    """Standard output is not reserved then."""
    done = run("check", "chatty.py", "--no-cache", "--engine", "naive")
    assert "printed by a step" in done.stdout
