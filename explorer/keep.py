"""Where a search keeps its checkpoint, and how often it writes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

MANIFEST = "manifest.json"


def nothing() -> None:
    """Do nothing."""


@frozen
class Keep:
    """The place of a checkpoint, and its time.

    ``recipe`` is a mapping that JSON can hold: what the caller says that is searched.
    To go on needs the same. ``prepare`` is called before the first file is written.
    """

    folder: Path
    every: float = 300.0
    """Seconds between two checkpoints; 0 is after each level."""
    recipe: Mapping[str, Any] = field(factory=dict)
    prepare: Callable[[], None] = nothing

    @property
    def is_there(self) -> bool:
        """Tell whether there is a checkpoint to go on from."""
        return (self.folder / MANIFEST).exists()
