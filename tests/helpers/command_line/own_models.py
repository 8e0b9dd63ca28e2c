"""A folder with a model of a user's own, and commands as new processes run them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

# A pytester forgets what is imported first within it, and then there are two classes
# of one name.
import replicheck.model.modelling.instantiation
import replicheck.modelling  # noqa: F401
from checkout import ROOT
from replicheck.cli.main import main
from replicheck.invariants.catalogue.catalogue import Catalogue

EXAMPLES = ROOT / "examples"
COUNTER = """
from __future__ import annotations
from collections.abc import Iterator
from replicheck.modelling import Bounds, Model, State, bound

class Size(Bounds):
    most: int = bound(3)

class Counter(State):
    value: int = 0

model = Model("counter", Size)
"""
"""The head of a model; what begins and what goes on is to be written behind it."""


def run(*arguments: str) -> Result:
    """Run a command as a new process would, with nothing loaded."""
    return CliRunner().invoke(main, arguments, obj=Catalogue.shipped())


@contextmanager
def example_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Context with a copy of an example in a folder, which is the current one."""
    shutil.copy(EXAMPLES / "two_phase.py", folder)
    with imports_of(folder, monkeypatch):
        yield folder


@contextmanager
def imports_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Context in a folder; what was imported from there is forgotten at the end."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
