"""Setup: what a process must be told before it can work on a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from replicheck.explorer.learning.learner import SAMPLE
from replicheck.explorer.model import Model
from replicheck.explorer.properties import Property
from replicheck.explorer.states.symmetry import Reduction


@frozen
class Setup:
    """A search as every process at work on it must know it.

    ``key`` is another one for each attempt at a search, so that a process that has
    worked on another does not mistake one for the other. ``states`` is where the
    reachable states go as Parquet, if anywhere.
    """

    key: str
    model: Model[Any]
    properties: Sequence[Property]
    store: str
    buckets: int
    sample: int = SAMPLE
    reduction: Reduction = Reduction.NONE
    states: str | None = None
