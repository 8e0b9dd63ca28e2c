"""What all engines have in common: what is asked of them and how they are watched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from attrs import field, frozen

from replicheck.explorer.model import Model, S
from replicheck.explorer.properties import Property
from replicheck.explorer.report import Report


class Stop(Enum):
    """When a search may end before it has visited every state."""

    FIRST_VIOLATION = "with the level of the first violation"
    DECIDED = "as soon as every property is decided"
    EXHAUSTED = "not before"


@frozen
class Limits:
    """Bounds on a search; None is no bound. A bound that cuts is named in the report.

    ``states`` and ``depth`` are exact to a level: the level that reaches one is the
    last. ``seconds`` are wall time; ``memory`` and ``disk`` are bytes.
    """

    states: int | None = None
    depth: int | None = None
    seconds: float | None = None
    memory: int | None = None
    disk: int | None = None


@frozen
class Progress:
    """How far a running search is."""

    depth: int
    states: int
    generated: int
    frontier: int
    """States of the level that is being expanded that are not expanded yet."""
    seconds: float
    memory: int = 0
    """Bytes that the process holds."""
    levels: tuple[int, ...] = ()


Watch = Callable[[Progress], None]
"""Is called a few times a second; may raise KeyboardInterrupt to end the search."""


def unwatched(progress: Progress) -> None:
    """Watch nothing."""


@frozen
class Search:
    """How far a search goes and who watches it."""

    limits: Limits = Limits()
    stop: Stop = Stop.FIRST_VIOLATION
    watch: Watch = unwatched


MANIFEST = "manifest.json"
"""The file of a checkpoint that is written last."""


def nothing() -> None:
    """Do nothing."""


@frozen
class CheckpointSettings:
    """Where a search keeps its checkpoint, and how often it writes one.

    ``recipe`` is a mapping that JSON can hold: what the caller says that is searched.
    To resume needs the same. ``prepare`` is called before the first file is written.
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


class Engine(Protocol):
    """Visits the states of any model and judges each with the properties."""

    @property
    def name(self) -> str:
        """The name by which a user chooses the engine."""

    def explore(
        self, model: Model[S], properties: Sequence[Property], search: Search
    ) -> Report[S]:
        """Search the model's states level by level.

        Raises:
            ModelError: if the model breaks the contract. A function of the model that
                raises is no such error: the report says so, with a trace.
        """


@runtime_checkable
class Resumable(Engine, Protocol):
    """An engine that keeps checkpoints."""

    def resume(
        self, model: Model[S], properties: Sequence[Property], search: Search
    ) -> Report[S]:
        """Go on from the checkpoint; the report is that of one uninterrupted search.

        Raises:
            CheckpointError: if it cannot be used, or is of another model or search.
            ModelError: if the model breaks the contract.
        """
