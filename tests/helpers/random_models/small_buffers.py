"""Buffers that random systems outgrow, and their comparison with the naive engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings

from random_models.own_queues import QueueSystem
from random_models.systems import System, meant_to_fail, systems
from replicheck.explorer.engine import Engine
from replicheck.explorer.engines.breadth_first.engine import BreadthFirst
from replicheck.explorer.engines.reference.naive import Naive
from replicheck.explorer.frontier import (
    bit_choice,
    chunk,
    chunk_walker,
    expander,
    level_shortcuts,
    levels,
    table_shapes,
)
from replicheck.explorer.tables import (
    decision_trees,
    dictionary,
    enabling_masks,
    evaluator,
)

NEVER = 1e9
"""More than anything grows to."""
MANY = 1_000
"""Systems, of which the first that tells ends a law that is to fail."""


@contextmanager
def small_buffers(masks_out_of_date: float, worth: float) -> Iterator[None]:
    """Make chunks, tables and domains so small that small systems outgrow them.

    Args:
        worth: the room from which on a visited set has buckets.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk_walker, "CHUNK", 3)
        patch.setattr(chunk_walker, "SMALLEST_CHUNK", 1)
        patch.setattr(chunk_walker, "STEPS", 4)
        patch.setattr(chunk, "CANDIDATES_PER_STATE", 1)
        patch.setattr(chunk_walker, "MASKS_OUT_OF_DATE", masks_out_of_date)
        patch.setattr(chunk_walker, "MASKS_PAY", 0)
        patch.setattr(table_shapes, "FIRST_SIZE", 1)
        wide = table_shapes.WIDE._replace(worth=worth)
        patch.setattr(table_shapes, "ORDER", (wide,))
        patch.setattr(levels, "FIRST_ROOM", 1)
        patch.setattr(levels, "SPARE", 0)
        patch.setattr(dictionary, "FIRST_CAPACITY", 1)
        patch.setattr(decision_trees, "FIRST_ROOM", 1)
        patch.setattr(enabling_masks, "MOST_CLASSES", 3)
        patch.setattr(enabling_masks, "WORTH_CLASSIFYING", 1)
        patch.setattr(evaluator, "WORTH_SHARING", 1)
        patch.setattr(expander, "WORTH_SHORTCUTS", 1)
        patch.setattr(expander, "FIRST_BITS", 1)
        patch.setattr(expander, "SAMPLE", 1)
        patch.setattr(bit_choice, "LEAST_WALKS", 0)
        patch.setattr(level_shortcuts, "ENTRIES_PER_STATE", NEVER)
        yield


def check(engine: Engine, system: System | QueueSystem) -> None:
    """Compare what an engine reports with what the naive one does."""
    expected = Naive().explore(system.model, system.properties, system.search)
    found = engine.explore(system.model, system.properties, system.search)
    assert found == expected


def require_a_difference() -> None:
    """Require that some system tells the engine, changed by the caller, from naive.

    A number that stands for no value tells it, too.
    """

    @settings(meant_to_fail, max_examples=MANY)
    @given(systems())
    def law(system: System) -> None:
        with small_buffers(NEVER, NEVER):
            check(BreadthFirst(threads=1), system)

    with pytest.raises((AssertionError, IndexError)):
        law()
