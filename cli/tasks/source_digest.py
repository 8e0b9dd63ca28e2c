"""Checksums of all that decides what a search finds."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from types import ModuleType

from replicheck import cli, explorer, invariants, model


@cache
def of_models() -> str:
    """A checksum of the models and of what is claimed of them."""
    return _of(model, invariants)


@cache
def of_everything() -> str:
    """A checksum of the models, of the engines, and of what calls them."""
    return _of(model, invariants, explorer, cli)


def _of(*packages: ModuleType) -> str:
    found = hashlib.blake2b(digest_size=8)
    for package in packages:
        for folder in map(Path, package.__path__):
            for file in sorted(folder.rglob("*.py")):
                found.update(file.relative_to(folder).as_posix().encode())
                found.update(file.read_bytes())
    return found.hexdigest()
