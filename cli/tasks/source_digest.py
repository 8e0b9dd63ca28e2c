"""Digests of the sources that decide what a search finds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import ModuleType

from replicheck import cli, explorer, invariants, model
from replicheck.explorer.runtime.digest import NAME, new_digest


@cache
def of_models() -> str:
    """Digest of the models and of what is claimed of them."""
    return _of(model, invariants)


@cache
def of_search_code() -> str:
    """Digest of the models, of the engines, and of what calls them."""
    return _of(model, invariants, explorer, cli)


def _of(*packages: ModuleType) -> str:
    found = new_digest(NAME)
    for package in packages:
        for folder in map(Path, package.__path__):
            for file in sorted(folder.rglob("*.py")):
                found.update(file.relative_to(folder).as_posix().encode())
                found.update(file.read_bytes())
    return found.hexdigest()
